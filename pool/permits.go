package pool

import "sync/atomic"

// Permits is an exact, process-wide count of connections with a ceiling. Whoever got a permit
// gives it back with Release, exactly once. All methods are safe for concurrent use and never
// wait. It must not be copied.
type Permits struct {
	queue *Queue // who waits for a permit; nil = nobody does

	_    [64]byte // every worker writes held: keep it off its neighbours' cache lines
	held atomic.Int64
	max  atomic.Int64 // read with held each time, so on the same line
	_    [48]byte
}

// NewPermits returns Permits of which max may be held at once; 0 or less is without limit.
func NewPermits(max int64) *Permits {
	p := new(Permits)
	p.SetMax(max)
	return p
}

// Feed has Release hand permits to those who wait in q. It comes before anything else.
func (p *Permits) Feed(q *Queue) { p.queue = q }

// SetMax changes how many permits may be held at once; 0 or less is without limit. Permits
// held beyond a lowered max stay valid, and none is given out until enough came back. Those of
// a raised max go to who waits.
func (p *Permits) SetMax(max int64) {
	p.max.Store(max)
	for p.queue != nil && p.queue.Len() > 0 && p.TryAcquire() {
		p.Release()
	}
}

// Held returns how many permits are out.
func (p *Permits) Held() int64 { return p.held.Load() }

// TryAcquire takes a permit and reports whether it got one. It is refused only if max permits
// were held at one moment of the call, never because others try at the same time.
func (p *Permits) TryAcquire() bool {
	for {
		held, max := p.held.Load(), p.max.Load()
		if max > 0 && held >= max {
			return false
		}
		if p.held.CompareAndSwap(held, held+1) {
			return true
		}
	}
}

// Release gives back one permit that TryAcquire or a Grant gave. If somebody waits for it, it
// goes to the first who does without becoming free, so that nobody can take it on the way.
// It panics when none is out, since a permit given back twice would let connections pass the
// limit unseen.
func (p *Permits) Release() {
	for {
		if p.handOver() {
			return
		}
		if p.held.Add(-1) < 0 {
			panic("pool: BUG: Release of a permit that is not held")
		}
		// Who joined after the look above has tried before this permit was free.
		if p.queue == nil || p.queue.Len() == 0 || !p.TryAcquire() {
			return
		}
	}
}

// handOver gives the permit at hand to the first waiter, if there is one and the ceiling,
// which may have been lowered, leaves room for it.
func (p *Permits) handOver() bool {
	if p.queue == nil || p.queue.Len() == 0 {
		return false
	}
	if max := p.max.Load(); max > 0 && p.held.Load() > max {
		return false
	}
	w := p.queue.pop()
	if w == nil {
		return false
	}
	w.Grant(p)
	return true
}
