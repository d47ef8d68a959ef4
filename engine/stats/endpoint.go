package stats

import "sync/atomic"

// An EndpointCounter is a counter of one endpoint. The number of idle and of
// busy connections follows from the five that tell of a connection: Opened,
// then Reused and Parked in turn, then ClosedIdle or ClosedBusy.
type EndpointCounter uint8

const (
	Selected          EndpointCounter = iota // picks by the balancer
	Reused                                   // an idle connection was taken
	Parked                                   // a busy connection became idle
	ClosedIdle                               // an idle connection was closed
	ClosedBusy                               // a busy connection was closed
	StaleRetries                             // a reused connection was closed by the other side and the request sent on a fresh one
	UpstreamTruncated                        // answers that ended before their Content-Length
	TLSHandshakeFailures
	PoolWaits            // requests that had to wait for a connection
	ExcludedCircuitOpen  // passed over in a pick: its circuit is open
	ExcludedAlreadyTried // passed over in a pick: this request tried it before
	ExcludedOverloaded   // passed over in a pick: it is at its limit
	endpointCounterCount
)

// EndpointLabels name the series of an endpoint. Endpoints with equal labels
// share them: counts add up, gauges show the largest.
type EndpointLabels struct {
	Cluster  string // name of the cluster
	URL      string // canonical origin
	UnixPath string // empty without a socket
}

// text is the labels as they are written.
func (l EndpointLabels) text() string {
	if l.UnixPath == "" {
		return labels("cluster", l.Cluster, "backend_url", l.URL)
	}
	return labels("cluster", l.Cluster, "backend_url", l.URL, "backend_unix_path", l.UnixPath)
}

// An Endpoint counts what happens with one endpoint, per worker.
type Endpoint struct {
	registry *Registry
	key      EndpointLabels
	labels   string
	workers  []endpointSheet
	attempts []attempts
	retries  []atomic.Pointer[retries]

	lastRetry [methodCount]atomic.Int32
	gauges    [endpointGaugeCount][]*gauge // guarded by registry.mu
}

// An endpointSheet is one worker's block. It has no pointers, so that the
// allocator keeps it on whole cache lines.
type endpointSheet struct {
	counters [endpointCounterCount]atomic.Int64
	connect  histogram
	wait     histogram
	_        [16]byte
}

// attempts are one worker's attempts that were answered.
type attempts struct{ fresh, reused outcomes }

// Endpoint returns the handle for the labels. The caller owes one Release.
func (r *Registry) Endpoint(l EndpointLabels) *Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := EndpointLabels{Cluster: valid(l.Cluster), URL: valid(l.URL), UnixPath: valid(l.UnixPath)}
	return r.endpoints.acquire(key, func() *Endpoint {
		return &Endpoint{
			registry: r,
			key:      key,
			labels:   key.text(),
			workers:  make([]endpointSheet, r.workers),
			attempts: make([]attempts, r.workers),
			retries:  make([]atomic.Pointer[retries], r.workers),
		}
	})
}

// Release gives the handle back. The series go with the last holder.
func (e *Endpoint) Release() {
	e.registry.mu.Lock()
	defer e.registry.mu.Unlock()
	e.registry.endpoints.release(e.key, e)
}

// Inc adds 1 to c.
func (e *Endpoint) Inc(worker int, c EndpointCounter) { e.workers[worker].counters[c].Add(1) }

// Opened counts a connection that was established, and is busy, in ns
// nanoseconds, TLS included.
func (e *Endpoint) Opened(worker int, ns int64) {
	e.workers[worker].connect.observe(&requestScale, ns)
}

// Waited counts the end of a wait for a connection, whatever came of it, after
// ns nanoseconds.
func (e *Endpoint) Waited(worker int, ns int64) { e.workers[worker].wait.observe(&waitScale, ns) }

// An Answer is what an attempt got from its endpoint.
type Answer struct {
	Status int
	Reused bool  // on a connection that had served before
	TTFB   int64 // nanoseconds from the request sent to the first byte, below 0 if not measured
}

// Answered counts an attempt that got the head of a final response, once.
func (e *Endpoint) Answered(worker int, a Answer) {
	of := &e.attempts[worker]
	if a.Reused {
		of.reused.observe(a.Status, a.TTFB)
		return
	}
	of.fresh.observe(a.Status, a.TTFB)
}

func (e *Endpoint) total(c EndpointCounter) int64 {
	var n int64
	for w := range e.workers {
		n += e.workers[w].counters[c].Load()
	}
	return n
}

// opened is the number of connections that were established.
func (e *Endpoint) opened() int64 {
	var n int64
	for w := range e.workers {
		n += e.workers[w].connect.count()
	}
	return n
}

// pooled returns a worker's idle and busy connections. Between two loads the
// worker may have gone on, so a difference can be off by what it did meanwhile.
func (e *Endpoint) pooled(worker int) (idle, busy int64) {
	s := &e.workers[worker]
	parked, reused := s.counters[Parked].Load(), s.counters[Reused].Load()
	idle = parked - reused - s.counters[ClosedIdle].Load()
	busy = s.connect.count() + reused - parked - s.counters[ClosedBusy].Load()
	return max(idle, 0), max(busy, 0)
}

func (e *Endpoint) sum(of func(*endpointSheet) *histogram) times {
	var t times
	for w := range e.workers {
		t.add(of(&e.workers[w]))
	}
	return t
}

// statuses returns the answered attempts on fresh or on reused connections.
func (e *Endpoint) statuses(reused bool) statusTotals {
	var t statusTotals
	for w := range e.attempts {
		if reused {
			e.attempts[w].reused.addTo(&t)
		} else {
			e.attempts[w].fresh.addTo(&t)
		}
	}
	return t
}

func (e *Endpoint) firstBytes() times {
	var t times
	for w := range e.attempts {
		e.attempts[w].fresh.addTimes(&t)
		e.attempts[w].reused.addTimes(&t)
	}
	return t
}
