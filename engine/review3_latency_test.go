package engine_test

import (
	"testing"
	"time"
)

const impatient = `  - proxy: {upstreams: ["{0}"], circuit_breaker: {max_fails: 1, latency_threshold: 200ms}, max_retries_per_upstream: 0}`

// What counts as slow is the time from the last byte of the request to the head of the answer,
// whatever the endpoint says before that, and however long the client takes for its upload.
func TestReview3LatencyIsThatOfTheAnswer(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{routes: impatient}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	w := u.accept()
	w.seeHead()
	w.send("HTTP/1.1 100 Continue\r\n\r\n")
	c.see("HTTP/1.1 100 Continue\r\n\r\n")
	time.Sleep(150 * time.Millisecond)
	c.send("a")
	w.see("a")
	time.Sleep(150 * time.Millisecond)
	c.send("b")
	w.see("b")
	w.send(ok(""))
	c.seesSoon(200)
	if n := p.opened(); n != 0 {
		t.Error("a client that took its time for its upload has opened the circuit")
	}
	c.get("/")
	w.seeHead()
	w.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
	c.seeHead()
	time.Sleep(300 * time.Millisecond)
	w.send(ok(""))
	c.seesSoon(200)
	if n := p.opened(); n != 1 {
		t.Errorf("the circuit has opened %v times, want once", n)
	}
}

// A request whose answer breaks off before the end of its head has got nothing of it, and
// may be sent again if that is safe.
func TestReview3HalfAHead(t *testing.T) {
	t.Parallel()
	f := func(method string, reused, retried bool) {
		t.Helper()
		u := listen(t)
		p := setup{}.run(t, u)
		c := p.dial()
		var w *wire
		if reused {
			c, w = p.warm(u)
		}
		c.put(method, "/x", "abc")
		if !reused {
			w = u.accept()
		}
		w.seeRequest(method+" /x", "abc")
		w.send("HTTP/1.1 200 OK\r\nContent-Le")
		time.Sleep(20 * time.Millisecond)
		w.reset()
		if !retried {
			c.seeStatus(502, "bad gateway")
			u.unasked()
			return
		}
		w = u.accept()
		w.seeRequest(method+" /x", "abc")
		w.send(ok("2"))
		c.see(ok("2"))
		if n := p.metric("millrace_proxy_stale_retries_total"); n != 0 {
			t.Error("a connection that has begun to answer is counted as stale")
		}
		if n := p.metric("millrace_proxy_retry_count_total"); n != 1 {
			t.Errorf("%v retries are counted, want 1", n)
		}
	}
	f("GET", false, true)
	f("GET", true, true)
	f("PUT", true, true)
	f("POST", false, false)
	f("POST", true, false)
}
