package engine

import (
	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/pool"
)

// A waiter is a place in a queue that an exchange holds. It is of the worker of the
// exchange, and outlives it if something is granted to it just then.
type waiter struct {
	place pool.Waiter
	queue *pool.Queue
	w     *worker
	x     *exchange // nil = it has left
	named bool      // it waits for a name to be resolved, with nothing tried yet
	since int64     // loop time, ns
	until int64     // loop time at which patience ends, ns; 0 = as long as the client's
}

// wait readies the queue of a cluster whose endpoints have a limit. Those who wait stay in
// it over a reload.
func (c *cluster) wait(upstreams []*config.UpstreamSettings, prev *cluster) {
	c.limited, c.patience = false, 0
	total := int64(0)
	endless := false
	for _, u := range upstreams {
		total += int64(u.Limit)
		c.limited = c.limited || u.Limit > 0
		c.patience = max(c.patience, int64(u.ConnectionTimeout))
		endless = endless || u.ConnectionTimeout == 0
	}
	if endless {
		c.patience = 0
	}
	c.turns = newQueue(total)
	if prev != nil {
		c.turns = prev.turns
		c.turns.SetMax(fewWaiters + waitersByConnection*total)
	}
}

// join puts x into q. It returns nil if too many wait there already, and ends x.
func (x *exchange) join(q *pool.Queue, patience int64) *waiter {
	wt := &waiter{queue: q, w: x.w, x: x, since: x.w.loop.Now()}
	wt.place.Grant = func(p *pool.Permits) {
		if wt.w.loop.Post(func() { wt.granted(p) }) != nil && p != nil {
			p.Release() // the loop has ended
		}
	}
	if !q.Join(&wt.place) {
		x.fail(failure{status: 503, reason: reasonOverloaded, kind: stats.Overloaded})
		return nil
	}
	x.waiter = wt
	if patience > 0 {
		wt.until = wt.since + patience
	}
	return wt
}

// waitForTurn waits until an endpoint of the cluster has room.
func (x *exchange) waitForTurn() {
	wt := x.join(x.cluster.turns, x.cluster.patience)
	if wt == nil {
		return
	}
	x.armWait()
	// Room that came before the place was taken is found now, by whoever is first; room that
	// comes later finds the place.
	if wt.queue.Len() == 1 {
		x.look()
	} else {
		wt.queue.WakeHead()
	}
}

// look goes on with an exchange that has a place in the queue, if there is room by now. What
// is of no use to it may be to those behind: one that has tried some endpoints, or does not
// know the newest ones, holds up nobody.
func (x *exchange) look() {
	wt := x.waiter
	if wt.named && !x.catchUp() {
		x.fail(x.otherwise)
		return
	}
	v := x.pick()
	if v == lb.None && wt.named && x.cluster.nameless {
		wt.queue.WakeBehind(&wt.place)
		return
	}
	if v == lb.Full {
		wt.named = false
		if x.tried.Len() > 0 || x.snap != x.w.engine.current.Load() {
			wt.queue.WakeBehind(&wt.place)
		}
		return
	}
	x.cancelWait()
	if v == lb.None {
		wt.queue.Wake()
	}
	x.follow(v)
}

// takePermit takes one of p for the connection that x is about to dial. If there is none,
// idle connections are asked to give way (all endpoints' if state is nil), and x waits in
// q; startDial is called again then.
func (x *exchange) takePermit(p *pool.Permits, q *pool.Queue, state *endpointState) bool {
	if q.Len() == 0 && (p.TryAcquire() || x.w.closeOldest(state) && p.TryAcquire()) {
		return true
	}
	wt := x.join(q, x.ep.connectTimeout)
	if wt == nil {
		return false
	}
	if p.TryAcquire() {
		if q.Leave(&wt.place) {
			x.waiter = nil
			return true
		}
		p.Release() // another one is on its way
	}
	x.armWait()
	// From the place in the queue on no connection becomes idle, so this finds those that are.
	x.w.engine.askIdle(x.w, state)
	return false
}

