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
	// Weight is the share relative to the others of the tier. Below 1 the endpoint gets nothing.
	Weight int
	// Priority names the tier. The lowest tier with an endpoint left is used.
	Priority int
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
	weight           atomic.Int64 // for display; picks read the tier's

	_      [64]byte // active is written for each attempt by every worker
	active atomic.Int64
	_      [56]byte
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

// Weight returns the weight that the newest Cluster with e gives it, between 0 and MaxWeight.
// Picks do not use it: they go by the Cluster of their Picker.
func (e *Endpoint) Weight() int { return int(e.weight.Load()) }

// Active returns how many attempts of all workers are running on e.
func (e *Endpoint) Active() int64 { return e.active.Load() }

// A Result is how an attempt ended, as far as its endpoint is concerned.
type Result uint8

const (
	// Success is an answer, whatever its status.
	Success Result = iota
	// Failure is the endpoint's fault: no connection, a reset, a malformed or late answer.
	Failure
	// Abandon proves nothing about the endpoint: the client left, stalled or sent a broken body.
	Abandon
)

// Finish ends an attempt that Pick began. It is called exactly once for each Pick that
// returned e, by any goroutine.
func (e *Endpoint) Finish(Result) { e.active.Add(-1) }
