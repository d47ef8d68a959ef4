//go:build !race

package h1

import "testing"

// none requires that f allocates nothing in steady state.
func none(t *testing.T, name string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(1000, f); n != 0 {
		t.Errorf("%s allocates %v times, want 0", name, n)
	}
}

func TestRequestAllocs(t *testing.T) {
	p := NewRequestParser()
	var r Request
	f := func(name, raw string) {
		t.Helper()
		b := []byte(raw)
		none(t, name, func() {
			if end, _, err := FindRequestHead(b, 0, benchLimits); end != len(b) || err != nil {
				t.Fatal(name, end, err)
			}
			if err := p.Parse(&r, b, benchLimits); err != nil {
				t.Fatal(name, err)
			}
		})
	}
	f("typical", typical)
	f("least", least)
	f("HTTP/1.0", head("GET / HTTP/1.0", "Connection: keep-alive"))
	f("POST", head("POST / HTTP/1.1", "Host: a", "Content-Length: 5", "Expect: 100-continue"))
	f("upgrade", head("GET / HTTP/1.1", "Host: [::1]:80", "Connection: Upgrade, X", "Upgrade: websocket", "X: y", "x_real_ip: 1"))
	f("trailer", head("POST http://b.example/ HTTP/1.1", "Host:", "Trailer: Content-Length", "Transfer-Encoding: chunked", "TE: trailers"))
}

func TestResponseAllocs(t *testing.T) {
	b := []byte(head("HTTP/1.1 200 OK", "Date: x", "Connection: close, X-A", "X-A: 1", "Content-Length: 5"))
	var r Response
	none(t, "ParseResponse", func() {
		if end, _, err := FindResponseHead(b, 0, benchLimits); end != len(b) || err != nil {
			t.Fatal(end, err)
		}
		if err := ParseResponse(&r, b, benchLimits); err != nil || r.Body(MethodGet) != BodyLength {
			t.Fatal(err)
		}
	})
}

// A refusal must cost nothing either, where the own scan finds the fault.
func TestRefusalAllocs(t *testing.T) {
	p := NewRequestParser()
	var r Request
	for _, raw := range []string{head("GET / HTTP/1.1"), head("GET / HTTP/1.1", "Host: a", "X : y"), head("GET / HTTP/1.1", "Host: a b")} {
		b := []byte(raw)
		none(t, raw, func() {
			if p.Parse(&r, b, benchLimits) == nil {
				t.Fatal("accepted")
			}
		})
	}
}

func TestChunkedAllocs(t *testing.T) {
	const raw = "5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nX-T: 1\r\nHost: a\r\n\r\n"
	p, dst := make([]byte, len(raw)), make([]byte, 0, 100)
	var d Chunked
	none(t, "Decode", func() {
		d.Reset()
		copy(p, raw)
		if body, _, done, err := d.Decode(p); len(body) != 8 || !done || err != nil {
			t.Fatal(body, done, err)
		}
		dst = AppendTrailers(AppendChunkSize(dst[:0], 77), d.Trailer())
	})
}
