package engine

import (
	"millrace/engine/h1"
	"millrace/engine/route"
	"millrace/engine/stats"
	"millrace/lb"
)

// An exchange is one request and its answer. It is taken from its worker when a head is
// complete and given back in finish. Only its loop touches it.
type exchange struct {
	w        *worker
	nextFree *exchange
	d        *downstream
	snap     *snapshot

	// The request.
	raw        []byte // its head; req points into it
	req        h1.Request
	target     *target
	cluster    *cluster
	prefix     string     // matched by the route
	stripped   []byte     // the path without it, if the route strips it
	id         uint64     // of the request; 0 = none was needed yet
	began      int64      // loop time of the complete head, ns
	heard      int64      // loop time of the last byte of the body, ns
	reqLeft    int64      // of a body of known length, not relayed yet
	reqSeen    int64      // bytes of the body relayed so far
	reqChunks  h1.Chunked // of a chunked body
	reqDone    bool       // the whole request was relayed
	halfClosed bool       // the client's end of stream came before a connection was there
	reqCut     bool       // the rest of the request will not come
	reqPaused  bool       // the client is not read, since the endpoint is slow

	// The attempt at hand, and those before it.
	ep         *endpoint
	up         *upstream
	dial       dialling
	att        lb.Attempt
	pickedAt   int64 // loop time at which the attempt began, ns
	waiter     *waiter
	own        bool    // a permit of the endpoint is held for a dial
	shared     bool    // a permit of the process is held for a dial
	otherwise  failure // how the exchange ends if there is no endpoint left
	retrying   bool    // the pick at hand is for a retry
	tie        tie     // to the endpoint that the client had before
	stalled    bool    // the client once held its upload up for so long that a failure proves nothing
	slow       bool    // the client once did not take its answer
	tried      lb.Tried
	lastTried  *endpoint
	triesSame  int  // on the endpoint at hand
	retries    int  // all attempts but the first; stale connections do not count
	sent       bool // a byte of the request may have reached the endpoint
	staleTried bool // a request on a stale connection was sent again
	replay     []byte
	replayable bool // replay holds all of the body that was relayed

	// The answer.
	status     int // of the head that went to the client; 0 = none yet
	respBody   h1.BodyKind
	respLeft   int64
	respSeen   int64 // bytes of its body so far
	respChunks h1.Chunked
	respReuse  bool // the endpoint's connection may serve again after it
	noTrailers bool // its trailers stay here, since the head's Connection may name some of them
	tied       bool // the endpoint's connection may know who this client is: it serves nobody else
	interim    int  // 1xx heads so far
	continued  bool // a 100 came
	replied    bool // the head went to the client
	rechunk    bool // the client gets the body in chunks of our own
	respPaused bool // the endpoint is not read, since the client is slow
	lastAnswer bool // the client's connection ends after it
	headTime   int64
	trail      accessTrail
	tunnel     bool
	clientDone bool // of a tunnel: the client's end of stream was relayed
	serverDone bool // of a tunnel: the endpoint's end of stream was relayed
	readSize   int  // of the next read for the answer
}

// blank readies x for another request. The memory of its buffers stays, unless it grew
// beyond the ordinary.
func (x *exchange) blank() {
	raw, fields, replay, stripped := x.raw[:0], x.req.Fields[:0], x.replay[:0], x.stripped[:0]
	if cap(raw) > headRead {
		raw, stripped = nil, nil // a path is a part of a head
	}
	x.tried.Reset()
	x.reqChunks.Reset()
	x.respChunks.Reset()
	*x = exchange{
		w: x.w, raw: raw, replay: replay, stripped: stripped, tried: x.tried,
		reqChunks: x.reqChunks, respChunks: x.respChunks,
	}
	x.req.Fields = fields
}

// begin takes a parsed request through the gates and sends it on its way.
func (x *exchange) begin() {
	if x.req.MethodID == h1.MethodConnect {
		x.lastAnswer = true
		x.fail(failure{status: 501, reason: reasonNoConnect, kind: stats.BadRequest})
		return
	}
	path := x.req.Path
	if x.req.Form == h1.AsteriskForm {
		path = rootPath // OPTIONS * asks the whole of a host (RFC 9110, 9.3.7)
	}
	m, verdict := x.snap.table.Find(x.d.listener.sockets.id, x.req.Host, path, &x.w.scratch)
	switch verdict {
	case route.BadPath:
		x.fail(failure{status: 400, reason: reasonBadPath, kind: stats.BadRequest})
		return
	case route.NoRoute:
		x.fail(failure{status: 404, reason: reasonNoRoute, kind: stats.NoRoute})
		return
	}
	x.target, x.prefix = m.Value, m.Prefix
	x.cluster = x.snap.clusterOf(x.target)
	x.heard = x.began
	if limit := x.d.settings.bodyBytes; limit > 0 && x.req.Length > limit {
		x.fail(failure{status: 413, reason: reasonBodyTooLarge, kind: stats.BodyTooLarge})
		return
	}
	switch {
	case x.cluster == nil:
		x.answerLocal()
	case x.target.stripPrefix && x.req.Form != h1.AsteriskForm && !x.strip():
		x.fail(failure{status: 400, reason: reasonBadPath, kind: stats.BadRequest})
	default:
		x.proxy()
	}
}

