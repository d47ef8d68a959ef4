package engine

import (
	"errors"
	"syscall"

	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/netpoll"
)

// Ends of an attempt, as its endpoint is concerned.
const (
	succeeded = lb.Success
	faulted   = lb.Failure
	abandoned = lb.Abandon
)

// dialling is a connect for an exchange.
type dialling struct {
	x    *exchange
	dial netpoll.Dial
	at   int64 // loop time of its start, ns; 0 = none is on its way

	turn     uint32 // of the address that is dialled, if the endpoint has several
	failures int    // of addresses that were dialled before
}

// attempt picks an endpoint that was not tried yet. Without one the exchange ends as
// otherwise says.
func (x *exchange) attempt(otherwise failure) {
	x.otherwise = otherwise
	if x.cluster.limited && !x.cluster.nameless && x.tried.Len() == 0 && x.cluster.turns.Len() > 0 {
		x.waitForTurn() // behind those who came first
		return
	}
	x.follow(x.pick())
}

// pick asks for an endpoint and counts the attempt there.
func (x *exchange) pick() lb.Verdict {
	now := x.w.loop.Now()
	want := lb.Want{Now: now, Tried: &x.tried, Home: x.tie.home, Key: x.tie.key, Keyed: x.tie.keyed}
	x.pickedAt = now
	return x.cluster.pickers[x.w.id].Begin(&x.att, &want)
}

// follow goes on with what came of a pick.
func (x *exchange) follow(v lb.Verdict) {
	switch v {
	case lb.Picked:
		x.begun()
	case lb.Full:
		x.waitForTurn()
	default:
		if x.cluster.nameless {
			x.waitForName()
			return
		}
		x.fail(x.otherwise)
	}
}

// begun goes on with an attempt that was picked. A retry is paid for here, when it is
// known that there is somewhere to go.
func (x *exchange) begun() {
	b := x.att.Endpoint()
	x.ep = x.cluster.endpoints[b.Index()]
	if x.retrying && !x.pay() {
		return
	}
	x.lastTried = x.ep
	x.tried.Add(b)
	x.triesSame = 0
	x.ep.stats.Inc(x.w.id, stats.Selected)
	x.connect(true)
}

// pay takes the token of a retry and counts it. Without one the exchange ends.
func (x *exchange) pay() bool {
	now := x.w.loop.Now()
	if !x.cluster.budget.Take(now) {
		x.lastTried.stats.Inc(x.w.id, stats.RetriesRefused)
		x.releaseEndpoint(abandoned)
		x.fail(failure{status: 503, reason: reasonNoBudget, kind: stats.BudgetExhausted, retryAfter: x.cluster.budget.RetryAfter(now)})
		return false
	}
	x.retries++
	x.ep.stats.Retry(x.w.id, methodOf(&x.req), x.ep == x.lastTried)
	return true
}

// connect finds a connection to the endpoint at hand: an idle one, if that is wanted and
// there is one, else a new one.
func (x *exchange) connect(reuse bool) {
	if reuse {
		if u := x.ep.take(x.w, x.idempotent()); u != nil {
			x.ep.stats.Inc(x.w.id, stats.Reused)
			x.bind(u)
			return
		}
	}
	x.startDial()
}

// startDial dials, once the endpoint and the process may have another connection.
// Connections to unix sockets count for the endpoint alone.
func (x *exchange) startDial() {
	state, e := x.ep.state, x.w.engine
	if !x.own && !x.takePermit(state.permits, state.waiting, state) {
		return
	}
	x.own = true
	if x.ep.address.Unix == "" && !x.shared && !x.takePermit(e.upstreams, e.waiting, nil) {
		return
	}
	x.own, x.shared = false, false // they are the connection's from here on
	x.dial.x = x
	x.dial.at = x.w.loop.Now()
	x.dial.turn, x.dial.failures = state.turn.Load(), 0
	x.dial.dial = x.w.loop.Dial(x.ep.next(x.dial.turn), asDuration(x.ep.connectTimeout), &x.dial)
}

// OnConnected makes an upstream of a new connection.
func (d *dialling) OnConnected(c *netpoll.Conn) {
	x := d.x
	now := x.w.loop.Now()
	x.ep.stats.Opened(x.w.id, now-d.at)
	d.at = 0
	u := &upstream{w: x.w, conn: c, ep: x.ep}
	u.entry.Value = u
	c.SetHandler(u)
	x.bind(u)
}

// OnDialError ends the attempt.
func (d *dialling) OnDialError(err error) {
	if d.again(err) {
		return
	}
	x := d.x
	d.at = 0
	x.ep.permitBack(x.w)
	x.attemptFailed(dialFailure(err))
}

// cancel gives up a connect that is on its way.
func (x *exchange) cancelDial() {
	if x.dial.at != 0 {
		x.dial.at = 0
		x.dial.dial.Cancel()
		x.ep.permitBack(x.w)
	}
}

// dialFailure is what a failed connect means.
func dialFailure(err error) failure {
	f := failure{status: 502, reason: reasonBadGateway, kind: stats.ConnectionReset, err: err}
	switch {
	case errors.Is(err, netpoll.ErrTimeout), errors.Is(err, syscall.ETIMEDOUT):
		f.status, f.reason, f.kind = 504, reasonTimeout, stats.ConnectTimeout
	case errors.Is(err, netpoll.ErrShortage):
		f.status, f.reason, f.kind = 503, reasonOverloaded, stats.DescriptorsExhausted
	case errors.Is(err, syscall.ECONNREFUSED):
		f.kind = stats.ConnectionRefused
	}
	return f
}

