package h1

import (
	"strings"
	"testing"
)

func TestAppendTrailers(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		trailer := strings.Join(lines, "\r\n") + "\r\n"
		if got := string(AppendTrailers([]byte("x"), []byte(trailer))); got != "x"+want {
			t.Errorf("%q: %q, want %q", lines, got[1:], want)
		}
	}
	f("X-T: 1\r\n", "X-T: 1", "Host: evil.example", "Content-Length: 1", "X-Forwarded-For: 192.0.2.66")
	f("grpc-status: 0\r\ngrpc-message:\r\nServer-Timing: a\r\n", "grpc-status: 0", "grpc-message:", "Server-Timing: a")
	for _, name := range []string{"Content-Length", "transfer-encoding", "Host", "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "Proxy-Connection", "Proxy-Authorization",
		"Proxy-Authenticate", "Proxy", "Content-Type", "Content-Encoding", "CONTENT-RANGE", "Content-Anything", "X-Forwarded-For", "X-Forwarded-Odd", "X_Forwarded_For", "Forwarded", "X-Real-IP",
		"Authorization", "Cookie", "Set-Cookie", "WWW-Authenticate", "Expect", "Range", "If-Match", "if-none-match", "Cache-Control", "Max-Forwards", "Pragma", "Age", "Date",
		"Expires", "Location", "Retry-After", "Vary", "Warning", "Via", "HTTP2-Settings", "X-Request-Id", "Traceparent", "x_real_ip"} {
		f("", name+": x")
		f("A: b\r\nC: d\r\n", "A: b", name+": x", "C: d")
	}
	f("X-C: 3\r\n", "X-A: 1", "Connection: x-a, X-B", "X-b: 2", "X-C: 3")
	f("", "X-A: 1", "broken")
	if got := AppendTrailers(nil, nil); got != nil {
		t.Errorf("no trailers: %q", got)
	}
}

func TestAppendTrailersOfHead(t *testing.T) {
	r, err := get("Connection: X-A, close", "Connection: x-b")
	if err != nil {
		t.Fatal(err)
	}
	got := r.AppendTrailers(nil, []byte("X-a: 1\r\nX-B: 2\r\nX-C: 3\r\nClose: 4\r\n"))
	if string(got) != "X-C: 3\r\n" {
		t.Errorf("%q", got)
	}
}
