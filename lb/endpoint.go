package lb

import "sync/atomic"

// MaxWeight is the largest weight of an endpoint. Larger ones count as MaxWeight.
const MaxWeight = 1_000_000

// EndpointOptions describe one endpoint.
type EndpointOptions struct {
	// ID tells the endpoint from the others of its cluster, over reloads.
	ID string
	// URL is the canonical origin, "scheme://host:port".
	URL string
	// Address is where to connect: "ip:port", or "unix:" and a path.
	Address string
	// Weight is the share relative to the others of the tier. Below 1 the endpoint gets nothing
	// but what a cookie promised.
	Weight int
	// Priority names the tier. The lowest tier with an endpoint left is used.
	Priority int
	// Capacity is the most attempts at a time; 0 = any number. With one attempt a connection it
	// is the limit of connections.
	Capacity int
}

// An Endpoint is one address of a cluster. It outlives the Cluster that it was made for: a
// Cluster that follows another shares the endpoints that stay. All methods are safe for
// concurrent use.
type Endpoint struct {
	// Ext is the engine's own. It is set before the Cluster that made the endpoint is used,
	// and not again; afterwards any worker may read it.
	Ext any

	id, url, address string
	index            int
	line             *line

	status   atomic.Uint32 // statusBits
	weight   atomic.Int64  // of the newest Cluster; picks read the tier's
	override atomic.Int64  // by SetWeight; 0 = none
	capacity atomic.Int64  // 0 = any number
	breaker  atomic.Pointer[breaker]
	excluded [reasons]atomic.Int64

	_       [64]byte // what follows is written for each attempt by every worker
	active  atomic.Int64
	latency ewma
	_       [48]byte
}

// ID returns the identity of e in its cluster.
func (e *Endpoint) ID() string { return e.id }

// URL returns the canonical origin, "scheme://host:port".
func (e *Endpoint) URL() string { return e.url }

// Address returns where to connect: "ip:port", or "unix:" and a path.
func (e *Endpoint) Address() string { return e.address }

// Index returns the position of e among the slots of its cluster. It never changes while e
// lives, whatever joins or leaves, and is below Slots of every Cluster that holds e. When no
// Cluster of the line holds e any more, its index may go to another endpoint.
func (e *Endpoint) Index() int { return e.index }

// Weight returns the weight in force, between 0 and MaxWeight: that of SetWeight, else the one
// that the newest Cluster with e gives it.
func (e *Endpoint) Weight() int {
	if w := e.override.Load(); w != 0 {
		return int(w)
	}
	return int(e.weight.Load())
}

// Active returns how many attempts of all workers are running on e.
func (e *Endpoint) Active() int64 { return e.active.Load() }

// EWMA returns the moving average of the latencies of e in nanoseconds, as it was at the last
// answer; 0 while Warming.
func (e *Endpoint) EWMA() int64 { return e.latency.last() }

// Warming reports whether no answer of e has been timed yet.
func (e *Endpoint) Warming() bool { return e.latency.last() == 0 }

// Circuit returns the state of the breaker of e; Closed when there is none.
func (e *Endpoint) Circuit() Circuit {
	if b := e.breaker.Load(); b != nil {
		return b.load().circuit()
	}
	return Closed
}

// CircuitCounts tell what happened to a circuit so far.
type CircuitCounts struct {
	Opened   int64 // transitions from closed to open
	Reopened int64 // transitions from half-open to open
	Flapping bool
}

// CircuitCounts returns what happened to the breaker of e. It takes a lock.
func (e *Endpoint) CircuitCounts() CircuitCounts {
	b := e.breaker.Load()
	if b == nil {
		return CircuitCounts{}
	}
	return CircuitCounts{
		Opened:   b.opened.Load(),
		Reopened: b.reopened.Load(),
		Flapping: b.flaps.flapping(),
	}
}

// CheckPassed takes note of an active check that e passed: if its circuit is open, the next
// request is the trial. A check that failed does nothing to the circuit.
func (e *Endpoint) CheckPassed() {
	if b := e.breaker.Load(); b != nil {
		b.checkPassed()
	}
}

// take counts an attempt active, if there is room for it.
func (e *Endpoint) take() bool {
	capacity := e.capacity.Load()
	if capacity == 0 {
		e.active.Add(1)
		return true
	}
	if e.active.Add(1) <= capacity {
		return true
	}
	e.active.Add(-1)
	return false
}

// full reports whether e has no room for another attempt.
func (e *Endpoint) full() bool {
	capacity := e.capacity.Load()
	return capacity != 0 && e.active.Load() >= capacity
}
