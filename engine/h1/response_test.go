package h1

import (
	"strings"
	"testing"
)

// parseResponse finds and parses the response head that raw is.
func parseResponse(raw string) (*Response, *Error) {
	r := new(Response)
	end, _, err := FindResponseHead([]byte(raw), 0, testLimits)
	if err != nil {
		return r, err
	}
	return r, ParseResponse(r, []byte(raw[:end]), testLimits)
}

func TestStatusLine(t *testing.T) {
	f := func(line string, status int, reason string) {
		t.Helper()
		r, err := parseResponse(head(line, "Content-Length: 0"))
		if err != nil || r.Status != status || string(r.Reason) != reason {
			t.Errorf("%q: %d %q %v", line, r.Status, r.Reason, err)
		}
	}
	f("HTTP/1.1 200 OK", 200, "OK")
	f("HTTP/1.0 200 OK", 200, "OK")
	f("HTTP/1.1 200 ", 200, "")
	f("HTTP/1.1 201 Made", 201, "Made")
	f("HTTP/1.1 299 Odd One", 299, "Odd One")
	f("HTTP/1.1 418 I'm a teapot", 418, "I'm a teapot")
	f("HTTP/1.1 599 \tcaf\xe9", 599, "\tcaf\xe9")
	f("HTTP/1.1 100 Continue", 100, "Continue")
	f("HTTP/1.1 999 Request denied", 999, "Request denied")

	for _, line := range []string{"HTTP/1.1 200", "HTTP/1.1 2x0 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 099 Low", "HTTP/1.1 000 Zero",
		"HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK", "HTTP/1.2 200 OK", "HTTP/1.10 200 OK", "http/1.1 200 OK", "HTTP/2.0 200 OK", "HTTP/1.1 -20 OK",
		"HTTP/1.1 200 O\x00K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 OK\r", "HTTP/1.1 200 O\x7fK", " HTTP/1.1 200 OK", "HTTP/1.1 +20 OK"} {
		if _, err := parseResponse(head(line, "Content-Length: 0")); err == nil {
			t.Errorf("%q was accepted", line)
		}
	}
}

func TestMalformedResponses(t *testing.T) {
	for _, lines := range [][]string{
		{"no colon"}, {": x"}, {"X A: 1"}, {"X-A : 1"}, {"X-A: 1", " 2"}, {"X-A: a\x00b"}, {"X-A: a\rb"}, {" X-A: 1"},
		{"Content-Length: 2", "Content-Length: 3"}, {"Content-Length: 2, 3"}, {"Content-Length: 2", "Content-Length: 2"}, {"Content-Length: +2"}, {"Content-Length: -2"},
		{"Content-Length:"}, {"Content-Length: 18446744073709551618"}, {"Content-Length: 2", "Transfer-Encoding: chunked"},
		{"Transfer-Encoding: gzip"}, {"Transfer-Encoding: gzip, chunked"}, {"Transfer-Encoding: identity"}, {"Transfer-Encoding: chunked, chunked"},
		{"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"}, {strings.Repeat("X: y\r\n", 128) + "X: y"}, {"Connection: " + strings.Repeat("a,", 65)},
	} {
		if _, err := parseResponse(head(append([]string{"HTTP/1.1 200 OK"}, lines...)...)); err == nil {
			t.Errorf("%.60q was accepted", lines)
		}
	}
	for _, raw := range []string{"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nTransfer-Encoding: chunked\r\n\r\n"} {
		if _, err := parseResponse(raw); err == nil {
			t.Errorf("%q was accepted", raw)
		}
	}
	if err := ParseResponse(new(Response), []byte("HTTP/1.1 200 OK\r\n"), testLimits); err != errHeadEnd {
		t.Errorf("half a head: %v", err)
	}
}

func TestResponseBody(t *testing.T) {
	f := func(want BodyKind, m MethodID, status string, lines ...string) {
		t.Helper()
		r, err := parseResponse(head(append([]string{"HTTP/1.1 " + status + " X"}, lines...)...))
		if err != nil {
			t.Errorf("%s %q: %v", status, lines, err)
			return
		}
		if got := r.Body(m); got != want {
			t.Errorf("%s %q to method %d: body %d, want %d", status, lines, m, got, want)
		}
	}
	const length, chunked = "Content-Length: 5", "Transfer-Encoding: chunked"
	f(BodyLength, MethodGet, "200", length)
	f(BodyLength, MethodGet, "200", "Content-Length: 0")
	f(BodyChunked, MethodPost, "404", chunked)
	f(BodyClose, MethodGet, "200")
	f(BodyClose, MethodOther, "205")
	f(BodyNone, MethodHead, "200", length)
	f(BodyNone, MethodHead, "200", chunked)
	f(BodyNone, MethodHead, "200")
	f(BodyNone, MethodGet, "204", length)
	f(BodyNone, MethodGet, "204", chunked)
	f(BodyNone, MethodGet, "304", length)
	f(BodyNone, MethodGet, "304", chunked)
	f(BodyNone, MethodGet, "103", "Content-Length: 42")
	f(BodyNone, MethodGet, "101")
	f(BodyNone, MethodConnect, "200", length)
	f(BodyLength, MethodConnect, "403", length)
}

func TestResponseConnection(t *testing.T) {
	f := func(version string, closes, websocket bool, lines ...string) {
		t.Helper()
		r, err := parseResponse(head(append([]string{"HTTP/" + version + " 200 OK"}, lines...)...))
		if err != nil || r.Close != closes || r.Websocket != websocket {
			t.Errorf("%s %q: close %v, websocket %v, %v", version, lines, r.Close, r.Websocket, err)
		}
	}
	f("1.1", false, false)
	f("1.1", true, false, "Connection: close")
	f("1.1", true, false, "connection: x, Close")
	f("1.1", true, false, "Connection: keep-alive", "Connection: close")
	f("1.0", true, false)
	f("1.0", false, false, "Connection: Keep-Alive")
	f("1.0", true, false, "Connection: keep-alive, close")
	f("1.1", false, true, "Connection: Upgrade", "Upgrade: websocket")
	f("1.1", false, false, "Upgrade: websocket")
	f("1.1", false, false, "Connection: Upgrade", "Upgrade: foo")
}

func TestStatusText(t *testing.T) {
	f := func(code int, want string) {
		t.Helper()
		if got := StatusText(code); got != want {
			t.Errorf("StatusText(%d) = %q, want %q", code, got, want)
		}
	}
	f(200, "OK")
	f(400, "Bad Request")
	f(413, "Content Too Large")
	f(414, "URI Too Long")
	f(416, "Range Not Satisfiable")
	f(422, "Unprocessable Content")
	f(431, "Request Header Fields Too Large")
	f(502, "Bad Gateway")
	f(299, "")
	f(0, "")
	f(1000, "")
	f(-1, "")
}
