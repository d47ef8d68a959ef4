package stats

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// None is the route, and the cluster, of a request that has none.
const None = "none"

// A Registry holds the series of one process. Its methods are safe for
// concurrent use.
type Registry struct {
	workers      int
	workerLabels []string // worker="0", ...
	sheets       []Sheet

	globalLimit atomic.Int64
	dns         atomic.Pointer[func() DNS] // nil = no names are looked up
	beacons     atomic.Pointer[func() Beacons]
	config      configState

	mu        sync.Mutex
	build     string // labels of millrace_build_info, empty before SetBuild
	routes    held[routeKey, *Route]
	endpoints held[EndpointLabels, *Endpoint]
	series    held[EndpointLabels, *endpointSeries] // of the endpoints
	listeners held[string, *Listener]
}

// New returns a registry for the given number of workers (at least 1), which
// are called 0 to workers-1.
func New(workers int) *Registry {
	workers = max(workers, 1)
	r := &Registry{
		workers:   workers,
		sheets:    make([]Sheet, workers),
		routes:    held[routeKey, *Route]{},
		endpoints: held[EndpointLabels, *Endpoint]{},
		series:    held[EndpointLabels, *endpointSeries]{},
		listeners: held[string, *Listener]{},
	}
	for w := range workers {
		r.workerLabels = append(r.workerLabels, label("worker", strconv.Itoa(w)))
	}
	return r
}

// Workers is the number of workers the registry was made for.
func (r *Registry) Workers() int { return r.workers }

// SetBuild sets the labels of millrace_build_info.
func (r *Registry) SetBuild(version, goVersion, commit string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.build = labels("version", version, "go", goVersion, "commit", commit)
}

// SetGlobalLimit sets the largest number of upstream connections of the
// process.
func (r *Registry) SetGlobalLimit(connections int64) { r.globalLimit.Store(connections) }

// held are the handles of one kind with the number of their holders.
type held[K comparable, H comparable] map[K]*holding[H]

type holding[H comparable] struct {
	handle  H
	holders int
}

// acquire returns the handle of k, made if there is none, and counts a holder.
func (h held[K, H]) acquire(k K, make func() H) H {
	e := h[k]
	if e == nil {
		e = &holding[H]{handle: make()}
		h[k] = e
	}
	e.holders++
	return e.handle
}

// release gives up one holder of handle and reports whether it was the last. A
// handle that is not the current one of k is left alone.
func (h held[K, H]) release(k K, handle H) (last bool) {
	e := h[k]
	if e == nil || e.handle != handle {
		return false
	}
	if e.holders--; e.holders > 0 {
		return false
	}
	delete(h, k)
	return true
}

// sorted returns the handles in the order of their labels.
func (h held[K, H]) sorted(by func(H) string) []H {
	out := make([]H, 0, len(h))
	for _, e := range h {
		out = append(out, e.handle)
	}
	slices.SortFunc(out, func(a, b H) int { return cmp.Compare(by(a), by(b)) })
	return out
}
