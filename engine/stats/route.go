package stats

type routeKey struct{ route, cluster string }

// A Route counts the inbound requests of one route, per worker.
type Route struct {
	registry *Registry
	key      routeKey
	labels   string
	workers  []outcomes
}

// Route returns the handle of a route with its cluster, both by the names of
// the configuration or None. The caller owes one Release.
func (r *Registry) Route(route, cluster string) *Route {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := routeKey{valid(route), valid(cluster)}
	return r.routes.acquire(key, func() *Route {
		return &Route{
			registry: r,
			key:      key,
			labels:   labels("route", key.route, "cluster", key.cluster),
			workers:  make([]outcomes, r.workers),
		}
	})
}

// Release gives the handle back. The series go with the last holder.
func (rt *Route) Release() {
	rt.registry.mu.Lock()
	defer rt.registry.mu.Unlock()
	rt.registry.routes.release(rt.key, rt)
}

// Observe counts a request at its end. ns is the time from its complete head to
// the head of its answer, in nanoseconds; below 0 there was none.
func (rt *Route) Observe(worker, status int, ns int64) { rt.workers[worker].observe(status, ns) }

func (rt *Route) statuses() statusTotals {
	var t statusTotals
	for w := range rt.workers {
		rt.workers[w].addTo(&t)
	}
	return t
}

func (rt *Route) durations() times {
	var t times
	for w := range rt.workers {
		rt.workers[w].addTimes(&t)
	}
	return t
}
