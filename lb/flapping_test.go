package lb

import (
	"testing"
	"time"
)

// flappingBench has a breaker that opens at once, and flaps after 3 transitions in 10 s.
func flappingBench(t *testing.T) (*bench, *Breakers) {
	set := NewBreakers(nil)
	b := benchOf(t, func(s *BreakerSettings) {
		s.MaxFails, s.OpenDuration = 1, time.Second
		s.FlappingTransitions, s.FlappingWindow = 3, 10*time.Second
	})
	set.wiring = b.b.wiring
	return b, set
}

// cycle opens and closes: three transitions in about one second.
func (b *bench) cycle() {
	b.t.Helper()
	b.open()
	b.b.pass(b.trial(true), b.now)
}

func (b *bench) heard(c Change, quiet bool) int {
	n := 0
	for _, tr := range b.told {
		if tr.Change == c && tr.Quiet == quiet {
			n++
		}
	}
	return n
}

func TestFlapping(t *testing.T) {
	b, set := flappingBench(t)
	b.open()
	if b.b.flaps.flapping() {
		t.Error("it flaps after one transition")
	}
	b.b.pass(b.trial(true), b.now)
	if !b.b.flaps.flapping() {
		t.Error("it does not flap after three")
	}
	for range 10 {
		b.cycle()
		set.Settle(b.now)
	}
	if got := b.heard(CircuitFlapping, false); got != 1 {
		t.Errorf("%d times told that it flaps, want once", got)
	}
	if loud := b.heard(CircuitOpened, false) + b.heard(CircuitHalfOpened, false) + b.heard(CircuitClosed, false); loud != 2 {
		t.Errorf("%d transitions are worth a line, want the first two", loud)
	}
	if quiet := b.heard(CircuitOpened, true); quiet != 10 {
		t.Errorf("%d quiet openings, want 10", quiet)
	}
	b.wait(10*sec - ms)
	set.Settle(b.now)
	if !b.b.flaps.flapping() || b.heard(CircuitSettled, false) != 0 {
		t.Error("it settled before a whole window was quiet")
	}
	b.wait(2 * ms)
	for range 3 {
		set.Settle(b.now)
	}
	if b.b.flaps.flapping() || b.heard(CircuitSettled, false) != 1 {
		t.Errorf("told %d times that it settled, want once", b.heard(CircuitSettled, false))
	}
	b.cycle()
	if b.heard(CircuitFlapping, false) != 2 {
		t.Error("it does not flap a second time")
	}
}

func TestFlappingNeedsTransitionsInsideTheWindow(t *testing.T) {
	b, _ := flappingBench(t)
	for range 10 {
		b.open()
		b.wait(9 * sec)
		b.b.pass(b.trial(true), b.now)
		b.wait(10 * sec)
	}
	if b.heard(CircuitFlapping, false) != 0 {
		t.Error("two transitions a window made it flap")
	}
}

func TestFlappingOff(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.FlappingTransitions = 0 })
	for range 50 {
		b.cycle()
	}
	if b.heard(CircuitFlapping, false) != 0 || b.heard(CircuitOpened, false) != 50 {
		t.Error("it flaps although that is off")
	}
}

func TestFlappingAtTheFirstTransition(t *testing.T) {
	b, set := flappingBench(t)
	b.b.settings.FlappingTransitions = 1
	b.open()
	if b.heard(CircuitFlapping, false) != 1 {
		t.Error("one transition does not make it flap")
	}
	b.wait(10 * sec)
	set.Settle(b.now)
	if b.heard(CircuitSettled, false) != 1 {
		t.Error("it does not settle")
	}
}
