package engine_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An answer that only the end of the connection delimits, to a client that took nothing for
// too long, is not whole: the client must not take it for that.
func TestReviewStuckClientOfUnframedAnswer(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {write_idle: 300ms}"}.run(t, u)
	c := p.dialNarrow()
	c.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
	w := u.accept()
	w.seeHead()
	go func() { // more than waits anywhere
		_, _ = io.WriteString(w.conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+strings.Repeat("x", 16<<20))
		w.close()
	}()
	eventually(t, "the proxy gives the client up", func() bool {
		clients, _ := p.engine.Held()
		return clients == 0
	})
	n, _, err := c.digest(64<<10, nil)
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("client read %d bytes and then %v, want a reset", n, err)
	}
}

// A tunnel without a limit outlives a client that was slow for a moment.
func TestReviewEndlessTunnelAfterSlowClient(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {tunnel: 0, write_idle: 1s}"}.run(t, u)
	c, w := p.tunnel(u, p.dialNarrow)
	bulk := noise(1 << 20)
	go func() { _, _ = io.WriteString(w.conn, bulk) }()
	p.standsStill()
	c.see(bulk)
	time.Sleep(1500 * time.Millisecond) // the time after which a client that takes nothing is cut
	w.send("more")
	c.see("more")
}

// What the head's Connection names does not go on as a trailer either (RFC 9110, 7.6.1).
func TestReviewConnectionNamesTrailers(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Hop: 1\r\nX-End: 2\r\n\r\n")
	w := u.accept()
	w.seeHead()
	w.see("1\r\na\r\n0\r\nX-End: 2\r\n\r\n")
	w.send("HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n")
	c.see("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	w.send("1\r\na\r\n0\r\nX-Hop: 1\r\n\r\n")
	c.see("1\r\na\r\n0\r\n\r\n")
}
