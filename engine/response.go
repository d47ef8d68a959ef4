package engine

import (
	"millrace/engine/h1"
	"millrace/engine/stats"
)

// relayResponse takes bytes of the endpoint: interim heads, the final head, the body.
func (x *exchange) relayResponse(p []byte) {
	if x.replied {
		x.relayBody(x.w.out[:0], p)
		return
	}
	u := x.up
	x.trail.heard(x.w.loop.Now())
	u.in.add(&x.w.inputs, p)
	for {
		end, scanned, bad := h1.FindResponseHead(u.in.bytes, u.scanned, &x.cluster.responseLimits)
		if bad == nil && end == 0 {
			u.scanned = scanned
			u.in.keep(&x.w.inputs)
			return
		}
		r := &x.w.response
		if bad == nil {
			bad = h1.ParseResponse(r, u.in.bytes[:end], &x.cluster.responseLimits)
		}
		if bad != nil {
			x.malformed(bad)
			return
		}
		u.scanned = 0
		u.in.use(end)
		if r.Status >= 200 || r.Status == 101 {
			x.startResponse(r)
			return
		}
		if !x.relayInterim(r) {
			return
		}
		if len(u.in.bytes) == 0 {
			u.in.release(&x.w.inputs)
			return
		}
	}
}

// malformed ends an exchange whose answer cannot be understood (RFC 9110, 15.6.3).
func (x *exchange) malformed(err error) {
	x.dropUpstream(faulted)
	x.fail(failure{status: 502, reason: reasonBadGateway, kind: stats.MalformedResponse, err: err})
}

// relayInterim passes a 1xx head on, if the client can take it (RFC 9110, 15.2).
func (x *exchange) relayInterim(r *h1.Response) bool {
	x.interim++
	if x.interim > interimLimit {
		x.malformed(errInterims)
		return false
	}
	x.up.rearm()
	if x.req.Minor == 0 || r.Status == 100 && !x.takeContinue() {
		return true
	}
	out := x.appendStatusLine(x.w.out[:0], r)
	for i := range r.Fields {
		if f := &r.Fields[i]; !f.Drop && f.ID != h1.FieldContentLength {
			out = append(out, r.Line(i)...)
		}
	}
	x.w.out = append(out, "\r\n"...)
	return x.sendClient(x.w.out, nil, nil)
}

// takeContinue reports whether the client waits for a 100, which it does once (RFC 9110,
// 10.1.1).
func (x *exchange) takeContinue() bool {
	waits := x.req.Expect && !x.continued
	x.continued = true
	return waits
}

var errInterims = &h1.Error{Status: 502, Reason: "too many interim responses"}

// startResponse relays the final head, with what is already there of the body.
func (x *exchange) startResponse(r *h1.Response) {
	now := x.w.loop.Now()
	x.headTime = now
	x.status = r.Status
	x.ep.stats.Answered(x.w.id, stats.Answer{Status: r.Status, Reused: x.trail.reused, TTFB: x.trail.ttfb()})
	x.report(r.Status, now)
	if r.Status == 101 {
		x.switchProtocol(r)
		return
	}
	if x.cluster.intercept && r.Status >= 400 {
		x.intercept(r)
		return
	}
	x.replied = true
	x.frame(r)
	x.lastAnswer = x.lastAnswer || !x.reqDone && x.wholeWith(len(x.up.in.bytes))
	head := x.appendResponseHead(x.w.out[:0], r)
	x.w.out = head
	rest := x.up.in // taken off: by the end of relayBody the exchange may be over
	x.up.in = input{}
	inputs := &x.w.inputs
	x.relayBody(head, rest.bytes)
	rest.release(inputs)
}

// frame decides how the body is delimited, for reading and for the client (RFC 9112, 6.3).
func (x *exchange) frame(r *h1.Response) {
	x.respBody = r.Body(x.req.MethodID)
	x.respLeft = r.Length
	x.noTrailers = r.NamesFields
	x.respReuse = !r.Close && r.Minor > 0 && x.respBody != h1.BodyClose && x.cluster.keepalive && !x.tied
	unsized := x.respBody == h1.BodyChunked || x.respBody == h1.BodyClose
	x.rechunk = unsized && x.req.Minor > 0
	x.lastAnswer = x.req.Close || x.d.leaving() || unsized && !x.rechunk
}

