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
	PoolWaits       // requests that had to wait for a connection
	CheckPassed     // active checks that passed
	CheckFailed     // active checks that failed
	MarkedUnhealthy // verdicts of the active checks that it is down
	RetriesRefused  // retries that the budget refused after a failure here
	endpointCounterCount
)

// EndpointLabels name an endpoint and its series. Endpoints that differ in
// nothing but their ID share the series: counts add up, gauges show the
// largest.
type EndpointLabels struct {
	Cluster    string // name of the cluster
	URL        string // canonical origin
	UnixPath   string // empty without a socket
	ResolvedIP string // empty unless addresses are told (metrics_resolved_ip)
	DNSStatus  string // the same: resolved, nxdomain, dns_error, logical_dns or static
	ID         string // tells endpoints of one URL apart; no label, may be left empty
}

// series is what the series of an endpoint are known by.
func (l EndpointLabels) series() EndpointLabels {
	return EndpointLabels{
		Cluster: valid(l.Cluster), URL: valid(l.URL), UnixPath: valid(l.UnixPath),
		ResolvedIP: valid(l.ResolvedIP), DNSStatus: valid(l.DNSStatus),
	}
}

// text is the labels as they are written.
func (l EndpointLabels) text() string {
	pairs := []string{"cluster", l.Cluster, "backend_url", l.URL}
	for _, optional := range [...][2]string{
		{"backend_unix_path", l.UnixPath}, {"backend_resolved_ip", l.ResolvedIP}, {"dns_status", l.DNSStatus},
	} {
		if optional[1] != "" {
			pairs = append(pairs, optional[0], optional[1])
		}
	}
	return labels(pairs...)
}

// An Endpoint counts what happens with one endpoint, per worker: for its
// series, and the ends of attempts for itself as well.
type Endpoint struct {
	*endpointSeries
	key EndpointLabels
	own []ends
}

// endpointSeries are the series of the endpoints with the same labels. They
// stay when one of several leaves, since a counter never falls.
type endpointSeries struct {
	registry *Registry
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
	check    histogram
}

// attempts are one worker's attempts that were answered.
type attempts struct{ fresh, reused outcomes }

// ends are how one worker's attempts on one endpoint ended, on a cache line.
type ends struct {
	answered, failed atomic.Int64
	_                [48]byte
}

// Endpoint returns the handle for the labels. The caller owes one Release.
func (r *Registry) Endpoint(l EndpointLabels) *Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := l.series()
	key.ID = l.ID
	return r.endpoints.acquire(key, func() *Endpoint {
		return &Endpoint{endpointSeries: r.seriesOf(l.series()), key: key, own: make([]ends, r.workers)}
	})
}

// seriesOf returns the series with the labels, for one more endpoint. It is
// called with mu held.
func (r *Registry) seriesOf(l EndpointLabels) *endpointSeries {
	return r.series.acquire(l, func() *endpointSeries {
		return &endpointSeries{
			registry: r,
			labels:   l.text(),
			workers:  make([]endpointSheet, r.workers),
			attempts: make([]attempts, r.workers),
			retries:  make([]atomic.Pointer[retries], r.workers),
		}
	})
}

// Release gives the handle back. The series go with the last holder of the last
// endpoint that shares them.
func (e *Endpoint) Release() {
	r := e.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.endpoints.release(e.key, e) {
		r.series.release(e.key.series(), e.endpointSeries)
	}
}

// Inc adds 1 to c.
func (e *endpointSeries) Inc(worker int, c EndpointCounter) { e.workers[worker].counters[c].Add(1) }

// Opened counts a connection that was established, and is busy, in ns
// nanoseconds, TLS included.
func (e *endpointSeries) Opened(worker int, ns int64) {
	e.workers[worker].connect.observe(&requestScale, ns)
}

// Waited counts the end of a wait for a connection, whatever came of it, after
// ns nanoseconds.
func (e *endpointSeries) Waited(worker int, ns int64) { e.workers[worker].wait.observe(&waitScale, ns) }

// Checked counts an active check that took ns nanoseconds.
func (e *endpointSeries) Checked(passed bool, ns int64) {
	s := &e.workers[0] // probes belong to no worker
	s.check.observe(&requestScale, ns)
	if passed {
		s.counters[CheckPassed].Add(1)
	} else {
		s.counters[CheckFailed].Add(1)
	}
}

// An Answer is what an attempt got from its endpoint.
type Answer struct {
	Status int
	Reused bool  // on a connection that had served before
	TTFB   int64 // nanoseconds from the request sent to the first byte, below 0 if not measured
}

// Answered counts an attempt that got the head of a final response, once.
func (e *Endpoint) Answered(worker int, a Answer) {
	e.own[worker].answered.Add(1)
	of := &e.attempts[worker]
	if a.Reused {
		of.reused.observe(a.Status, a.TTFB)
		return
	}
	of.fresh.observe(a.Status, a.TTFB)
}

// Failed counts an attempt that failed by the endpoint's fault, once: there was
// no connection, or it was lost, or the answer was malformed or late. An
// attempt that was answered may still fail.
func (e *Endpoint) Failed(worker int) { e.own[worker].failed.Add(1) }

// Answers is how many attempts on this endpoint got the head of a final
// response since the first holder came.
func (e *Endpoint) Answers() int64 {
	var n int64
	for w := range e.own {
		n += e.own[w].answered.Load()
	}
	return n
}

// Failures is how many attempts on this endpoint failed by its fault since the
// first holder came.
func (e *Endpoint) Failures() int64 {
	var n int64
	for w := range e.own {
		n += e.own[w].failed.Load()
	}
	return n
}

func (e *endpointSeries) total(c EndpointCounter) int64 {
	var n int64
	for w := range e.workers {
		n += e.workers[w].counters[c].Load()
	}
	return n
}

// opened is the number of connections that were established.
func (e *endpointSeries) opened() int64 {
	var n int64
	for w := range e.workers {
		n += e.workers[w].connect.count()
	}
	return n
}

// pooled returns a worker's idle and busy connections. Between two loads the
// worker may have gone on, so a difference can be off by what it did meanwhile.
func (e *endpointSeries) pooled(worker int) (idle, busy int64) {
	s := &e.workers[worker]
	parked, reused := s.counters[Parked].Load(), s.counters[Reused].Load()
	idle = parked - reused - s.counters[ClosedIdle].Load()
	busy = s.connect.count() + reused - parked - s.counters[ClosedBusy].Load()
	return max(idle, 0), max(busy, 0)
}

func (e *endpointSeries) sum(of func(*endpointSheet) *histogram) times {
	var t times
	for w := range e.workers {
		t.add(of(&e.workers[w]))
	}
	return t
}

// statuses returns the answered attempts on fresh or on reused connections.
func (e *endpointSeries) statuses(reused bool) statusTotals {
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

func (e *endpointSeries) firstBytes() times {
	var t times
	for w := range e.attempts {
		e.attempts[w].fresh.addTimes(&t)
		e.attempts[w].reused.addTimes(&t)
	}
	return t
}
