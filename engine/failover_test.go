package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// Where nobody listens, nothing was sent: any request goes on to another endpoint, whole.
func TestFailoverOnRefusedConnect(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{cluster: "algorithm: round_robin"}.run(t, refusing(t), e.upstream, refusing(t))
	c := p.dial()
	for size := 5; size < 300<<10; size *= 3 {
		content := strings.Repeat("x", size)
		c.put("POST", "/x", content)
		c.see(ok("/x"))
		if seen := e.seen(); len(seen) != 1 || seen[0].body != content {
			t.Errorf("%d bytes: the upstream saw %d requests", size, len(seen))
		}
	}
	if p.metric("millrace_proxy_retry_count_total") == 0 {
		t.Error("no retry is counted")
	}
}

func TestAllEndpointsRefuse(t *testing.T) {
	t.Parallel()
	p := setup{}.run(t, refusing(t), refusing(t), refusing(t))
	for range 5 {
		c := p.dial()
		c.get("/")
		c.seeStatus(502, "bad gateway")
		c.put("POST", "/", "abc")
		c.seeStatus(502, "bad gateway")
		c.close()
	}
	if n := p.metric("millrace_proxy_backends_selected_total"); n != 30 {
		t.Errorf("%v picks are counted, want 30", n)
	}
	if n := p.metric(`millrace_proxy_failures_total{error_type="connection_refused",http_response_status_code="502"}`); n != 10 {
		t.Errorf("%v failures are counted, want 10", n)
	}
	p.released()
}

func TestConnectTakesTooLong(t *testing.T) {
	t.Parallel()
	p := setup{upstream: "connection_timeout: 150ms"}.run(t, silent(t))
	c := p.dial()
	began := time.Now()
	c.put("POST", "/", "abc")
	c.seeStatus(504, "upstream timeout")
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	c.close()
	p.released()
}

// An endpoint to which a connect takes too long is not tried twice, but another one is.
func TestFailoverOnSlowConnect(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{cluster: "algorithm: round_robin", upstream: "connection_timeout: 3s"}.run(t, silent(t), e.upstream)
	for range 2 {
		c := p.dial()
		c.put("POST", "/x", "abc")
		c.see(ok("/x"))
	}
}

// An endpoint that takes the request and does not answer.
func TestEndpointClosesWithoutAnswer(t *testing.T) {
	t.Parallel()
	f := func(cluster, method, content string, attempts int) {
		t.Helper()
		closes := listen(t)
		closes.serve(func(w *wire) {
			_, _ = w.readHead()
			_ = w.conn.(interface{ CloseWrite() error }).CloseWrite()
			_, _ = io.Copy(io.Discard, w.conn)
		})
		p := setup{cluster: cluster}.run(t, closes)
		c := p.dial()
		c.put(method, "/", content)
		c.seeStatus(502, "bad gateway")
		if n := closes.accepted.Load(); n != int64(attempts) {
			t.Errorf("%s, %s with %d bytes: %d attempts, want %d", cluster, method, len(content), n, attempts)
		}
		if n := p.metric("millrace_proxy_retry_count_total"); n != float64(attempts-1) {
			t.Errorf("%s, %s: %v retries are counted, want %d", cluster, method, n, attempts-1)
		}
	}
	f("", "GET", "", 2)
	f("max_retries_per_upstream: 0", "GET", "", 1)
	f("max_retries_per_upstream: 3", "GET", "", 4)
	f("max_retries_per_upstream: 3", "PUT", "short", 4)
	f("max_retries_per_upstream: 3", "DELETE", "", 4)
	f("max_retries_per_upstream: 3", "POST", "", 1)
	f("max_retries_per_upstream: 3", "PATCH", "", 1)
	f("max_retries_per_upstream: 3", "MADE-UP", "", 1)
	f("max_retries_per_upstream: 3", "PUT", strings.Repeat("long", 100<<10), 1)
}

func TestRetryOnOtherEndpoints(t *testing.T) {
	t.Parallel()
	f := func(cluster string, retried bool) {
		t.Helper()
		e, closes := newEcho(t), listen(t)
		closes.serve(func(w *wire) { _, _ = w.readHead() })
		p := setup{cluster: "algorithm: round_robin\n" + cluster}.run(t, closes, e.upstream)
		failed := 0
		for i := range 6 {
			c := p.dial()
			c.put("PUT", fmt.Sprint("/", i), "abc")
			if head := c.seeHead(); strings.HasPrefix(head, "HTTP/1.1 502 ") {
				failed++
			}
		}
		if (failed == 0) != retried {
			t.Errorf("%q: %d of 6 failed", cluster, failed)
		}
		for _, r := range e.seen() {
			if r.body != "abc" {
				t.Errorf("%q: the upstream saw %q", cluster, r)
			}
		}
	}
	f("", true)
	f("max_retries_per_upstream: 0", true)
	f("retry_connection: false", false)
	f("retry_connection: false\nmax_retries_per_upstream: 0", false)
}

// Half of an upload is never sent as if it were the whole, and never sent twice.
func TestEndpointEndsInsideOfUpload(t *testing.T) {
	heavy(t)
	content := strings.Repeat("0123456789abcdef", 64<<10)
	for _, method := range []string{"POST", "PUT"} {
		u := listen(t)
		p := setup{}.run(t, u)
		c := p.dial()
		go func() {
			_, _ = fmt.Fprintf(c.conn, "%s / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", method, len(content), content)
		}()
		w := u.accept()
		w.seeHead()
		if _, err := io.CopyN(io.Discard, w.conn, int64(len(content)/2)); err != nil {
			t.Fatal(err)
		}
		w.reset()
		c.seeStatus(502, "bad gateway")
		u.unasked()
	}
}

// A client that has left is not worked for any more.
func TestClientLeavesDuringConnect(t *testing.T) {
	t.Parallel()
	f := func(leave func(c *wire)) {
		t.Helper()
		p := setup{upstream: "connection_timeout: false"}.run(t, silent(t))
		c := p.dial()
		c.get("/")
		eventually(t, "the connect has begun", func() bool { _, n := p.engine.Held(); return n == 1 })
		leave(c)
		p.released()
		if n := p.metric(`millrace_requests_total{route="/",cluster="web",status="499"}`); n != 1 {
			t.Errorf("%v requests ended with 499, want 1", n)
		}
	}
	f((*wire).reset)
	f((*wire).close)
	f((*wire).end)
}
