//go:build !race

package engine_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// mallocsPerRequest is the most that a request may cost. Something now and then is the
// runtime's.
const mallocsPerRequest = 0.05

// The whole engine in steady state, with a client and an upstream that allocate nothing.
// This test is alone in the process: those that are parallel run later.
func TestEngineAllocations(t *testing.T) {
	f := func(name string, s setup, request, answer string) {
		t.Run(name, func(t *testing.T) {
			if per := mallocs(t, s, request, answer); per > mallocsPerRequest {
				t.Errorf("%v mallocs a request, want at most %v", per, mallocsPerRequest)
			}
		})
	}
	const get = "GET /api/x?q=1 HTTP/1.1\r\nHost: a.example\r\nUser-Agent: test\r\nAccept: */*\r\n"
	const post = "POST /api/x HTTP/1.1\r\nHost: a.example\r\n"
	f("get", setup{}, get+"\r\n", ok("hello"))
	f("two endpoints", setup{cluster: "algorithm: round_robin"}, get+"\r\n", ok("hello"))
	f("round trip of 100 kB", setup{}, post+"Content-Length: 100000\r\n\r\n"+strings.Repeat("x", 100_000), ok(strings.Repeat("y", 100_000)))
	f("chunks", setup{}, post+"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n")
	f("put that could be sent again", setup{}, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 204 No Content\r\n\r\n")
	f("interim", setup{}, get+"\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"+ok("x"))
	f("HTTP/1.0", setup{}, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", ok("x"))
	f("strip_prefix", setup{route: "prefix: /api\nstrip_prefix: true\nrewrite_host: true"}, get+"\r\n", ok("x"))
	f("rules", setup{cluster: `request_header: ["X-A: {{request.host}} {{request.uri}} {{request.id}} {{remote.ip}} {{remote.port}} {{server.port}}", "-X-B", "Host: b"]` +
		"\n" + `response_header: ["+X-C: {{request.header.accept}}", "-Server"]`}, get+"X-B: 1\r\n\r\n", ok("x"))
	f("server.ip", setup{cluster: `request_header: ["X-A: {{server.ip}}"]`}, get+"\r\n", ok("x"))
	const trusting = "trusted_proxies: [127.0.0.0/8, 10.0.0.0/8]\nclient_ip_from_header: "
	f("x-forwarded-for", setup{top: trusting + "x-forwarded-for"}, get+"X-Forwarded-For: 1.2.3.4, [2001:db8::1]:80, 10.0.0.1\r\nX-Forwarded-Proto: https\r\n\r\n", ok("x"))
	f("forwarded", setup{top: trusting + "forwarded"}, get+"Forwarded: for=\"[2001:db8::1]:80\";proto=https, for=10.0.0.1\r\n\r\n", ok("x"))
	f("forwarded by somebody odd", setup{top: trusting + "forwarded"}, get+"Forwarded: for=unknown\r\nX-Forwarded-For: x\r\n\r\n", ok("x"))
}

// mallocs counts the mallocs of this process for each request.
func mallocs(t *testing.T, s setup, request, answer string) float64 {
	u := listen(t)
	p := s.run(t, u)
	c := p.dial()
	c.send(request)
	w := u.accept()
	forwarded, relayed := 0, 0 // lengths, known once two rounds agree
	for round := 0; ; round++ {
		f := w.soon()
		w.send(answer)
		r := c.soon()
		if f == forwarded && r == relayed {
			break
		}
		if forwarded, relayed = f, r; round == 20 {
			t.Fatal("no two rounds are alike")
		}
		c.send(request)
	}

	// What the upstream reads into and writes is its own and made before.
	in, out := make([]byte, forwarded), []byte(answer)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := io.ReadFull(w.conn, in); err != nil {
				return
			}
			if _, err := w.conn.Write(out); err != nil {
				return
			}
		}
	}()
	sent, got := []byte(request), make([]byte, relayed)
	rounds := func(n int) {
		for range n {
			if _, err := c.conn.Write(sent); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(c.conn, got); err != nil {
				t.Fatal(err)
			}
		}
	}
	const requests = 2000
	rounds(300)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds(requests)
	runtime.ReadMemStats(&after)
	c.close()
	p.engine.Stop()
	<-ended
	return float64(after.Mallocs-before.Mallocs) / requests
}

// soon reads until nothing comes for a moment, and returns how many bytes came.
func (w *wire) soon() int {
	w.t.Helper()
	defer func() { _ = w.conn.SetDeadline(time.Now().Add(patience)) }()
	b := make([]byte, 1<<20)
	n, err := w.conn.Read(b)
	if err != nil {
		w.t.Fatalf("%s: %v", w.name, err)
	}
	for {
		_ = w.conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		k, err := w.conn.Read(b)
		n += k
		if err != nil {
			return n
		}
	}
}
