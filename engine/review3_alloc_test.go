//go:build !race

package engine_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// Neither algorithms nor affinities nor circuits nor budgets nor limits allocate for a request.
func TestReview3Allocations(t *testing.T) {
	const keys = "circuit_breaker: {record_5xx: true, latency_threshold: 10s, slow_start: 1s}, retry_budget: true"
	for _, algorithm := range []string{"random", "round_robin", "least_conn", "two_random", "p2c_ewma"} {
		for _, affinity := range []string{"", "ip: {}", "header: {name: X-Key}", "hash: {variable: request.uri.path}", "cookie: {ttl: 1h, secure: true}"} {
			tie := ""
			if affinity != "" {
				tie = ", affinity: {" + affinity + "}"
			}
			s := setup{routes: fmt.Sprintf(`  - proxy: {algorithm: %s, %s%s, upstreams: [{url: "{0}", limit: 9}, {url: "{1}", limit: 9}, {url: "{2}", priority: 1}]}`, algorithm, keys, tie)}
			t.Run(algorithm+" "+affinity, func(t *testing.T) {
				for _, sticky := range []bool{false, true} {
					if per := mallocsOf(t, s, sticky); per > mallocsPerRequest {
						t.Errorf("%v mallocs a request with sticky %v, want at most %v", per, sticky, mallocsPerRequest)
					}
				}
			})
		}
	}
}

// mallocsOf counts the mallocs for each request. With sticky the client returns its cookie.
func mallocsOf(t *testing.T, s setup, sticky bool) float64 {
	serve := func(w *wire) {
		in, out := make([]byte, 4096), []byte(ok("x"))
		for {
			n, err := w.conn.Read(in)
			if err != nil || n == 0 || string(in[n-4:n]) != "\r\n\r\n" {
				return
			}
			if _, err := w.conn.Write(out); err != nil {
				return
			}
		}
	}
	p := s.run(t, listen(t).serve(serve), listen(t).serve(serve), listen(t).serve(serve))
	c := p.dial()
	request := "GET /api/x HTTP/1.1\r\nHost: a.example\r\nX-Key: abc\r\n"
	c.send(request + "\r\n")
	head := c.seeHead()
	c.see("x")
	if cookie := field(head, "Set-Cookie"); sticky && cookie != "" {
		name, _, _ := strings.Cut(cookie, ";")
		request += "Cookie: a=b; " + name + "\r\n"
		c.send(request + "\r\n")
		if head = c.seeHead(); strings.Contains(head, "Set-Cookie") {
			t.Errorf("a valid cookie is set again: %q", head)
		}
		c.see("x")
	}
	sent, got := []byte(request+"\r\n"), make([]byte, len(head)+1)
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
	const requests = 500
	rounds(100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds(requests)
	runtime.ReadMemStats(&after)
	c.close()
	p.engine.Stop()
	return float64(after.Mallocs-before.Mallocs) / requests
}
