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
}

// attempt picks an endpoint that was not tried yet. Without one the exchange ends as
// otherwise says.
func (x *exchange) attempt(otherwise failure) {
	ep := x.cluster.pickers[x.w.id].Pick(&x.tried)
	if ep == nil {
		x.fail(otherwise)
		return
	}
	x.ep = x.cluster.endpoints[ep.Index()]
	x.lastTried = x.ep
	x.tried.Add(ep)
	x.triesSame = 0
	if x.retries > 0 {
		x.ep.stats.Retry(x.w.id, methodOf(&x.req), false)
	}
	x.ep.stats.Inc(x.w.id, stats.Selected)
	x.connect(true)
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

// startDial dials, if the process may have another upstream connection. Connections to
// unix sockets are not counted.
func (x *exchange) startDial() {
	if x.ep.address.Unix == "" && !x.w.engine.takeUpstreamPermit(x.w) {
		x.releaseEndpoint(abandoned)
		x.fail(failure{status: 503, reason: reasonOverloaded, kind: stats.Overloaded})
		return
	}
	x.dial.x = x
	x.dial.at = x.w.loop.Now()
	x.dial.dial = x.w.loop.Dial(x.ep.address, asDuration(x.ep.connectTimeout), &x.dial)
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
	x.trail.reused = u.requests > 0
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
		x.releaseEndpoint(blame(f.err))
		x.clientGone()
		return
	}
	x.sent = false
	switch try {
	case freshConnection:
		x.staleTried = true
		x.ep.stats.Inc(x.w.id, stats.StaleRetries)
		x.connect(false)
	case sameEndpoint:
		x.triesSame++
		x.trail.sameTries++
		x.retries++
		x.ep.stats.Failed(x.w.id)
		x.ep.stats.Retry(x.w.id, methodOf(&x.req), true)
		x.connect(false)
	case otherEndpoint:
		x.releaseEndpoint(faulted)
		x.retries++
		x.attempt(f)
	default:
		x.releaseEndpoint(blame(f.err))
		x.fail(f)
	}
}

// blame is how the endpoint comes out of an attempt that failed for err: a lack of
// descriptors or ports is our own.
func blame(err error) lb.Result {
	if isShortage(err) {
		return abandoned
	}
	return faulted
}

// giveUpUpstream closes the connection of the attempt at hand, if there is one.
func (x *exchange) giveUpUpstream() {
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

// releaseEndpoint tells the endpoint how the attempt ended, once.
func (x *exchange) releaseEndpoint(r lb.Result) {
	if x.ep != nil {
		if r == faulted {
			x.ep.stats.Failed(x.w.id)
		}
		x.ep.balance.Finish(r)
		x.ep = nil
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
