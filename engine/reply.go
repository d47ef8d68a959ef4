package engine

import (
	"strconv"

	"millrace/engine/h1"
)

// content is what an answer of our own says.
type content struct {
	kind       string // Content-Type
	body       string
	retryAfter int // seconds; 0 = nothing is said
}

const plainText = "text/plain; charset=utf-8"

// answer gives the client an answer of our own. A request whose body is still on its way
// ends the connection, unless the rest of it is here already.
func (x *exchange) answer(status int, c content) {
	x.takeShortBody()
	x.status = status
	x.headTime = x.w.loop.Now()
	x.lastAnswer = x.lastAnswer || x.req.Close || x.d.leaving() || !x.reqDone
	out := append(x.w.out[:0], "HTTP/1.1 "...)
	out = strconv.AppendInt(out, int64(status), 10)
	out = append(out, ' ')
	out = append(out, h1.StatusText(status)...)
	out = append(out, "\r\nDate: "...)
	out = x.w.date.append(out, x.headTime)
	if hasBody(status) {
		out = append(append(out, "\r\nContent-Type: "...), c.kind...)
		out = append(out, "\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(c.body)), 10)
	}
	if c.retryAfter > 0 {
		out = append(out, "\r\nRetry-After: "...)
		out = strconv.AppendInt(out, int64(c.retryAfter), 10)
	}
	out = append(out, "\r\n"...)
	out = x.appendConnection(out)
	out = append(out, "\r\n"...)
	if x.req.MethodID != h1.MethodHead && hasBody(status) {
		out = append(out, c.body...)
		x.respSeen = int64(len(c.body))
	}
	x.w.out = out
	x.replied = true
	if x.sendClient(out, nil, nil) {
		x.done()
	}
}

// answerLocal is the answer of a route without upstream.
func (x *exchange) answerLocal() {
	x.answer(x.target.local.status, content{kind: plainText, body: x.target.local.body})
}

// hasBody reports whether an answer with this status may have content (RFC 9110, 6.4.1).
func hasBody(status int) bool { return status >= 200 && status != 204 && status != 304 }

// takeShortBody drops the body of a request that nobody will read, if all of it is here.
func (x *exchange) takeShortBody() {
	if x.cluster != nil || x.lastAnswer || x.req.Raw == nil {
		return // its relaying knows how much is left, or there is no request
	}
	in := &x.d.in
	switch x.req.Body {
	case h1.BodyNone:
		x.reqDone = true
	case h1.BodyLength:
		if x.reqDone = int64(len(in.bytes)) >= x.req.Length; x.reqDone {
			in.use(int(x.req.Length))
			x.reqSeen = x.req.Length
		}
	}
}

// appendConnection says whether the client's connection goes on (RFC 9112, 9.3).
func (x *exchange) appendConnection(out []byte) []byte {
	switch {
	case x.lastAnswer:
		return append(out, "Connection: close\r\n"...)
	case x.req.Minor == 0:
		return append(out, "Connection: keep-alive\r\n"...)
	}
	return out
}