// bind sends the request on u.
func (x *exchange) bind(u *upstream) {
	x.up, u.x = u, x
	x.trail.attempt(u.requests > 0)
	u.ep = x.ep // as the snapshot of this exchange sees it
	u.requests++
	head := x.appendRequestHead(x.w.out[:0])
	x.w.out = head
	if len(x.replay) > 0 {
		head = append(head, x.replay...)
		x.w.out = head
	}
	x.heard = x.w.loop.Now() // until now the client was not the one waited for
	if x.wantsBody() && len(x.d.in.bytes) > 0 {
		x.relayRequest(head, x.d.in.bytes)
		if x.up != u {
			return
		}
	} else {
		x.sendUpstream(head, nil, nil)
	}
	u.rearm()
	if x.wantsBody() {
		x.pumpRequest()
	}
}

// sendUpstream writes to the endpoint. A write that fails is not the end: what the
// endpoint said before may still be read, and tells more.
func (x *exchange) sendUpstream(head, body, tail []byte) {
	var err error
	if len(body)+len(tail) == 0 {
		err = x.up.conn.Write(head)
	} else {
		err = x.up.conn.Writev(head, body, tail)
	}
	if err == nil {
		x.sent = true
		x.trail.sent(x.w.loop.Now())
	}
}

// attemptFailed ends the attempt and starts another one, if that is safe.
func (x *exchange) attemptFailed(f failure) {
	try := x.decide(f)
	x.giveUpUpstream()
	if x.halfClosed && try != noRetry {
		x.releaseEndpoint(x.blame(f.err))
		x.clientGone()
		return
	}
	x.sent = false
	switch try {
	case freshConnection:
		x.staleTried = true
		x.ep.stats.Inc(x.w.id, stats.StaleRetries)
		x.freshConnection(f)
	case sameEndpoint:
		x.retrySame(f)
	case otherEndpoint:
		x.releaseEndpoint(x.blame(f.err))
		x.retrying = true
		x.attempt(f)
	case noRetry:
		r := x.blame(f.err)
		if f.late {
			r = faulted // whatever the client did before, the endpoint had all its time since
		}
		x.releaseEndpoint(r)
		x.fail(f)
	}
}

// freshConnection goes on with the attempt whose connection was stale. The trial of a
// circuit is given back first, since it has proved nothing.
func (x *exchange) freshConnection(f failure) {
	if x.att.Trial() {
		ep := x.ep
		x.releaseEndpoint(abandoned)
		if !x.beginAt(ep) {
			x.attempt(f)
			return
		}
	}
	x.connect(false)
}

// retrySame tries the endpoint that just failed once more, if its circuit still lets it.
func (x *exchange) retrySame(f failure) {
	ep := x.ep
	x.releaseEndpoint(x.blame(f.err))
	if !x.beginAt(ep) {
		if !x.cluster.retryOther {
			x.fail(f)
			return
		}
		x.retrying = true
		x.attempt(f)
		return
	}
	if !x.pay() {
		return
	}
	x.triesSame++
	x.trail.sameTries++
	x.connect(false)
}

// beginAt begins another attempt on ep.
func (x *exchange) beginAt(ep *endpoint) bool {
	x.pickedAt = x.w.loop.Now()
	if !x.cluster.pickers[x.w.id].BeginAt(&x.att, ep.balance, x.pickedAt) {
		return false
	}
	x.ep = ep
	return true
}

// blame is how the endpoint comes out of an attempt that failed for err. A lack of
// descriptors or ports is our own; who was kept waiting by a client may give up.
func (x *exchange) blame(err error) lb.Result {
	if x.stalled || isShortage(err) {
		return abandoned
	}
	return faulted
}

// giveUpUpstream closes the connection of the attempt at hand, if there is one.
func (x *exchange) giveUpUpstream() {
	x.cancelWait()
	x.cancelDial()
	if u := x.up; u != nil {
		x.up, u.x = nil, nil
		u.close()
	}
}

// dropUpstream ends the attempt at hand for good. It has no effect when there is none.
func (x *exchange) dropUpstream(r lb.Result) {
	x.giveUpUpstream()
	x.releaseEndpoint(r)
}

// report tells the endpoint of an answer's head. The body may take its time.
func (x *exchange) report(status int, now int64) {
	o := lb.Outcome{Now: now, Result: succeeded, Status: status, Latency: x.trail.latency(now)}
	if x.stalled && status >= 502 && status <= 504 {
		o.Result = abandoned
	}
	x.att.Report(&o)
}

// releaseEndpoint tells the endpoint how the attempt ended, once, and lets the next
// exchange in that waits for room there.
func (x *exchange) releaseEndpoint(r lb.Result) {
	if x.ep == nil {
		return
	}
	o := lb.Outcome{Now: x.w.loop.Now(), Result: r}
	if r == faulted {
		x.ep.stats.Failed(x.w.id)
		o.Latency = o.Now - x.pickedAt
	}
	x.att.Finish(&o)
	x.ep = nil
	if x.cluster.turns.Len() > 0 { // a reload may have brought the limit that they wait for
		x.cluster.turns.Wake()
	}
}

// methodOf is the method as metrics know it.
func methodOf(r *h1.Request) stats.Method { return methods[r.MethodID] }

var methods = [...]stats.Method{
	h1.MethodOther:   stats.OtherMethod,
	h1.MethodGet:     stats.GET,
	h1.MethodHead:    stats.HEAD,
	h1.MethodPost:    stats.POST,
	h1.MethodPut:     stats.PUT,
	h1.MethodDelete:  stats.DELETE,
	h1.MethodOptions: stats.OPTIONS,
	h1.MethodTrace:   stats.TRACE,
	h1.MethodPatch:   stats.PATCH,
	h1.MethodConnect: stats.CONNECT,
}
