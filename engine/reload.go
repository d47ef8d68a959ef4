package engine

import (
	"errors"
	"log/slog"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
)

// ErrDraining says that the engine takes no new configuration because it is shutting down.
var ErrDraining = errors.New("draining")

// Reload makes c current, all of it or, with an error, nothing. Exchanges that run finish
// on the snapshot they began with; endpoints that stay keep their state and connections;
// listeners that stay keep their sockets.
func (e *Engine) Reload(c *config.Config) error {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	if !e.ready.Load() {
		return ErrDraining
	}
	limits, err := e.limits(c)
	if err != nil {
		return err
	}
	plan, err := e.planBeacons(c)
	if err != nil {
		return err
	}
	sink, err := e.access.prepare(c.AccessLog)
	if err != nil {
		return err
	}
	fresh, err := e.bindNew(c)
	if err != nil {
		e.access.discard(sink)
		return err
	}
	e.adopt(fresh)
	old := e.current.Load()
	s, err := e.compile(c, old, plan.stays)
	if err == nil && !e.ready.Load() {
		s.release() // names may have taken their time
		err = ErrDraining
	}
	if err != nil {
		old.present()
		for _, bound := range fresh {
			delete(e.open, bound.key)
			bound.close()
		}
		e.access.discard(sink)
		return err
	}
	if n := c.Workers; n > 0 && n != len(e.workers) {
		e.log.Warn("a change of workers needs a restart", slog.Int("workers", len(e.workers)))
	}
	e.current.Store(s)
	e.access.use(sink)
	e.watchHealth(old, s)
	e.endBeacons(plan)
	e.members.configure(c, plan.stays)
	e.members.settle(s.clusters...)
	e.clients.SetMax(limits.clients)
	e.upstreams.SetMax(limits.upstreams)
	e.waiting.SetMax(fewWaiters + waitersByConnection*limits.upstreams)
	e.stats.SetGlobalLimit(limits.upstreams)
	s.wakeAll()
	old.wakeAll() // nobody waits for a name whose cluster is gone
	e.follow(fresh, e.takeRemoved(c), departed(old, s))
	old.release()
	e.beginBeacons(plan)
	e.stats.ConfigReloaded(stats.ReloadApplied, time.Now())
	return nil
}

// ReloadRejected counts a configuration that could not be made current.
func (e *Engine) ReloadRejected() { e.stats.ConfigReloaded(stats.ReloadRejected, time.Now()) }

// ReloadUnchanged counts a reload that found the configuration as it was.
func (e *Engine) ReloadUnchanged() { e.stats.ConfigReloaded(stats.ReloadUnchanged, time.Now()) }

// split parts the open listeners in those that c names and the others.
func (e *Engine) split(c *config.Config) (stay, leave []*sockets) {
	named := make(map[string]bool)
	for i := range c.Listeners {
		named[c.Listeners[i].Address.Text] = true
	}
	for key, s := range e.open {
		if named[key] {
			stay = append(stay, s)
		} else {
			leave = append(leave, s)
		}
	}
	return stay, leave
}

// takeRemoved takes the listeners that c does not name out of the engine.
func (e *Engine) takeRemoved(c *config.Config) []*sockets {
	_, removed := e.split(c)
	for _, s := range removed {
		delete(e.open, s.key)
	}
	return removed
}

// departed are the endpoints of old that s does not have.
func departed(old, s *snapshot) []*endpointState {
	stays := make(map[*endpointState]bool)
	for _, c := range s.clusters {
		for _, ep := range c.endpoints {
			if ep != nil {
				stays[ep.state] = true
			}
		}
	}
	var gone []*endpointState
	for _, c := range old.clusters {
		for _, ep := range c.endpoints {
			if ep != nil && !stays[ep.state] {
				ep.state.left.Store(true)
				gone = append(gone, ep.state)
			}
		}
	}
	return gone
}

// follow has every worker open the fresh listeners, then close the removed ones and the
// idle connections to endpoints that left. It returns when all have.
func (e *Engine) follow(fresh, removed []*sockets, gone []*endpointState) {
	done := make(chan error, len(e.workers))
	for _, w := range e.workers {
		err := w.loop.Post(func() {
			var failed error
			for _, s := range fresh {
				failed = errors.Join(failed, w.listen(s))
			}
			for _, s := range removed {
				w.unlisten(s)
			}
			for _, state := range gone {
				w.closeIdle(state)
			}
			done <- failed
		})
		if err != nil {
			done <- err
		}
	}
	for range e.workers {
		if err := <-done; err != nil {
			e.log.Error("a worker could not follow the reload", slog.String("error.message", err.Error()))
		}
	}
	for _, s := range removed {
		s.unlink()
		s.stats.Release()
	}
}

// closeIdle closes the idle connections to an endpoint that left.
func (w *worker) closeIdle(state *endpointState) {
	for {
		oldest := state.idle[w.id].Oldest()
		if oldest == nil {
			return
		}
		oldest.Value.close()
	}
}

// release gives back the counters of a snapshot that is no longer current. Exchanges on
// it may still count: what the next snapshot does not name is not seen any more.
func (s *snapshot) release() {
	for _, t := range s.targets {
		t.stats.Release()
	}
	for _, c := range s.clusters {
		c.releaseNames()
		c.balance.CountExclusions()
		for _, ep := range c.endpoints {
			if ep != nil {
				ep.unwatch()
				ep.stats.Release()
			}
		}
	}
}
