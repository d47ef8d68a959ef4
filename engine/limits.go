package engine

import (
	"log/slog"

	"millrace/engine/config"
	"millrace/netpoll"
)

// reservedDescriptors are kept for what is neither a client nor an upstream: loops,
// listeners, logs, the admin listener.
const reservedDescriptors = 64

// limits are the most connections of each kind.
type limits struct{ clients, upstreams int64 }

// limits shares the descriptors of the process out: half for clients, half for upstreams,
// unless the configuration asks for fewer.
func (e *Engine) limits(c *config.Config) (limits, error) {
	descriptors, err := netpoll.RaiseDescriptorLimit()
	if err != nil {
		return limits{}, err
	}
	half := max(1, (descriptors-reservedDescriptors)/2)
	clients := c.Limits.Connections
	if clients == 0 {
		clients = half
	}
	upstreams := c.ProxyConcurrentConns
	if upstreams > half {
		e.log.Warn("proxy_concurrent_conns lowered to what the descriptor limit allows",
			slog.Int("proxy_concurrent_conns", half), slog.Int("descriptors", descriptors))
		upstreams = half
	}
	return limits{int64(clients), int64(upstreams)}, nil
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
