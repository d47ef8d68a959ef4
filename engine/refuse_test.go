package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// behind is a sound request that stands behind a bad one. It must never be served: where
// the bad one ends, nobody knows (RFC 9112, 11.2).
const behind = "GET /behind HTTP/1.1\r\nHost: a.example\r\n\r\n"

func TestRefusedRequests(t *testing.T) {
	heavy(t)
	e := newEcho(t)
	p := setup{top: "limits: {header_bytes: 4KiB, header_count: 20, uri_bytes: 1KiB}"}.run(t, e.upstream)
	// head is a request line and fields, each with its CRLF.
	f := func(status int, head string) {
		t.Helper()
		c := p.dial()
		c.send(head + "\r\n" + behind)
		got := c.seeHead()
		if !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", status)) || field(got, "Connection") != "close" {
			t.Errorf("%.80q: got %q, want %d and close", head, got, status)
		}
		if reason := c.seeAll(); field(got, "Content-Length") != fmt.Sprint(len(reason)) || !strings.HasSuffix(reason, "\n") {
			t.Errorf("%.80q: got %q behind %q", head, reason, got)
		}
		c.close()
	}
	const host = "Host: a.example\r\n"
	line := func(l string) string { return l + "\r\n" + host }
	fields := func(lines string) string { return "POST / HTTP/1.1\r\n" + host + lines }

	// The request line.
	f(400, line("GET  / HTTP/1.1"))
	f(400, line("GET /  HTTP/1.1"))
	f(400, line(" GET / HTTP/1.1"))
	f(400, line("GET\t/ HTTP/1.1"))
	f(400, line("GET / HTTP/1.1 "))
	f(400, line("GET /a b HTTP/1.1"))
	f(400, line("GET /"))
	f(400, line("G(T / HTTP/1.1"))
	f(400, line("\"GET\" / HTTP/1.1"))
	f(400, line("GET / http/1.1"))
	f(400, line("GET / HTTP/1."))
	f(400, line("GET / HTTP/ 1.1"))
	f(400, line("GET / HTTP/1.32"))
	f(505, line("GET / HTTP/2.0"))
	f(505, line("GET / HTTP/9.9"))
	f(505, line("GET / HTTP/1.2"))
	f(505, "PRI * HTTP/2.0\r\n")
	f(501, line(strings.Repeat("M", 65)+" / HTTP/1.1"))
	f(400, line("GET x HTTP/1.1"))
	f(400, line("GET * HTTP/1.1"))
	f(400, line("GET a.example:80 HTTP/1.1"))
	f(400, line("GET #f HTTP/1.1"))
	f(400, line("GET ftp://a.example/ HTTP/1.1"))
	f(400, line("GET http:///x HTTP/1.1"))
	f(400, line("GET http://u:p@a.example/ HTTP/1.1"))
	f(400, line("GET /\x00 HTTP/1.1"))
	f(400, line("GET /\x7f HTTP/1.1"))
	f(501, line("CONNECT a.example:443 HTTP/1.1"))
	f(400, line("CONNECT a.example HTTP/1.1"))
	f(400, line("CONNECT / HTTP/1.1"))

	// Fields.
	f(400, fields(": x\r\n"))
	f(400, fields(":\r\n"))
	f(400, fields("Foo bar\r\n"))
	f(400, fields("Foo : bar\r\n"))
	f(400, fields("Foo\t: bar\r\n"))
	f(400, fields("Fo\xc3\xb6: bar\r\n"))
	f(400, fields("X: a\r\n b\r\n"))
	f(400, fields("X: a\r\n\tb\r\n"))
	f(400, "GET / HTTP/1.1\r\n X: a\r\n"+host)
	f(400, fields("X: a\x00b\r\n"))
	f(400, fields("X: a\rb\r\n"))
	f(400, fields("X: a\nb: c\r\n"))
	f(400, "GET / HTTP/1.1\n"+host)
	f(400, fields("Connection: "+strings.Repeat("a,", 65)+"\r\n"))

	// Host.
	f(400, "GET / HTTP/1.1\r\n")
	f(400, line("GET / HTTP/1.1")+"Host: b.example\r\n")
	f(400, line("GET / HTTP/1.1")+host)
	f(400, line("GET http://a.example/ HTTP/1.1")+host)
	f(400, "GET http://a.example/ HTTP/1.1\r\n")
	for _, bad := range []string{
		"", "*", "a b", "a,b", "a/b", "u@a", "a:", "a:x", "a:0", "a:99999", "a:+80", "[::1", "[::1]:", "[::1]:x",
		"::1", "[1.2.3.4]", "[::1%25lo]", "a..b", "\xff", "a?b", "a#b", "a\\b", strings.Repeat("a", 300),
	} {
		f(400, "GET / HTTP/1.1\r\nHost: "+bad+"\r\n")
	}

	// Limits.
	f(414, line("GET /"+strings.Repeat("a", 1024)+" HTTP/1.1"))
	f(431, fields("X: "+strings.Repeat("a", 4<<10)+"\r\n"))
	f(431, fields(strings.Repeat("X: a\r\n", 20)))

	// Paths that upstreams could read as leading elsewhere.
	for _, bad := range []string{
		"/..", "/.", "/a/../b", "/a/./b", "/%2e%2e/b", "/.%2E", "/..;x/b", "/a%2f..", "/a/..%5cb", "/a\\..\\b",
		"/%00", "/a%u002e", "/%252e", "/a%252fb", "/a%255cb", "/a/%2%65%2%65/x",
	} {
		got := exchange(t, p, "GET "+bad+" HTTP/1.1\r\n"+host+"Connection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.HasSuffix(got, "\r\n\r\nbad path\n") {
			t.Errorf("%s: got %q", bad, got)
		}
	}
	if seen := e.seen(); len(seen) > 0 {
		t.Errorf("the upstream saw %q", seen)
	}
}

