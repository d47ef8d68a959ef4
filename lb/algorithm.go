package lb

// An Algorithm chooses among the endpoints of a tier. All honour weights.
type Algorithm uint8

const (
	// TwoRandom draws two different endpoints by weight and takes the one with the lower
	// (active + 1) / weight; ties go either way. It is the default.
	TwoRandom Algorithm = iota
	// Random draws an endpoint with probability weight / sum of weights.
	Random
	// RoundRobin takes turns: of as many picks in a row as the sum of the weights (divided by
	// their greatest common divisor), each endpoint gets exactly its weight, spread evenly in
	// time. It holds for each Picker by itself.
	RoundRobin
	// LeastConn takes the endpoint with the least (active + 1) / weight; ties go any way. Among
	// more than 16 endpoints a worker may be late to see that attempts of other workers ended.
	LeastConn
	// P2CEWMA draws two different endpoints by weight and takes the one with the lower latency ×
	// (active + 1) / weight. The latency is a moving average that shows peaks.
	P2CEWMA
)

var algorithmNames = [...]string{
	TwoRandom:  "two_random",
	Random:     "random",
	RoundRobin: "round_robin",
	LeastConn:  "least_conn",
	P2CEWMA:    "p2c_ewma",
}

// String returns the name of a in the configuration.
func (a Algorithm) String() string {
	if int(a) < len(algorithmNames) {
		return algorithmNames[a]
	}
	return "unknown"
}

// ParseAlgorithm returns the algorithm of that name in the configuration. ok is false when
// there is none.
func ParseAlgorithm(name string) (a Algorithm, ok bool) {
	for i, known := range algorithmNames {
		if name == known {
			return Algorithm(i), true
		}
	}
	return 0, false
}
