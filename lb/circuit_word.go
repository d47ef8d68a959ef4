package lb

import "math"

// A Circuit is the state of a breaker.
type Circuit uint8

const (
	// Closed passes.
	Closed Circuit = iota
	// Open refuses.
	Open
	// HalfOpen passes one trial at a time.
	HalfOpen
)

var circuitNames = [...]string{Closed: "closed", Open: "open", HalfOpen: "half_open"}

// String returns the name of c in the admin API and in logs.
func (c Circuit) String() string {
	if int(c) < len(circuitNames) {
		return circuitNames[c]
	}
	return "unknown"
}

// A circuitWord is all that a breaker decides by, in one word, so that a decision and its
// effect are one compare-and-swap. From the top:
//
//	2 bits   the circuit
//	1 bit    half-open: a trial is out
//	15 bits  the generation: how many transitions there were
//	46 bits  closed: the tick when it closed, 0 = it never opened
//	         open: the tick from which it may be tried
//	         half-open: how many trials passed
type circuitWord uint64

const (
	detailBits     = 46
	generationBits = 15
	trialBit       = 1 << (detailBits + generationBits)
	circuitShift   = detailBits + generationBits + 1

	detailMask     = 1<<detailBits - 1
	generationMask = 1<<generationBits - 1
)

// A tick is 2^13 ns, about 8 us: ticks of 18 years fit the word.
const tickShift = 13

func newCircuitWord(c Circuit, g generation, detail uint64) circuitWord {
	return circuitWord(uint64(c)<<circuitShift | uint64(g)<<detailBits | detail&detailMask)
}

// A generation counts the transitions of a breaker, modulo 2^15. What was admitted in another
// one has no say any more.
type generation uint16

func (g generation) next() generation { return (g + 1) & generationMask }

func (w circuitWord) circuit() Circuit       { return Circuit(w >> circuitShift) }
func (w circuitWord) generation() generation { return generation(w >> detailBits & generationMask) }
func (w circuitWord) detail() uint64         { return uint64(w & detailMask) }
func (w circuitWord) trialOut() bool         { return w&trialBit != 0 }

// never is later than any time.
const never = math.MaxInt64

// availableAt returns from when on a trial may be taken; never while one is out, or closed.
func (w circuitWord) availableAt() int64 {
	switch {
	case w.circuit() == Open:
		return int64(w.detail() << tickShift)
	case w.circuit() == HalfOpen && !w.trialOut():
		return math.MinInt64
	}
	return never
}

// tickAfter returns the first tick that is not before now + ns.
func tickAfter(now, ns int64) uint64 {
	return min(uint64(max(0, now)+ns+1<<tickShift-1)>>tickShift, detailMask)
}
