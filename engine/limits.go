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
	if most := max(1, descriptors-reservedDescriptors-upstreams); clients > most {
		e.log.Warn("limits.connections lowered to what the descriptor limit allows",
			slog.Int("limits.connections", most), slog.Int("descriptors", descriptors))
		clients = most
	}
	return limits{int64(clients), int64(upstreams)}, nil
}

// Of those who wait for one of n connections, most are there for nothing if there are
// many: more than this are turned away.
const (
	fewWaiters          = 1024
	waitersByConnection = 16
)

// newQueue is a queue for one of limit connections; 0 is no limit.
func newQueue(limit int64) *pool.Queue {
	q := new(pool.Queue)
	q.SetMax(fewWaiters + waitersByConnection*limit)
	return q
}
