package engine_test

import (
	"strings"
	"testing"
)

// A head that cannot be understood is answered for with 502, nothing of it is relayed, and
// its connection is not used again.
func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{cluster: "response_header_timeout: 10s"}.run(t, u)
	c := p.dial()
	f := func(answer string) {
		t.Helper()
		c.get("/")
		w := u.accept()
		w.seeHead()
		w.send(answer)
		head := c.seeStatus(502, "bad gateway")
		if field(head, "X-Evil") != "" {
			t.Errorf("%.60q: relayed as %q", answer, head)
		}
		w.seeGone()
	}
	fields := func(lines string) string { return "HTTP/1.1 200 OK\r\nX-Evil: 1\r\n" + lines + "\r\n" }

	// The status line.
	for _, line := range []string{
		"ICY 200 OK", "HTTP/2.0 200 OK", "HTTP/1.2 200 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK",
		"HTTP/1.1  200 OK", "HTTP/1.1 099 OK", "http/1.1 200 OK", "HTTP/1.1 -20 OK", "<html>", "HTTP/1.1 200 a\x00b", "HTTP/1.1 200 a\rb",
	} {
		f(line + "\r\nContent-Length: 0\r\n\r\n")
	}
	f("garbage")
	f("\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	f("HTTP/1.1 200 OK\nContent-Length: 0\n\n")

	// Fields.
	f(fields("no colon\r\n"))
	f(fields(": x\r\n"))
	f(fields("X : y\r\n"))
	f(fields("X: y\r\n z\r\n"))
	f(fields("X: y\x00\r\n"))
	f(fields("X: y\rz\r\n"))
	f(fields("X: y\nz: 1\r\n"))
	f(fields("X: " + strings.Repeat("y", 64<<10) + "\r\n"))
	f(fields(strings.Repeat("X: y\r\n", 256)))

	// Framing.
	f(fields("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"))
	f(fields("Content-Length: 1\r\nContent-Length: 2\r\n"))
	for _, length := range []string{"", "1, 1", "1, 2", "+1", "-1", "0x1", "1 1", "18446744073709551617"} {
		f(fields("Content-Length: " + length + "\r\n"))
	}
	for _, coding := range []string{"", "gzip", "identity", "gzip, chunked", "chunked, chunked", "xchunked"} {
		f(fields("Transfer-Encoding: " + coding + "\r\n"))
	}
	f(fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"))
	f("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")

	// Interim answers.
	f("HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	f("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2x0 OK\r\n\r\n")
	f("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")

	if n := p.metric("millrace_proxy_failures_total"); n < 40 || n != p.metric(`millrace_requests_total{route="/",cluster="web",status="502"}`) {
		t.Errorf("%v failures are counted", n)
	}
}

// Any status and reason comes through.
func TestStatusLines(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dial()
	c.get("/")
	w := u.accept()
	for _, line := range []string{
		"200 OK", "200 ", "200  two blanks", "299 \xe4\xf6\xfc", "299 " + strings.Repeat("long ", 100), "300 ?", "404 Not Found",
		"418 I'm a teapot", "499 x", "500 Internal Server Error", "502 theirs", "503 Service Unavailable", "504 theirs", "599 x", "600 x", "999 x",
	} {
		w.seeHead()
		w.send("HTTP/1.1 " + line + "\r\nContent-Length: 1\r\nRetry-After: 5\r\n\r\nx")
		c.see("HTTP/1.1 " + line + "\r\nContent-Length: 1\r\nRetry-After: 5\r\n\r\nx")
		c.get("/")
	}
	w.seeHead()
	if n := p.metric("millrace_proxy_failures_total"); n != 0 {
		t.Errorf("%v failures are counted", n)
	}
}

// A head may come in any pieces.
func TestResponseInPieces(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dial()
	c.get("/")
	w := u.accept()
	w.seeHead()
	for _, b := range []byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") {
		w.send(string(b))
	}
	c.see("HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	for _, b := range []byte("3\r\nabc\r\n") {
		w.send(string(b))
	}
	got := ""
	for !strings.HasSuffix(got, "c\r\n") {
		line, err := c.readLine()
		if err != nil {
			t.Fatal(err)
		}
		got += line + "\r\n"
	}
	// The payload may have come in one to three chunks.
	switch got {
	case "3\r\nabc\r\n", "1\r\na\r\n2\r\nbc\r\n", "2\r\nab\r\n1\r\nc\r\n", "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n":
	default:
		t.Errorf("got %q", got)
	}
	for _, b := range []byte("0\r\nT: 1\r\n\r\n") {
		w.send(string(b))
	}
	c.see("0\r\nT: 1\r\n\r\n")
}

// What is not asked for is not relayed at once only: an answer on an idle connection ends it.
func TestAnswerNobodyAskedFor(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dial()
	f := func(poison func(w *wire)) {
		t.Helper()
		c.get("/1")
		w := u.accept()
		w.seeHead()
		w.send(ok("1"))
		c.see(ok("1"))
		poison(w)
		w.seeGone()
		c.get("/2")
		next := u.accept()
		next.seeHead()
		next.send(strings.Replace(ok("2"), "\r\n", "\r\nConnection: close\r\n", 1))
		c.see(ok("2"))
		next.seeEnd()
	}
	f(func(w *wire) { w.send(ok("evil")) })
	f(func(w *wire) { w.send("x") })
	f(func(w *wire) { w.end() })
}

// An authentication that belongs to a connection must not be inherited by another client
// (RFC 9110, 11.7 leaves such schemes to the connection they were made on).
func TestConnectionBoundAuthentication(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	f := func(request, answer string, shared bool) {
		t.Helper()
		c := p.dial()
		c.send("GET / HTTP/1.1\r\nHost: a\r\n" + request + "\r\n")
		w := u.accept()
		w.seeHead()
		w.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n" + answer + "\r\n")
		c.seeHead()
		other := p.dial()
		other.get("/")
		next := w
		if !shared {
			w.seeEnd()
			next = u.accept()
		}
		next.seeHead()
		next.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		other.seeHead()
	}
	f("Authorization: Basic eDp5\r\n", "WWW-Authenticate: Basic realm=x\r\n", true)
	f("Authorization: Bearer x\r\n", "", true)
	f("Authorization: NTLM TlRMTVNTUAABAAAA\r\n", "", false)
	f("authorization: negotiate YII=\r\n", "", false)
	f("", "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n", true)
	f("Authorization: Basic x\r\nAuthorization: NTLM x\r\n", "", false)
}
