package h1

import (
	"strings"
	"testing"
)

// kept returns the names of the lines that may be forwarded.
func kept(h *Head) string {
	var names []string
	for i := range h.Fields {
		if !h.Fields[i].Drop {
			names = append(names, string(h.Name(i)))
		}
	}
	return strings.Join(names, " ")
}

func TestDroppedRequestFields(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		r, err := get(lines...)
		if err != nil {
			t.Errorf("%q: %v", lines, err)
			return
		}
		if got := kept(&r.Head); got != strings.TrimSpace("Host "+want) {
			t.Errorf("%q: kept %q, want %q", lines, got, want)
		}
	}
	f("X-Keep", "Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "TE: gzip", "Upgrade: foo/1", "X-Keep: 1",
		"Proxy-Authenticate: x", "Proxy-Authorization: x", "Proxy-Authentication-Info: x", "Trailer: X-T", "Transfer-Encoding: chunked", "HTTP2-Settings: AA", "Proxy: evil")
	f("", "Connection: X-A", "X-A: 1")
	f("", "Connection: keep-alive, x-a", "X-A: 1", "X-A: 2")
	f("", "Connection: keep-alive", "Connection: X-A", "X-A: 1")
	f("", "Connection:", "Connection: , X-A ,", "X-A: 1")
	f("", "X-A: 1", "connection: \t x-A\t")
	f("X-AB", "Connection: X-A", "X-AB: 1")
	f("X^A", "Connection: X~A", "X~A: 1", "X^A: 1")
	f("Content-Length", "Connection: Host, Content-Length, Transfer-Encoding, X-Forwarded-For, X-Real-IP, Connection, Authorization, Cookie",
		"Content-Length: 5", "X-Forwarded-For: 192.0.2.1", "X-Real-IP: 1", "Authorization: x", "Cookie: a=b")
	f("", "Connection: Upgrade, HTTP2-Settings", "Upgrade: foo, h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")
	f("Expect Date X-Forwarded-For Forwarded X-Real-IP Via Content-Type Cookie", "Expect: 100-continue", "Date: x", "X-Forwarded-For: a", "Forwarded: for=a",
		"X-Real-IP: a", "Via: 1.1 x", "Content-Type: a/b", "Cookie: a=b")
}

func TestDroppedResponseFields(t *testing.T) {
	var r Response
	raw := head("HTTP/1.1 200 OK", "X-A: 1", "Connection: keep-alive, X-A, Content-Length", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "Upgrade: foo/2",
		"TE: x", "Trailer: y", "X-Keep: 1", "Content-Length: 2", "Set-Cookie: a=b", "Proxy-Authenticate: x", "Proxy: p", "X_Real_IP: 1")
	if err := ParseResponse(&r, []byte(raw), testLimits); err != nil {
		t.Fatal(err)
	}
	if got, want := kept(&r.Head), "X-Keep Content-Length Set-Cookie Proxy X_Real_IP"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}

// Looking for what Connection names must not cost more than a few thousand
// comparisons.
func TestConnectionOptionsAreBounded(t *testing.T) {
	f := func(want *Error, lines ...string) {
		t.Helper()
		if _, err := get(lines...); err != want {
			t.Errorf("%.60q: %v, want %v", lines, err, want)
		}
	}
	f(nil, "Connection: "+strings.Repeat("a,", 64))
	f(errConnection, "Connection: "+strings.Repeat("a,", 65))
	f(nil, "Connection: "+strings.Repeat(",", 1000)+"close")
	f(errConnection, "Connection: "+strings.Repeat("a,", 33), "Connection: "+strings.Repeat("b,", 33))
}