var rootPath = []byte("/")

// strip makes the path that is forwarded. It returns false when what is left is unsafe.
func (x *exchange) strip() bool {
	rest, ok := route.Strip(x.prefix, x.req.Path, &x.w.scratch)
	x.stripped = append(x.stripped[:0], rest...)
	return ok
}

// proxy starts the first attempt.
func (x *exchange) proxy() {
	x.reqLeft = x.req.Length
	x.reqDone = x.req.Body == h1.BodyNone || x.req.Body == h1.BodyLength && x.req.Length == 0
	x.replayable = true
	x.findTie()
	x.attempt(failure{status: 503, reason: reasonUnavailable, kind: stats.NoEndpoint})
}

// idempotent reports whether the request may be sent twice (RFC 9110, 9.2.2).
func (x *exchange) idempotent() bool {
	switch x.req.MethodID {
	case h1.MethodGet, h1.MethodHead, h1.MethodOptions, h1.MethodTrace, h1.MethodPut, h1.MethodDelete:
		return true
	}
	return false
}

// wantsBody reports whether bytes of the client belong to this request.
func (x *exchange) wantsBody() bool { return !x.reqDone && !x.reqCut && x.cluster != nil }

// waitsForClient reports whether the next step of the upload is the client's.
func (x *exchange) waitsForClient() bool { return x.up != nil && x.up.conn.Queued() <= highMark }

// refuse answers a request that could not be read. What follows it on the connection
// cannot be told apart from it, so nothing of that is read (RFC 9112, 11.2).
func (x *exchange) refuse(err *h1.Error) {
	x.lastAnswer = true
	x.fail(failure{status: err.Status, reason: err.Reason, kind: stats.BadRequest})
}

// fail ends the exchange with an answer of our own, or with the connection if an answer
// has begun.
func (x *exchange) fail(f failure) {
	x.dropUpstream(abandoned)
	x.trail.fail(f.kind)
	x.w.engine.events.failed(x, f)
	if x.cluster != nil && x.status == 0 {
		x.w.sheet.Failure(f.kind, f.status)
	}
	if x.replied {
		x.cut()
		return
	}
	x.answer(f.status, x.explain(f))
}

// clientGone ends an exchange that nobody waits for any more. An answer that has begun ends
// with a reset: a client that only stood still must not take what it got for the whole.
func (x *exchange) clientGone() {
	x.trail.fail(stats.ClientClosed)
	x.abandon(statusClientGone)
}

// abandon ends an exchange together with its connection. status is what is counted if no
// answer has begun.
func (x *exchange) abandon(status int) {
	x.dropUpstream(abandoned)
	if x.status == 0 {
		x.status = status
	}
	d, begun := x.d, x.replied
	x.finish()
	if begun {
		d.abort()
	} else {
		d.close()
	}
}

// finish counts the exchange and gives it back. The client's connection is free for the
// next one, or for being closed.
func (x *exchange) finish() {
	w, d := x.w, x.d
	ns := int64(-1)
	if x.headTime != 0 {
		ns = x.headTime - x.began
	}
	counted, route := w.engine.refused, stats.None
	if x.target != nil {
		counted, route = x.target.stats, x.target.name
	}
	counted.Observe(w.id, x.status, ns)
	if x.retries > 0 {
		x.lastTried.stats.RetryFinal(w.id, methodOf(&x.req), x.status < 500)
	}
	w.access.ended(x, &x.trail, route)
	d.x = nil
	w.putExchange(x)
}

// done ends an exchange whose answer is with the client, or queued for it.
func (x *exchange) done() {
	d := x.d
	whole := x.reqDone
	last := x.lastAnswer || !whole || d.leaving()
	x.finish()
	switch {
	case !last:
		d.idle()
	default:
		d.end(!whole || len(d.in.bytes) > 0 || d.conn.Readable())
	}
}
