package engine

import (
	"log/slog"

	"millrace/engine/config"
	"millrace/netpoll"
	"millrace/pool"
)

// reservedDescriptors are kept for what is neither a client nor an upstream: loops,
// listeners, logs, the admin listener.
const reservedDescriptors = 64

// setLimits shares the descriptors of the process out: half for clients, half for
// upstreams, unless the configuration asks for fewer.
func (e *Engine) setLimits(c *config.Config) error {
	limit, err := netpoll.RaiseDescriptorLimit()
	if err != nil {
		return err
	}
	half := max(1, (limit-reservedDescriptors)/2)
	clients := c.Limits.Connections
	if clients == 0 {
		clients = half
	}
	upstreams := c.ProxyConcurrentConns
	if upstreams > half {
		e.log.Warn("proxy_concurrent_conns lowered to what the descriptor limit allows",
			slog.Int("proxy_concurrent_conns", half), slog.Int("descriptors", limit))
		upstreams = half
	}
	e.clients = pool.NewPermits(int64(clients))
	e.upstreams = pool.NewPermits(int64(upstreams))
	e.stats.SetGlobalLimit(int64(upstreams))
	return nil
}

// takeUpstreamPermit counts one more upstream connection. At the limit it gives up the
// idle connection of w that has waited longest on its endpoint.
func (e *Engine) takeUpstreamPermit(w *worker) bool {
	if e.upstreams.TryAcquire() {
		return true
	}
	for _, c := range e.current.Load().clusters {
		for _, ep := range c.endpoints {
			if ep == nil || ep.address.Unix != "" {
				continue
			}
			if oldest := ep.state.idle[w.id].Oldest(); oldest != nil {
				oldest.Value.close()
				return e.upstreams.TryAcquire()
			}
		}
	}
	return false
}
