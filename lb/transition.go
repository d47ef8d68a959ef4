package lb

import (
	"sync/atomic"
	"time"
)

// A Change is what happened to a circuit.
type Change uint8

const (
	// CircuitOpened is closed to open: too many failures.
	CircuitOpened Change = iota
	// CircuitHalfOpened is open to half-open: a trial goes out.
	CircuitHalfOpened
	// CircuitReopened is half-open to open: a trial failed.
	CircuitReopened
	// CircuitClosed is half-open to closed: enough trials passed.
	CircuitClosed
	// CircuitFlapping marks a breaker that changes too often.
	CircuitFlapping
	// CircuitSettled takes the mark away.
	CircuitSettled
)

// A Transition tells of one Change.
type Transition struct {
	Change Change
	// Address is that of the endpoints that share the breaker.
	Address string
	// At is when it happened, monotonic nanoseconds.
	At int64
	// Quiet is set while the breaker is flapping: the change is real but not worth a line in
	// the log.
	Quiet bool
	// OpenDuration is from the settings; 0 for CircuitSettled.
	OpenDuration time.Duration
}

// wiring is what all breakers of a process share, over all reloads.
type wiring struct {
	changes  atomic.Uint64 // counts whatever makes a table of a Cluster out of date
	notify   func(Transition)
	flapping flappingSet
}

// wake makes every Cluster look at its circuits before its next pick.
func (w *wiring) wake() { w.changes.Add(1) }

// changed follows a transition: the Clusters are told, then whoever watches.
func (b *breaker) changed(c Change, now int64) {
	b.wiring.wake()
	quiet, begins := b.flaps.note(now, &b.settings)
	t := Transition{Change: c, Address: b.flaps.address, At: now, Quiet: quiet, OpenDuration: b.settings.OpenDuration}
	b.wiring.tell(t)
	if begins {
		b.wiring.flapping.add(b.flaps)
		t.Change, t.Quiet = CircuitFlapping, false
		b.wiring.tell(t)
	}
}

func (w *wiring) tell(t Transition) {
	if w.notify != nil {
		w.notify(t)
	}
}