// armWait sets the client's timer to the end of patience.
func (x *exchange) armWait() {
	if x.halfClosed {
		return // the grace of a client that may have left is shorter
	}
	if until := x.waiter.until; until > 0 {
		x.w.loop.SetTimer(&x.d.timer, x.d, until)
	} else {
		x.w.loop.StopTimer(&x.d.timer)
	}
}

// waitTimer ends an exchange that has waited for too long. No endpoint is to blame.
func (x *exchange) waitTimer(now int64) {
	if until := x.waiter.until; until == 0 || now < until {
		x.armWait()
		return
	}
	if x.waiter.named {
		x.fail(failure{status: 503, reason: reasonUnavailable, kind: stats.DNSError})
		return
	}
	x.fail(failure{status: 503, reason: reasonOverloaded, kind: stats.Overloaded})
}

// granted goes on with an exchange whose turn has come, or passes the turn on if it has
// left. p is the permit it waited for, nil if it waits for room, which others may have taken.
func (wt *waiter) granted(p *pool.Permits) {
	x := wt.x
	switch {
	case x == nil && p != nil:
		p.Release()
	case x == nil:
		wt.queue.Wake()
	case p != nil:
		x.endWait()
		if p == x.w.engine.upstreams {
			x.shared = true
		} else {
			x.own = true
		}
		x.startDial()
	default:
		wt.queue.Look(&wt.place)
		x.look()
	}
}

// endWait counts a wait that is over, for the endpoint at hand if there is one.
func (x *exchange) endWait() {
	wt := x.waiter
	x.waiter, wt.x = nil, nil
	if wt.named { // it is no wait for a connection
		x.w.loop.StopTimer(&x.d.timer)
		return
	}
	ep := x.ep
	if b := x.att.Endpoint(); ep == nil && b != nil {
		ep = x.cluster.endpoints[b.Index()]
	}
	if ep == nil {
		ep = x.cluster.first()
	}
	if ep != nil {
		ep.stats.Inc(x.w.id, stats.PoolWaits)
		ep.stats.Waited(x.w.id, x.w.loop.Now()-wt.since)
	}
	x.w.loop.StopTimer(&x.d.timer)
}

// cancelWait leaves the queue, and gives back what was taken for a dial.
func (x *exchange) cancelWait() {
	if wt := x.waiter; wt != nil {
		wt.queue.Leave(&wt.place) // what was granted just now is passed on when it arrives
		x.endWait()
	}
	if x.own {
		x.own = false
		x.ep.state.permits.Release()
	}
	if x.shared {
		x.shared = false
		x.w.engine.upstreams.Release()
	}
}

// first is an endpoint of the cluster, nil if it has none.
func (c *cluster) first() *endpoint {
	for _, ep := range c.endpoints {
		if ep != nil {
			return ep
		}
	}
	return nil
}

// askIdle has an idle connection give way to one that is wanted: of the endpoint of state,
// or of any if that is nil. w's own goes at once, those of other workers soon.
func (e *Engine) askIdle(w *worker, state *endpointState) {
	if w.closeOldest(state) {
		return
	}
	for _, other := range e.workers {
		if other != w {
			_ = other.loop.Post(func() { other.closeOldest(state) }) // a loop that has ended has no idle ones
		}
	}
}

// closeOldest closes the connection that has been idle for longest to the endpoint of
// state, or to some endpoint. It returns false if there is none.
func (w *worker) closeOldest(state *endpointState) bool {
	if state != nil {
		oldest := state.idle[w.id].Oldest()
		if oldest != nil {
			oldest.Value.close()
		}
		return oldest != nil
	}
	for _, c := range w.engine.current.Load().clusters {
		for _, ep := range c.endpoints {
			if ep != nil && ep.address.Unix == "" && w.closeOldest(ep.state) {
				return true
			}
		}
	}
	return false
}

// wakeAll has everybody look for room who waits for it in a cluster of s.
func (s *snapshot) wakeAll() {
	for _, c := range s.clusters {
		c.turns.WakeAll()
	}
}
