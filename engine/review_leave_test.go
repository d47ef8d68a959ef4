package engine_test

import (
	"testing"
	"time"
)

// A client that leaves in the moment of its request is noticed like one that leaves later.
func TestReviewClientLeavesWithItsRequest(t *testing.T) {
	t.Parallel()
	u := silent(t)
	p := setup{upstream: "connection_timeout: 10s"}.run(t, u)
	f := func(request string) {
		t.Helper()
		c := p.dial()
		resume := p.engine.Stall()
		c.send(request)
		c.end()
		resume()
		start := time.Now()
		c.seeGone()
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%.20q: gone after %v", request, d)
		}
	}
	f("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	f("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
	f("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
}
