package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A stopwatch measures from before something was sent, so what it tells is never too short.
type stopwatch struct {
	t     *testing.T
	began time.Time
}

func start(t *testing.T) stopwatch { return stopwatch{t, time.Now()} }

// atLeast fails the test if less time has passed.
func (s stopwatch) atLeast(d time.Duration) {
	s.t.Helper()
	if took := time.Since(s.began); took < d {
		s.t.Errorf("it took %v, want at least %v", took, d)
	}
}

const short = 150 * time.Millisecond // as "150ms" in the configurations here

// A connection that never gets a head together is ended, however busily it sends.
func TestHeaderTimeout(t *testing.T) {
	t.Parallel()
	f := func(sent string, trickle bool) {
		t.Run(fmt.Sprintf("%q", sent), func(t *testing.T) {
			t.Parallel()
			p := setup{top: "timeouts: {header: 150ms}"}.run(t, listen(t))
			watch := start(t)
			c := p.dial()
			c.send(sent)
			if trickle {
				go func() {
					for _, err := c.conn.Write([]byte("X")); err == nil; _, err = c.conn.Write([]byte("X")) {
						time.Sleep(20 * time.Millisecond)
					}
				}()
			}
			if strings.Trim(sent, "\r\n") == "" {
				c.seeEnd()
			} else {
				c.seeStatus(408, "request timeout")
			}
			watch.atLeast(short)
		})
	}
	f("", false)
	f("\r\n\r\n", false)
	f("G", false)
	f("PRI", false)
	f("GET / HTTP/1.1\r\nHost: a\r\n", false)
	f("GET / HTTP/1.1\r\nX-", true)
}

// The clock of a later head begins with its first byte.
func TestHeaderTimeoutOfLaterHead(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{top: "timeouts: {header: 3s, idle: 1h}"}.run(t, e.upstream)
	c := p.dial()
	c.ask("/1", "/1")
	time.Sleep(3500 * time.Millisecond)
	c.ask("/2", "/2")
	watch := start(t)
	c.send("GET /3 HTTP/1.1\r\n")
	c.seeStatus(408, "request timeout")
	watch.atLeast(3 * time.Second)
	c.seeEnd()
}

// The header timeout does not touch a request that is at work.
func TestHeaderTimeoutEndsWithTheHead(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {header: 3s, idle: 150ms, body_idle: 150ms}"}.run(t, u)
	c := p.dial()
	c.get("/")
	w := u.accept()
	w.seeHead()
	time.Sleep(3500 * time.Millisecond)
	w.send(ok("late"))
	c.see(ok("late"))
}

func TestIdleTimeout(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{top: "timeouts: {header: 1h, idle: 3s}"}.run(t, e.upstream)
	c := p.dial()
	watch := start(t)
	c.ask("/1", "/1")
	c.seeEnd()
	watch.atLeast(3 * time.Second)
	c = p.dial()
	for range 3 { // each answer begins the clock anew
		watch = start(t)
		c.ask("/1", "/1")
	}
	c.send("\r\n") // no request begins with that
	c.seeEnd()
	watch.atLeast(3 * time.Second)
}

// An upload that stands still is answered 408; its upstream never takes it for whole.
func TestBodyIdleTimeout(t *testing.T) {
	t.Parallel()
	f := func(top, framing, content string, trickle bool) {
		t.Run(top+content, func(t *testing.T) {
			t.Parallel()
			u := listen(t)
			p := setup{top: top}.run(t, u)
			c := p.dial()
			watch := start(t)
			c.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n" + content)
			w := u.accept()
			w.seeHead()
			w.see(content)
			if trickle {
				go func() {
					for _, err := c.conn.Write([]byte("x")); err == nil; _, err = c.conn.Write([]byte("x")) {
						time.Sleep(20 * time.Millisecond)
					}
				}()
			}
			head := c.seeStatus(408, "request body timeout")
			watch.atLeast(short)
			if field(head, "Connection") != "close" {
				t.Errorf("got %q", head)
			}
			if rest := w.seeAll(); !trickle && rest != "" || strings.Trim(rest, "x") != "" {
				t.Errorf("upstream saw %q", rest)
			}
			if n := p.metric("millrace_proxy_failures_total{error_type=\"body_timeout\",http_response_status_code=\"408\"}"); n != 1 {
				t.Errorf("%v timeouts are counted", n)
			}
		})
	}
	f("timeouts: {body_idle: 150ms}", "Content-Length: 100", "", false)
	f("timeouts: {body_idle: 150ms}", "Content-Length: 100", "some", false)
	f("timeouts: {body_idle: 150ms}", "Transfer-Encoding: chunked", "1\r\nx\r\n", false)
	f("timeouts: {body: 150ms}", "Content-Length: 100000", "", true)
	f("timeouts: {body: 150ms}", "Content-Length: 100", "some", false)
}

// A slow upload is no slow upload while the client is not the one waited for.
func TestBodyIdleTimeoutSparesClients(t *testing.T) {
	t.Parallel()
	u := silent(t)
	p := setup{top: "timeouts: {body_idle: 2900ms}", upstream: "connection_timeout: false"}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
	eventually(t, "the connect has begun", func() bool { _, n := p.engine.Held(); return n == 1 })
	time.Sleep(1500 * time.Millisecond)
	u.wake() // tries to connect come at once, after one second and after three
	w := u.accept()
	w.seeHead()
	time.Sleep(100 * time.Millisecond)
	c.send("hello")
	w.see("hello")
	w.send(ok("x"))
	c.see(ok("x"))
}

// A client that takes nothing of its answer is cut off, and so is the upstream.
func TestWriteIdleTimeout(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {write_idle: 150ms}"}.run(t, u)
	c := p.dialNarrow()
	watch := start(t)
	c.get("/")
	w := u.accept()
	w.seeHead()
	w.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
	go func() {
		for b := make([]byte, 64<<10); ; {
			if _, err := w.conn.Write(b); err != nil {
				return
			}
		}
	}()
	w.seeGone()
	watch.atLeast(short)
	c.close()
	p.released()
}

// The same for what is left of an answer that the upstream has sent whole: the time for
// idle connections, which is longer, is not for this one.
func TestWriteIdleTimeoutOfQueue(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {write_idle: 3s, idle: 1h}"}.run(t, u)
	watch := start(t)
	c, _, _ := p.full(u)
	p.released()
	watch.atLeast(3 * time.Second)
	c.close()
}

// A client that takes its answer in time is idle only from then on.
func TestIdleTimeoutBehindQueue(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {write_idle: 3s, idle: 3500ms}"}.run(t, u)
	c, w, answers := p.full(u)
	watch := start(t)
	c.get("/last")
	w.seeHead()
	w.send(ok("last"))
	c.see(answers + ok("last"))
	c.seeEnd()
	watch.atLeast(3500 * time.Millisecond)
}
