package engine

import (
	"bytes"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/stats"
)

// unguarded is the circuit of an endpoint that no breaker guards.
const unguarded = "closed"

// An accessTrail is what the log wants to know of an exchange, and the exchange does not
// need itself. Its zero value is that of an exchange that begins.
type accessTrail struct {
	failed    bool
	kind      stats.ErrorType // of the failure
	reused    bool            // the connection of the last attempt had served before
	sameTries int             // retries on the endpoint of the attempt before
	sentAt    int64           // loop time of the last byte sent to the endpoint before it answered; 0 = none
	heardAt   int64           // loop time of the endpoint's first byte; 0 = none
	askedAt   int64           // loop time of the last byte sent to the endpoint at all; 0 = none
}

// attempt notes that another attempt begins, on a connection that has served before or not.
func (t *accessTrail) attempt(reused bool) {
	t.reused = reused
	t.sentAt, t.heardAt, t.askedAt = 0, 0, 0
}

// fail notes why the exchange ended. The first word counts: a client that then does not take
// the answer is not the cause.
func (t *accessTrail) fail(kind stats.ErrorType) {
	if !t.failed {
		t.failed, t.kind = true, kind
	}
}

// sent notes that bytes went to the endpoint.
func (t *accessTrail) sent(now int64) {
	t.askedAt = now
	if t.heardAt == 0 {
		t.sentAt = now
	}
}

// heard notes that bytes came from the endpoint.
func (t *accessTrail) heard(now int64) {
	if t.heardAt == 0 {
		t.heardAt = now
	}
}

// ttfb is the time from the request sent to the endpoint's first byte, ns; -1 if it said
// nothing.
func (t *accessTrail) ttfb() int64 {
	if t.sentAt == 0 || t.heardAt == 0 {
		return -1
	}
	return t.heardAt - t.sentAt
}

// latency is the time from the last byte sent to the head of the answer, which came now, in ns
// and at least 1. Interim answers before it do not count.
func (t *accessTrail) latency(now int64) int64 {
	if t.askedAt == 0 {
		return 1
	}
	return max(now-t.askedAt, 1)
}

// ended writes the line of x, which is over and still whole. route is the name of its
// route, or stats.None.
func (b *accessBuffer) ended(x *exchange, t *accessTrail, route string) {
	sink := b.log.sink.Load()
	if sink == nil {
		return
	}
	line := b.room()
	if line == nil {
		return
	}
	now := x.w.loop.Now()
	arrival := b.clock.unix(x.began, now)
	r := accessRecord{duration: now - x.began, route: route}
	x.describe(&r, t)
	if sink.Format == config.FormatCombined {
		r.second, r.fraction = b.second.of(arrival, combinedDate)
		r.referer, r.userAgent = x.field(h1.FieldReferer), x.field(h1.FieldUserAgent)
		line = appendCombined(line, &r)
	} else {
		r.second, r.fraction = b.second.of(arrival, jsonDate)
		b.id = x.appendRequestID(b.id[:0])
		r.requestID = b.id
		line = appendJSON(line, &r)
	}
	b.add(line)
}

// describe fills in what both formats say of the exchange, but for its time and route.
func (x *exchange) describe(r *accessRecord, t *accessTrail) {
	r.ttfb = t.ttfb()
	r.remote = x.clientIP().Unmap()
	r.method, r.target, r.protocol = x.requestLine()
	r.host = x.req.Host
	r.status = x.status
	r.bytesIn, r.bytesOut = x.reqSeen, x.respSeen
	r.cluster = stats.None
	if t.failed {
		r.errorType = t.kind.String()
		if t.kind == stats.ClientClosed {
			r.bytesOut = max(0, x.respSeen-int64(x.d.conn.Queued())) // what waits never gets there
		}
	}
	if x.cluster == nil {
		return
	}
	r.proxied = true
	r.cluster = x.cluster.name
	r.reused, r.retries, r.sameTries = t.reused, x.retries, t.sameTries
	r.circuit = unguarded
	if ep := x.lastTried; ep != nil {
		r.backendURL, r.unixPath, r.resolvedIP = ep.balance.URL(), ep.address.Unix, ep.shownIP
	}
}

// field is the value of the first line with id, empty if there is none.
func (x *exchange) field(id h1.FieldID) []byte {
	if i := x.req.Find(id); i >= 0 {
		return x.req.Value(i)
	}
	return nil
}

// requestLine is what the log says of the request line. That of a request that reached no
// route may have been refused, and is read again for what can be told of it.
func (x *exchange) requestLine() (method, target []byte, protocol string) {
	if x.target != nil {
		return x.req.Method, x.req.Target, protocols[x.req.Minor]
	}
	head := x.raw
	if len(head) == 0 {
		head = x.d.in.bytes // its end never came
	}
	return looseRequestLine(head)
}

// protocols are the versions that we speak, by the minor number of HTTP/1.
var protocols = [...]string{"HTTP/1.0", "HTTP/1.1"}

// looseRequestLine reads the elements of a request line that may be malformed or cut off.
// A version that we do not speak is not repeated.
func looseRequestLine(head []byte) (method, target []byte, protocol string) {
	line, _, _ := bytes.Cut(head, lineFeed)
	line, _ = bytes.CutSuffix(line, []byte{'\r'})
	method, line, _ = bytes.Cut(line, blank)
	target, line, _ = bytes.Cut(line, blank)
	for _, p := range protocols {
		if string(line) == p {
			protocol = p
		}
	}
	return method, target, protocol
}

var blank = []byte{' '}
