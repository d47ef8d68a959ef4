package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// A connection between requests holds no memory for bytes, whatever its requests were like.
func TestIdleConnectionsHoldNoBuffers(t *testing.T) {
	heavy(t)
	e := newEcho(t)
	p := setup{
		cluster: "keepalive: false", // so that bodies wait for a connection
		top:     "limits: {body_bytes: 500KiB}",
	}.run(t, e.upstream)
	f := func(request, want string) {
		t.Helper()
		c := p.dial()
		for i := range len(request) / (64 << 10) {
			c.send(request[i*64<<10 : (i+1)*64<<10])
		}
		c.send(request[len(request)&^(64<<10-1):])
		c.see(want)
		if n := p.engine.InputMemory(); n > 0 {
			t.Errorf("%.100q: %d bytes are held", request, n)
		}
	}
	post := func(n int) string {
		return fmt.Sprintf("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", n, strings.Repeat("x", n))
	}
	f("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", ok("/x"))
	f("GET /x HTTP/1.1\r\nHost: a\r\n\r\n\r\n\r\n", ok("/x"))
	f(post(1), ok("/x"))
	f(post(10_000), ok("/x"))
	f(post(100_000), ok("/x"))
	f(post(450_000), ok("/x"))
	f("PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", ok("/x"))
	f(post(1)+post(2)+post(3), ok("/x")+ok("/x")+ok("/x"))
	f("GET /x HTTP/1.1\r\nHost: a\r\nX: "+strings.Repeat("y", 25_000)+"\r\n\r\n", ok("/x"))
}

// Interim answers wait for a slow client like everything else, and the final one comes
// behind them.
func TestInterimsWaitForSlowClient(t *testing.T) {
	heavy(t)
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dialNarrow()
	c.get("/")
	w := u.accept()
	w.seeHead()
	interims := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: "+strings.Repeat("x", 50<<10)+"\r\n\r\n", 12)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(w.conn, interims+ok("final"))
	}()
	p.standsStill()
	if n := p.engine.Queued(); n > maxQueued {
		t.Errorf("%d bytes wait, want at most %d", n, maxQueued)
	}
	c.see(interims + ok("final"))
	<-sent
}
