package h1

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever the own reading says otherwise than fasthttp is found.
func TestConfirmFindsDifferences(t *testing.T) {
	const raw = "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\n"
	f := func(name, raw string, change func(r *Request)) {
		t.Helper()
		var r Request
		var second secondReading
		s, err := r.scanHead([]byte(raw), testLimits)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := second.confirm(&r, &s); err != nil {
			t.Fatal(name, err)
		}
		change(&r)
		if err := second.confirm(&r, &s); err != errReadings {
			t.Errorf("%s: %v, want %v", name, err, errReadings)
		}
	}
	f("method", raw, func(r *Request) { r.Method = []byte("PUT") })
	f("target", raw, func(r *Request) { r.Target = []byte("/y") })
	f("version", raw, func(r *Request) { r.Minor = 0 })
	f("length", raw, func(r *Request) { r.Length = 6 })
	f("no body", raw, func(r *Request) { r.Body, r.Length = BodyNone, -1 })
	f("chunked", raw, func(r *Request) { r.Body, r.Length = BodyChunked, -1 })
	f("length for none", least, func(r *Request) { r.Body, r.Length = BodyLength, 0 })
	f("length for chunked", head("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"), func(r *Request) { r.Body, r.Length = BodyLength, 0 })
	f("host", raw, func(r *Request) { r.Fields[0].ValueEnd-- })
	f("close", raw, func(r *Request) { r.Close = true })
	f("no close", head("GET / HTTP/1.1", "Host: a", "Connection: close"), func(r *Request) { r.Close = false })
	f("no close in 1.0", head("GET / HTTP/1.0", "Connection: keep-alive"), func(r *Request) { r.Close = true })
	f("malformed", raw, func(r *Request) { r.Raw = []byte("POST /x\r\n\r\n") })
}

// Lines that fasthttp refuses or reads otherwise do not make a sound request
// ambiguous.
func TestAcceptableHeads(t *testing.T) {
	f := func(lines ...string) {
		t.Helper()
		r, err := parse(head(lines...))
		if err != nil {
			t.Errorf("%q: %v", lines, err)
		} else if len(r.Fields) != len(lines)-1 {
			t.Errorf("%q: %d fields", lines, len(r.Fields))
		}
	}
	f("GET / HTTP/1.1", "host: a")
	f("GET / HTTP/1.1", "hOsT: a", "Trailer: Content-Length")
	f("POST / HTTP/1.1", "Trailer: Transfer-Encoding, Host", "host: a", "transfer-encoding: chunked", "trailer: X-Y")
	f("POST / HTTP/1.1", "Trailer: (", "Host: a")
	f("GET http://a.example/ HTTP/1.1", "host:", "X: y")
	f("GET http://a.example/ HTTP/1.0", "host:")
	f("GET http://a.example/ HTTP/1.0", "Trailer: Host")
	f("GET / HTTP/1.0", "Trailer: Host")
	f("GET / HTTP/1.1", "Host: a", "User-Agent:", "Cookie:", "Content-Type:")
	f("GET / HTTP/1.1", "Host: a", "cookie: =;;,;=\"", "Cookie: a=b", "COOKIE: a=b")
	f("POST / HTTP/1.1", "Host: a", "Content-Length: 00", "Connection: ,,close,,", "Connection:")
	f("OPTIONS * HTTP/1.0")
	f("CONNECT a:1 HTTP/1.1", "Host: b")
}

// assemble makes a head of random sound and unsound parts.
func assemble(rnd *rand.Rand) string {
	pick := func(all ...string) string { return all[rnd.IntN(len(all))] }
	var b strings.Builder
	b.WriteString(pick("GET", "POST", "HEAD", "OPTIONS", "CONNECT", "get", "X") + pick(" ", " ", " ", " ", "  ") +
		pick("/", "/x?y", "*", "http://b.example", "https://B:1/?", "b.example:1", "/%zz", "//") + " " +
		pick("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2") + "\r\n")
	for range rnd.IntN(7) {
		b.WriteString(pick("Host", "host", "Host", "Connection", "connection", "Content-Length", "content-length", "Transfer-Encoding", "Trailer", "TE", "Upgrade", "Expect",
			"Cookie", "User-Agent", "X-A", "x_a", "X_Real_IP", "Content-Type", "Host ", " X") +
			pick(":", ": ", ":\t ") +
			pick("", "a.example", "a:80", "close", "keep-alive", "keep-alive, x-a", "Upgrade, close", "5", "05", "0", "chunked", "Chunked", "gzip", "Content-Length", "websocket",
				"trailers", "100-continue", "a,b", "\xe9\"", ",,", "x y", "identity", "5, 5") + pick("", "", " ", "\t") + "\r\n")
	}
	return b.String() + "\r\n"
}

// Both readings agree on everything that the own one accepts, and net/http is
// of the same mind.
func TestReadingsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	p := NewRequestParser()
	accepted := 0
	for range 30_000 {
		raw := []byte(assemble(rnd))
		var r Request
		switch err := p.Parse(&r, raw, testLimits); err {
		case nil:
			accepted++
			compareRequest(t, &r)
			forwardAgain(t, p, &r)
		case errReadings:
			t.Fatalf("%q: fasthttp differs", raw)
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d heads were accepted", accepted)
	}
	t.Logf("%d heads accepted", accepted)
}
