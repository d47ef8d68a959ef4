package lb

// A Result is how an attempt ended, as far as its endpoint is concerned.
type Result uint8

const (
	// Success is an answer, whatever its status.
	Success Result = iota
	// Failure is the endpoint's fault: no connection, a reset, a malformed or late answer.
	Failure
	// Abandon proves nothing about the endpoint: the client left, stalled or sent a broken
	// body, or the connection had gone stale while it was idle.
	Abandon
)

// An Outcome is what is known at the end of an attempt, or when its answer has begun.
type Outcome struct {
	Now    int64 // monotonic ns
	Result Result
	Status int // of the answer; 0 = unknown
	// Latency is the ns from the sent request to the head of the answer, or to the failure; 0 =
	// not measured. P2CEWMA takes an endpoint for unknown until a Success has one.
	Latency int64
}

// An Attempt is one try of an exchange on one endpoint. The zero value is none. Begin or
// BeginAt of a Picker starts it, Finish ends it; both and Report are called by the worker of
// the Picker.
type Attempt struct {
	endpoint *Endpoint // nil = none
	picker   *Picker
	breaker  *breaker // nil = none
	tier     int
	load     *loadTree // to which the end is told; nil = none
	leaf     int32
	ticket   generation
	trial    bool // it holds the trial
	judged   bool // breaker, latency and budget know of it
	faulty   bool // as a failure
}

// Endpoint returns where the attempt runs, or nil.
func (a *Attempt) Endpoint() *Endpoint { return a.endpoint }

// Trial reports whether the attempt is the trial of a half-open circuit and has no result yet.
func (a *Attempt) Trial() bool { return a.trial }

// Tier returns the tier of the endpoint, or after Full the one to wait for.
func (a *Attempt) Tier() int { return a.tier }

// Report tells, once the head of the answer has come, how the endpoint did: then the length of
// the body holds up neither breaker nor latency. It is optional, and counts once.
func (a *Attempt) Report(o *Outcome) {
	if a.endpoint == nil || a.judged {
		return
	}
	a.judged = true
	a.faulty = o.Result == Failure || o.Result == Success && a.breaker != nil && a.breaker.faulty(o)
	if o.Latency > 0 || o.Result == Failure {
		a.measure(o)
	}
	if o.Result == Success && !a.faulty {
		a.picker.deposit()
	}
	if a.breaker == nil {
		return
	}
	switch {
	case a.faulty:
		a.breaker.fail(a.ticket, o.Now)
	case !a.trial: // closed: only failures count
	case o.Result == Success:
		a.breaker.pass(a.ticket, o.Now)
	default:
		a.breaker.giveBack(a.ticket)
	}
	a.trial = false
}

// measure feeds the moving average.
func (a *Attempt) measure(o *Outcome) {
	switch o.Result {
	case Success:
		a.endpoint.latency.answered(o.Latency, o.Now)
	case Failure:
		a.endpoint.latency.failed(o.Latency, o.Now)
	}
}

// Finish ends the attempt and leaves the zero value. It has no effect on none. After a Report
// it counts only if it is a Failure and the first one.
func (a *Attempt) Finish(o *Outcome) {
	if a.endpoint == nil {
		return
	}
	a.Report(o)
	if o.Result == Failure && !a.faulty && a.breaker != nil {
		a.breaker.fail(a.ticket, o.Now)
	}
	active := a.endpoint.active.Add(-1)
	if a.load != nil {
		a.load.ended(int(a.leaf), active)
	}
	*a = Attempt{}
}
