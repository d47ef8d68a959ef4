package stats

import "slices"

// An EndpointGauge is a value of an endpoint that somebody else keeps and that
// is read when it is asked for.
type EndpointGauge uint8

const (
	// These add up over the endpoints that share a series.
	ActiveConnections    EndpointGauge = iota // attempts in flight
	CircuitOpened                             // times that the circuit opened, so far
	ExcludedCircuitOpen                       // passed over in a pick so far: its circuit is open
	ExcludedAlreadyTried                      // passed over: this request tried it before
	ExcludedOverloaded                        // passed over: it is at its limit

	// Of these the largest counts.
	Score           // of the algorithm, lower is preferred
	LocalLimit      // most connections, 0 = no limit
	EWMALatency     // seconds; 0 = not measured
	WarmingUp       // 1 until an answer was timed, then 0
	CircuitState    // 0 closed, 1 open, 2 half-open
	CircuitFlapping // 1 while it changes too often
	BudgetTokens    // left in the retry budget of its cluster
	endpointGaugeCount
)

// addsUp reports whether the values of endpoints that share a series are summed.
func (g EndpointGauge) addsUp() bool { return g < Score }

type gauge struct{ read func() float64 }

// Watch has read called, by whoever scrapes, for the value of g. Several
// watches of one handle are combined. read must be quick and safe for
// concurrent use, must not call the registry, and is not called any more once
// stop has returned.
func (e *endpointSeries) Watch(g EndpointGauge, read func() float64) (stop func()) {
	own := &gauge{read: read}
	mu := &e.registry.mu
	mu.Lock()
	defer mu.Unlock()
	e.gauges[g] = append(e.gauges[g], own)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		e.gauges[g] = slices.DeleteFunc(e.gauges[g], func(x *gauge) bool { return x == own })
	}
}

// value combines the watches of g. ok is false if there is none.
func (e *endpointSeries) value(g EndpointGauge) (v float64, ok bool) {
	e.registry.mu.Lock()
	defer e.registry.mu.Unlock()
	for i, x := range e.gauges[g] {
		switch own := x.read(); {
		case g.addsUp():
			v += own
		case i == 0 || own > v:
			v = own
		}
	}
	return v, len(e.gauges[g]) > 0
}