// wholeWith reports whether the answer is complete with n bytes of its body: then what is
// missing of the request cannot come any more before it.
func (x *exchange) wholeWith(n int) bool {
	return x.respBody == h1.BodyNone || x.respBody == h1.BodyLength && x.respLeft <= int64(n)
}

// relayBody sends the bytes p of the body behind head, which may be empty. It ends the
// exchange when the body is complete.
func (x *exchange) relayBody(head, p []byte) {
	body, used, done := p, len(p), false
	switch x.respBody {
	case h1.BodyNone:
		body, used, done = nil, 0, true
	case h1.BodyLength:
		if int64(len(p)) >= x.respLeft {
			used, done = int(x.respLeft), true
			body = p[:used]
		}
		x.respLeft -= int64(used)
	case h1.BodyChunked:
		var bad *h1.Error
		body, used, done, bad = x.respChunks.Decode(p)
		if bad != nil {
			x.badChunk(head, body)
			return
		}
	}
	if used < len(p) {
		x.respReuse = false // more than was announced: never the next answer (RFC 9112, 9.2)
	}
	if !x.sendBody(head, body, done) {
		return
	}
	if done {
		x.complete()
		return
	}
	x.heard = x.w.loop.Now() // an answer on its way keeps an upload alive, and the other way round
	x.up.rearm()
}

// badChunk ends an exchange with a malformed body. What came before goes to the client,
// which sees from its framing that there is no end.
func (x *exchange) badChunk(head, body []byte) {
	if x.sendBody(head, body, false) {
		x.truncated(stats.MalformedResponse)
	}
}

// sendBody writes head and a piece of the body to the client, in its framing. It returns
// false when the client is gone.
func (x *exchange) sendBody(head, body []byte, done bool) bool {
	x.respSeen += int64(len(body))
	tail := x.w.tail[:0]
	if x.rechunk {
		if len(body) > 0 {
			head = h1.AppendChunkSize(head, len(body))
			tail = append(tail, "\r\n"...)
		}
		if done {
			tail = append(tail, "0\r\n"...)
			if !x.noTrailers {
				tail = h1.AppendTrailers(tail, x.respChunks.Trailer())
			}
			tail = append(tail, "\r\n"...)
		}
		x.w.tail = tail
	}
	return x.sendClient(head, body, tail)
}

// sendClient writes to the client: one system call, and one copy where that is cheaper
// than a gathered write.
func (x *exchange) sendClient(head, body, tail []byte) bool {
	conn := x.d.conn
	var err error
	if len(body)+len(tail) <= gatherLimit {
		head = append(append(head, body...), tail...)
		x.w.out = head
		err = conn.Write(head)
	} else {
		x.w.out = head
		err = conn.Writev(head, body, tail)
	}
	if err != nil {
		x.clientGone()
		return false
	}
	if conn.Queued() > 0 {
		x.d.rearm()
	}
	return true
}

// relayEnd ends a body that its connection delimits.
func (x *exchange) relayEnd() {
	if x.sendBody(x.w.out[:0], nil, true) {
		x.complete()
	}
}

// complete ends the exchange: the whole answer is sent or queued.
func (x *exchange) complete() {
	x.leaveUpstream()
	x.done()
}

// leaveUpstream ends the attempt with an answer, and keeps its connection if that is in
// order.
func (x *exchange) leaveUpstream() {
	u := x.up
	x.up, u.x = nil, nil
	if x.respReuse && x.reqDone && u.reusable() {
		u.in.release(&x.w.inputs)
		u.park()
	} else {
		u.close()
	}
	x.releaseEndpoint(succeeded)
}

// cut ends a connection in the middle of an answer, so that the client can tell. A body
// that the connection delimits leaves a reset as the only sign (RFC 9112, 8).
func (x *exchange) cut() {
	d := x.d
	framed := x.rechunk || x.respBody == h1.BodyLength
	x.finish()
	if framed {
		d.end(false)
		return
	}
	d.abort()
}