// exchange sends a request and returns all that comes back.
func exchange(t *testing.T, p *proxy, request string) string {
	t.Helper()
	c := p.dial()
	defer c.close()
	c.send(request)
	return c.seeAll()
}

func TestRefusedFraming(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	f := func(status int, fields string) {
		t.Helper()
		got := exchange(t, p, "POST / HTTP/1.1\r\nHost: a.example\r\n"+fields+"\r\n"+"0\r\n\r\n"+behind)
		if n := strings.Count(got, "HTTP/1.1 "); n != 1 || !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", status)) {
			t.Errorf("%q: got %q, want %d alone", fields, got, status)
		}
	}
	const chunked = "Transfer-Encoding: chunked\r\n"
	f(400, "Content-Length: 5\r\n"+chunked)
	f(400, chunked+"Content-Length: 5\r\n")
	f(400, chunked+"Content-Length: 0\r\n")
	f(400, "Content-Length: 5\r\nContent-Length: 6\r\n")
	f(400, "Content-Length: 5\r\nContent-Length: 5\r\n")
	for _, bad := range []string{
		"", "5, 5", "5,6", "5,", "+5", "-1", "0x5", "5 5", "5_0", "5.0", "5e1", "five", "\"5\"", "٥",
		"21000000000000000000", "9223372036854775808", "18446744073709551616", "18446744073709551621",
	} {
		f(400, "Content-Length: "+bad+"\r\n")
	}
	for _, bad := range []string{"identity", "gzip", "gzip, chunked", "chunked-x", "xchunked"} {
		f(501, "Transfer-Encoding: "+bad+"\r\n")
	}
	for _, bad := range []string{
		"", ",chunked", "chunked,", "chunked, chunked", "chunked, identity", "\"chunked\"", "chunked;q=1", "chunked x", "ch\x00unked",
	} {
		f(400, "Transfer-Encoding: "+bad+"\r\n")
	}
	f(400, chunked+chunked)
	f(400, chunked+"Transfer-Encoding: identity\r\n")
	f(400, "Transfer-Encoding: identity\r\n"+chunked)
	for _, framing := range []string{chunked, chunked + "Content-Length: 5\r\n", chunked + "Connection: keep-alive\r\n"} {
		if got := exchange(t, p, "POST / HTTP/1.0\r\nHost: a.example\r\n"+framing+"\r\n0\r\n\r\n"+behind); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
			t.Errorf("HTTP/1.0 with %q: got %q", framing, got)
		}
	}
	if seen := e.seen(); len(seen) > 0 {
		t.Errorf("the upstream saw %q", seen)
	}
}

