package engine

import (
	"log/slog"
	"slices"
	"sync"
)

// changes are the clusters whose endpoints are to be found anew, because something was learnt
// of them since the current snapshot was made.
type changes struct {
	mu      sync.Mutex // guards these two
	names   map[string]bool
	pending bool // somebody waits to compile them

	work   sync.Mutex // held while they are compiled
	closed bool       // guarded by work: it is too late for any
}

// add notes that a cluster has changed.
func (c *changes) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = make(map[string]bool)
	}
	c.names[name] = true
}

// take gives the names that were added since it was called last.
func (c *changes) take() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := c.names
	c.names = nil
	return names
}

// claim reports whether the caller is to wait, and not somebody else already.
func (c *changes) claim() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.pending
	c.pending = true
	return first
}

// unclaim ends the wait that claim began.
func (c *changes) unclaim() {
	c.mu.Lock()
	c.pending = false
	c.mu.Unlock()
}

// close lets a change that is being compiled end, and allows no other.
func (c *changes) close() {
	c.work.Lock()
	c.closed = true
	c.work.Unlock()
}

// clusterChanged has a cluster compiled again, with the endpoints that are known now: of
// members that announce themselves, say. It is for whoever learns of them, on any goroutine
// but a loop's. When it returns the change is in force, unless a reload is under way: then it
// is right after that.
func (e *Engine) clusterChanged(name string) {
	e.changes.add(name)
	if e.reloading.TryLock() {
		e.recompile()
		e.reloading.Unlock()
		return
	}
	// A caller must not stand still for as long as a reload looks up names.
	if e.changes.claim() {
		go func() {
			e.reloading.Lock()
			defer e.reloading.Unlock()
			e.changes.unclaim()
			e.recompile()
		}()
	}
}

// recompile makes a snapshot current in which the clusters that have changed are compiled
// again, from the configuration as it is and with the endpoints that are known now. All else
// is taken over from the snapshot before, and so are the endpoints that stay. It costs
// what the clusters that changed have in endpoints, a microsecond or two for each. reloading
// is held.
func (e *Engine) recompile() {
	e.changes.work.Lock()
	defer e.changes.work.Unlock()
	old := e.current.Load()
	if old == nil || e.changes.closed {
		return // the first snapshot has all, and after the end there is none
	}
	names := e.changes.take()
	if len(names) == 0 {
		return
	}
	s := *old
	s.clusters = slices.Clone(old.clusters)
	var changed []int
	for i, c := range old.clusters {
		if !names[c.name] {
			continue
		}
		next := *c
		if err := e.fill(&next, e.members.of(c.config, everybody), s.breakers, c); err != nil {
			e.log.Error("cluster not changed", slog.String("cluster", c.name), slog.String("error.message", err.Error()))
			continue
		}
		s.clusters[i] = &next
		changed = append(changed, i)
	}
	if len(changed) == 0 {
		return
	}
	e.current.Store(&s)
	var gone []*endpointState
	for _, i := range changed {
		gone = append(gone, e.replaced(old.clusters[i], s.clusters[i])...)
	}
	if len(gone) > 0 {
		s.forgetBreakers()
		e.dismiss(gone)
	}
}

// replaced follows the change of a cluster from one version to the next: what was of the first
// alone is given back, and what is new begins. It returns the endpoints that left.
func (e *Engine) replaced(old, next *cluster) (gone []*endpointState) {
	e.members.settle(next)
	old.balance.CountExclusions()
	for i, ep := range old.endpoints {
		now := next.at(i)
		if ep == nil || ep == now {
			continue
		}
		ep.unwatch()
		ep.stats.Release()
		if now == nil || now.state != ep.state {
			ep.state.left.Store(true)
			ep.state.checks.stop()
			gone = append(gone, ep.state)
		}
	}
	for i, ep := range next.endpoints {
		if ep != nil && ep != old.at(i) {
			e.watchEndpoint(ep)
		}
	}
	next.turns.WakeAll()
	return gone
}

// at is the endpoint with that index of the balancer, nil if there is none.
func (c *cluster) at(index int) *endpoint {
	if index >= len(c.endpoints) {
		return nil
	}
	return c.endpoints[index]
}

// dismiss has every worker close its idle connections to endpoints that left.
func (e *Engine) dismiss(gone []*endpointState) {
	for _, w := range e.workers {
		_ = w.loop.Post(func() { // a loop that has ended has closed them
			for _, state := range gone {
				w.closeIdle(state)
			}
		})
	}
}
