package lb

import (
	"math/rand/v2"
	"sync/atomic"
)

// redraws is how often a draw is repeated before a slower way is taken.
const redraws = 8

// A Picker is one worker's view of one Cluster. It is not for concurrent use.
type Picker struct {
	cluster *Cluster
	rng     rand.PCG
	places  []place        // by tier
	loads   []tierLoad     // by tier; Keyed only
	reached []atomic.Int64 // picks by the tier they came to, the last for nowhere; others read it
	passed  passed
	shares  []share  // of byLoad
	fund    int64    // what successes have paid for the next retry, of a millionth of a token
	_       [88]byte // up to 256: its pick after pick is not to be on a cache line with another's
}

// A Want is what one pick goes by.
type Want struct {
	Now int64 // monotonic ns
	// Tried holds what this exchange has tried; it may be nil. It is not changed.
	Tried *Tried
	// Home is the endpoint that a cookie promised, or nil. If it serves, it is chosen, also
	// from a tier that is not in use and while it drains.
	Home *Endpoint
	// Key is the ring's hash of what ties requests together, if Keyed is set.
	Key   uint64
	Keyed bool
}

// A Verdict is what came of a pick.
type Verdict uint8

const (
	// Picked: the attempt has begun.
	Picked Verdict = iota
	// Full: endpoints are left, but all of them have as many attempts as they may. Attempt.Tier
	// is the lowest tier to wait for.
	Full
	// None: no endpoint is left.
	None
)

// Begin starts a, which is none, on an endpoint for w: what Home or Key ask for if it serves,
// else a trial that is due, else the choice of the algorithm, in the lowest tier that has any.
// The attempt counts as active until Finish. A turn of the round robin that falls on an endpoint
// which is not to be had is spent.
func (p *Picker) Begin(a *Attempt, w *Want) Verdict {
	p.passed.begin()
	if w.Home != nil && !w.Tried.Has(w.Home) && p.beginAt(a, w.Home, w.Now) {
		return Picked
	}
	t := p.cluster.current()
	full := -1
	for i := range t.views {
		v := &t.views[i]
		if w.Keyed && p.beginKeyed(a, w, v) {
			return Picked
		}
		verdict := p.beginIn(a, w, v)
		if verdict == Picked {
			p.reach(w, v.index)
			return Picked
		}
		if verdict == Full && full < 0 {
			full = v.index
		}
	}
	p.reach(w, p.cluster.tiers)
	if full >= 0 {
		a.tier = full
		return Full
	}
	return None
}

// BeginAt starts a, which is none, on e because the exchange belongs there: as a retry on the
// same endpoint, or as the turn of one that waited. It returns false if e does not serve even
// those that are tied to it, has no room, or its circuit does not admit the attempt, not even as
// the trial.
func (p *Picker) BeginAt(a *Attempt, e *Endpoint, now int64) bool {
	p.passed.begin()
	return p.beginAt(a, e, now)
}

func (p *Picker) beginAt(a *Attempt, e *Endpoint, now int64) bool {
	s := p.cluster.seatOf(e)
	if s < 0 || !e.bits().serves(true) || !p.cluster.seats[s].admits(now) {
		return false
	}
	p.passed.enter()
	if !e.take() {
		p.passed.overloaded(e)
		return false
	}
	if !p.start(a, &p.cluster.seats[s], now) {
		e.active.Add(-1)
		return false
	}
	return true
}

// admits reports whether the circuit of s lets an attempt through, or at now a trial.
func (s *seat) admits(now int64) bool {
	if s.breaker == nil {
		return true
	}
	w := s.breaker.load()
	return w.circuit() == Closed || w.availableAt() <= now
}

// start makes a an attempt on the endpoint of s, which was taken, if the circuit admits it.
func (p *Picker) start(a *Attempt, s *seat, now int64) bool {
	*a = Attempt{endpoint: s.endpoint, picker: p, breaker: s.breaker, tier: s.tier}
	if s.breaker == nil {
		return true
	}
	var ok bool
	if a.ticket, ok = s.breaker.admit(); ok {
		return true
	}
	if a.ticket, ok = s.breaker.claim(now); ok {
		a.trial = true
		return true
	}
	*a = Attempt{}
	return false
}

// reach counts a pick that came to a tier.
func (p *Picker) reach(w *Want, tier int) {
	if w.Tried.Len() > 0 {
		p.countTried(w.Tried, tier)
	}
	n := &p.reached[tier]
	n.Store(n.Load() + 1) // this worker is the only one that writes it
}

// beginIn starts a in one tier.
func (p *Picker) beginIn(a *Attempt, w *Want, v *view) Verdict {
	if w.Now >= v.due && p.beginTrial(a, w, v) {
		return Picked
	}
	if v.tier == nil {
		return None
	}
	return p.choose(a, w, v)
}

// beginTrial starts a as a trial that is due, if there is one to be had.
func (p *Picker) beginTrial(a *Attempt, w *Want, v *view) bool {
	for _, s := range v.trials {
		at := &p.cluster.seats[s]
		if w.Tried.Has(at.endpoint) || at.breaker.load().availableAt() > w.Now || !at.endpoint.take() {
			continue
		}
		if p.start(a, at, w.Now) {
			p.cluster.deducted[s].Add(1)
			return true
		}
		at.endpoint.active.Add(-1)
	}
	return false
}