// A Transfer-Encoding with one byte too many is either refused or no Transfer-Encoding at
// all, for the proxy and the upstream alike: what is hidden in the body stays a body.
func TestDisguisedTransferEncoding(t *testing.T) {
	heavy(t)
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	const hidden = "0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a.example\r\n\r\n"
	last := "GET /last HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"
	f := func(line string) {
		t.Helper()
		got := exchange(t, p, fmt.Sprintf("POST /first HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n%s\r\n\r\n%s%s", len(hidden), line, hidden, last))
		if served := strings.Count(got, "HTTP/1.1 200 OK"); served != 0 && served != 2 || strings.Contains(got, "/hidden") {
			t.Errorf("%q: got %q", line, got)
		}
		for _, r := range e.seen() {
			if r.line != "POST /first HTTP/1.1" && r.line != "GET /last HTTP/1.1" || r.line[0] == 'P' && r.body != hidden {
				t.Errorf("%q: the upstream saw %q", line, r)
			}
		}
	}
	for i := range 256 {
		b := string([]byte{byte(i)})
		f(b + "Transfer-Encoding: chunked")
		f("Transfer" + b + "Encoding: chunked")
		f("Transfer-Encoding" + b + ": chunked")
		f("Transfer-Encoding:" + b + "chunked")
		f("Transfer-Encoding: chunked" + b)
		f("X: y" + b + "Transfer-Encoding: chunked")
	}
	f("X: y\r\n Transfer-Encoding: chunked")
	f("Transfer_Encoding: chunked")
	f("Transfer-Encoding:\r\n chunked")
}

func TestRefusedChunks(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	f := func(status int, body string) {
		t.Helper()
		got := exchange(t, p, "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"+body+behind)
		if n := strings.Count(got, "HTTP/1.1 "); n != 1 || !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", status)) {
			t.Errorf("%.60q: got %q, want %d alone", body, got, status)
		}
	}
	for _, bad := range []string{
		"", "0x3", "+3", "-1", "3_0", " 3", "3 ", "3\t", "g", "3;\r", "3;a=\"\n\"", "3;\x00", "3\n", ";a=b",
		"11111111111111111", "FFFFFFFFFFFFFFFF", "8000000000000000", strings.Repeat("0", 17) + "3",
	} {
		f(400, bad+"\r\nabc\r\n0\r\n\r\n")
	}
	f(400, "3\nabc\r\n0\r\n\r\n")
	f(400, "3\r\nabc\n0\r\n\r\n")
	f(400, "3\r\nabcd\r\n0\r\n\r\n")
	f(400, "3\r\nab\r\n0\r\n\r\n")
	f(400, "3\r\nabc\r\n\r\n0\r\n\r\n")
	f(400, "0\r\nXX")
	f(400, "0\r\n X: folded\r\n\r\n")
	f(400, "0\r\n: x\r\n\r\n")
	f(400, "0\r\nX: a\x00\r\n\r\n")
	f(413, "3;"+strings.Repeat("x", 8<<10)+"\r\nabc\r\n0\r\n\r\n")
	f(413, strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\na\r\n", 8)+"0\r\n\r\n")
	f(431, "0\r\nX: "+strings.Repeat("x", 16<<10)+"\r\n\r\n")
	f(431, "0\r\n"+strings.Repeat("X: x\r\n", 65)+"\r\n")
	if seen := e.seen(); len(seen) > 0 {
		t.Errorf("the upstream saw %q", seen)
	}
}
