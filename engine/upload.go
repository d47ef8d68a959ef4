package engine

import (
	"errors"

	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// pumpRequest reads the request body and relays it, as long as the endpoint takes it.
func (x *exchange) pumpRequest() {
	d, u := x.d, x.up
	if u == nil {
		d.watch() // not connected yet: the body waits where it is
		return
	}
	for range readsPerTurn {
		if u.conn.Queued() > highMark {
			x.pauseRequest()
			return
		}
		if len(d.in.bytes) == 0 {
			n, err := d.conn.Read(x.w.loop.ReadBuffer()[:largestRead])
			switch {
			case errors.Is(err, netpoll.ErrWait):
				d.rearm()
				u.rearm()
				return
			case err != nil:
				x.uploadEnded(err)
				return
			}
			d.in.add(&x.w.inputs, x.w.loop.ReadBuffer()[:n])
		}
		x.relayRequest(x.w.out[:0], d.in.bytes)
		if d.x != x || x.up != u {
			return
		}
		u.rearm()
		if x.reqDone {
			d.in.keep(&x.w.inputs)
			d.rearm()
			return
		}
	}
	d.rearm()
	d.again()
}

// pauseRequest waits for the endpoint. The client is not read meanwhile, but it may leave.
func (x *exchange) pauseRequest() {
	if x.d.conn.Reset() != nil {
		x.clientGone()
		return
	}
	x.reqPaused = true
	x.d.rearm()
}

// resumeRequest goes on with a request that the endpoint had kept waiting, whose client's time
// begins now.
func (x *exchange) resumeRequest() {
	if x.reqPaused {
		x.reqPaused = false
		x.heard = x.w.loop.Now()
	}
	x.pumpRequest()
}

// uploadEnded handles the end of the client's bytes inside a body: the request will never
// be whole, so its endpoint must not take it for one (RFC 9112, 8).
func (x *exchange) uploadEnded(err error) {
	d := x.d
	if d.conn.Reset() != nil || !errors.Is(err, errEOF) {
		x.clientGone()
		return
	}
	if x.replied {
		x.reqCut = true // an answer on its way may have been reason enough not to go on
		d.rearm()
		return
	}
	x.dropUpstream(abandoned)
	x.lastAnswer = true
	x.fail(failure{status: 400, reason: reasonBodyError, kind: stats.ClientClosed, err: err})
}

// relayRequest sends the bytes p of the body behind head, which may be empty, and drops
// from the input what it used.
func (x *exchange) relayRequest(head, p []byte) {
	now := x.w.loop.Now()
	x.stalled = x.stalled || now-x.heard >= min(stallLimit, x.d.settings.bodyIdle/2)
	x.heard = now
	body, used, done := p, len(p), false
	if x.req.Body == h1.BodyChunked {
		var bad *h1.Error
		body, used, done, bad = x.reqChunks.Decode(p)
		if bad != nil {
			x.dropUpstream(abandoned)
			x.lastAnswer = true
			x.fail(failure{status: bad.Status, reason: reasonBodyError, kind: stats.BadRequest, err: bad})
			return
		}
	} else {
		if int64(len(p)) >= x.reqLeft {
			used, done = int(x.reqLeft), true
			body = p[:used]
		}
		x.reqLeft -= int64(used)
	}
	x.reqSeen += int64(len(body))
	if limit := x.d.settings.bodyBytes; limit > 0 && x.reqSeen > limit {
		x.dropUpstream(abandoned)
		x.fail(failure{status: 413, reason: reasonBodyTooLarge, kind: stats.BodyTooLarge})
		return
	}
	x.sendRequestBody(head, body, done)
	x.d.in.use(used)
	x.reqDone = done
}

// sendRequestBody writes head and a piece of the body to the endpoint, in the framing that
// the client chose.
func (x *exchange) sendRequestBody(head, body []byte, done bool) {
	tail := x.w.tail[:0]
	start := len(head)
	if x.req.Body == h1.BodyChunked {
		if len(body) > 0 {
			head = h1.AppendChunkSize(head, len(body))
			tail = append(tail, "\r\n"...)
		}
		if done {
			tail = append(tail, "0\r\n"...)
			tail = x.req.AppendTrailers(tail, x.reqChunks.Trailer())
			tail = append(tail, "\r\n"...)
		}
		x.w.tail = tail
	}
	x.remember(head[start:], body, tail)
	if len(body)+len(tail) <= gatherLimit {
		head = append(append(head, body...), tail...)
		body, tail = nil, nil
	}
	x.w.out = head
	x.sendUpstream(head, body, tail)
}

// remember keeps what was sent of a body, while it is short and the request could be sent
// again.
func (x *exchange) remember(size, body, tail []byte) {
	if !x.replayable {
		return
	}
	n := len(size) + len(body) + len(tail)
	if !x.idempotent() || x.replied || len(x.replay)+n > replayLimit {
		x.replayable = n == 0 && x.replayable
		x.replay = x.replay[:0]
		return
	}
	x.replay = append(append(append(x.replay, size...), body...), tail...)
}
