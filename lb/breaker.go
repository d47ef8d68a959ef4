package lb

import (
	"sync/atomic"
	"time"
)

// BreakerSettings say when a breaker opens and closes. Two endpoints of one address and scheme
// whose settings are equal share a breaker.
type BreakerSettings struct {
	// MaxFails failures inside Window open the circuit; 1 to MaxFails. Failures leave the
	// window in steps of Window/32, early rather than late.
	MaxFails int
	Window   time.Duration
	// OpenDuration is the time from open to the first trial.
	OpenDuration time.Duration
	// ConsecutivePasses trials close the circuit; at least 1.
	ConsecutivePasses int
	// Record5xx makes an answer with a status of 500 or above a failure.
	Record5xx bool
	// LatencyThreshold makes an answer that took longer a failure; 0 is off.
	LatencyThreshold time.Duration
	// FlappingTransitions inside FlappingWindow mark the breaker as flapping; 0 is off. It
	// settles after a whole window without a transition.
	FlappingTransitions int
	FlappingWindow      time.Duration
	// SlowStart is how long an endpoint ramps up after its circuit closed; 0 is off.
	SlowStart time.Duration
}

// A breaker keeps attempts from an endpoint that fails. Its methods are safe for concurrent
// use; those of this file take no lock unless the circuit changes. Times are monotonic
// nanoseconds.
//
// Who is admitted holds a generation, the number of the last transition before. What comes back
// with another generation is about a circuit that is no more, and is ignored.
type breaker struct {
	word     atomic.Uint64 // a circuitWord
	settings BreakerSettings
	failing  failureWindow
	wiring   *wiring

	flaps *flaps

	opened   atomic.Int64 // transitions from closed to open
	reopened atomic.Int64 // transitions from half-open to open
}

func newBreaker(address string, s BreakerSettings, w *wiring) *breaker {
	s.MaxFails = min(max(s.MaxFails, 1), MaxFails)
	b := &breaker{settings: s, wiring: w, flaps: &flaps{address: address}}
	b.failing.width = bucketWidth(int64(s.Window))
	return b
}

func (b *breaker) load() circuitWord { return circuitWord(b.word.Load()) }

func (b *breaker) swap(from, to circuitWord) bool {
	return b.word.CompareAndSwap(uint64(from), uint64(to))
}

// admit returns the generation with which an attempt may go on as an ordinary one, which is
// while the circuit is closed.
func (b *breaker) admit() (g generation, ok bool) {
	w := b.load()
	return w.generation(), w.circuit() == Closed
}

// claim takes the trial, if there is one to take at now. Of any number of callers one gets it.
func (b *breaker) claim(now int64) (g generation, ok bool) {
	for {
		w := b.load()
		if w.availableAt() > now {
			return 0, false
		}
		if w.circuit() == HalfOpen {
			if b.swap(w, w|trialBit) {
				b.wiring.wake()
				return w.generation(), true
			}
			continue
		}
		next := newCircuitWord(HalfOpen, w.generation().next(), 0) | trialBit
		if b.swap(w, next) {
			b.changed(CircuitHalfOpened, now)
			return next.generation(), true
		}
	}
}

// pass ends the trial of generation g well.
func (b *breaker) pass(g generation, now int64) {
	for {
		w := b.load()
		if w.generation() != g || w.circuit() != HalfOpen {
			return
		}
		if passes := w.detail() + 1; passes < uint64(b.settings.ConsecutivePasses) {
			if b.swap(w, newCircuitWord(HalfOpen, g, passes)) {
				b.wiring.wake()
				return
			}
			continue
		}
		if b.swap(w, newCircuitWord(Closed, g.next(), max(1, tickAfter(now, 0)))) {
			b.changed(CircuitClosed, now)
			return
		}
	}
}

// fail counts a failure of an attempt of generation g. The failure of a trial, or of an attempt
// that had passed as a trial and broke afterwards, opens the circuit again.
func (b *breaker) fail(g generation, now int64) {
	w := b.load()
	if w.generation() != g {
		return
	}
	if w.circuit() == Closed {
		failures, ok := b.failing.add(g, now, &b.word)
		if !ok || failures < b.settings.MaxFails {
			return
		}
	}
	for ; w.generation() == g; w = b.load() {
		from := w.circuit()
		if !b.swap(w, newCircuitWord(Open, g.next(), tickAfter(now, int64(b.settings.OpenDuration)))) {
			continue
		}
		if from == HalfOpen {
			b.reopened.Add(1)
			b.changed(CircuitReopened, now)
			return
		}
		b.opened.Add(1)
		b.changed(CircuitOpened, now)
		return
	}
}

// giveBack ends the trial of generation g without a result.
func (b *breaker) giveBack(g generation) {
	for {
		w := b.load()
		if w.generation() != g || w.circuit() != HalfOpen {
			return
		}
		if b.swap(w, w&^trialBit) {
			b.wiring.wake()
			return
		}
	}
}

// checkPassed lets the next request be the trial, if the circuit is open.
func (b *breaker) checkPassed() {
	for {
		w := b.load()
		if w.circuit() != Open || w.detail() == 0 {
			return
		}
		if b.swap(w, newCircuitWord(Open, w.generation(), 0)) {
			b.wiring.wake()
			return
		}
	}
}

// rampSince returns when the ramp of the slow start began. ok is false when there is none.
func (b *breaker) rampSince() (start int64, ok bool) {
	w := b.load()
	if b.settings.SlowStart == 0 || w.circuit() != Closed || w.detail() == 0 {
		return 0, false
	}
	return int64(w.detail() << tickShift), true
}

// faulty reports whether an answer counts as a failure.
func (b *breaker) faulty(o *Outcome) bool {
	s := &b.settings
	return s.Record5xx && o.Status >= 500 || s.LatencyThreshold > 0 && o.Latency > int64(s.LatencyThreshold)
}
