package stats

import "sync/atomic"

// A Listener counts the open client connections of one listener, per worker.
type Listener struct {
	registry *Registry
	name     string
	labels   string
	workers  []listenerSheet
}

type listenerSheet struct {
	open atomic.Int64
	_    [56]byte
}

// Listener returns the handle of a listener, named as configured. The caller
// owes one Release.
func (r *Registry) Listener(name string) *Listener {
	r.mu.Lock()
	defer r.mu.Unlock()
	name = valid(name)
	return r.listeners.acquire(name, func() *Listener {
		return &Listener{registry: r, name: name, labels: labels("listener", name), workers: make([]listenerSheet, r.workers)}
	})
}

// Release gives the handle back. The series goes with the last holder; hold it
// for as long as connections of the listener are open, or they are not seen.
func (l *Listener) Release() {
	l.registry.mu.Lock()
	defer l.registry.mu.Unlock()
	l.registry.listeners.release(l.name, l)
}

// Open counts a connection that was accepted; one Closed must follow.
func (l *Listener) Open(worker int) { l.workers[worker].open.Add(1) }

// Closed counts the end of a connection.
func (l *Listener) Closed(worker int) { l.workers[worker].open.Add(-1) }

func (l *Listener) open() int64 {
	var n int64
	for w := range l.workers {
		n += l.workers[w].open.Load()
	}
	return max(n, 0)
}
