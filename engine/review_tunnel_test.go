package engine_test

import (
	"io"
	"strings"
	"testing"
)

// A client that resets its tunnel is gone at once, also while the other end takes nothing.
func TestReviewTunnelResetBehindFullQueue(t *testing.T) {
	t.Parallel()
	u := listenNarrow(t)
	p := setup{}.run(t, u)
	c, _ := p.tunnel(u, p.dial)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_, _ = io.WriteString(c.conn, strings.Repeat("x", 64<<20))
	}()
	p.standsStill()
	c.reset()
	<-stopped
	eventually(t, "both ends are given up", func() bool {
		clients, upstreams := p.engine.Held()
		return clients == 0 && upstreams == 0
	})
}

// The same for an upload.
func TestReviewUploadResetBehindFullQueue(t *testing.T) {
	t.Parallel()
	u := listenNarrow(t)
	p := setup{}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
	u.accept().seeHead()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_, _ = io.WriteString(c.conn, strings.Repeat("x", 64<<20))
	}()
	p.standsStill()
	c.reset()
	<-stopped
	eventually(t, "both ends are given up", func() bool {
		clients, upstreams := p.engine.Held()
		return clients == 0 && upstreams == 0
	})
}
