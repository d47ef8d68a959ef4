package engine_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const (
	handshake = "GET /ws HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
)

// tunnel opens one. Both ends are as narrow as they get if both are to be.
func (p *proxy) tunnel(u *upstream, dial func() *wire) (client, end *wire) {
	p.t.Helper()
	client = dial()
	client.send(handshake)
	end = u.accept()
	end.seeHead()
	end.send(switching)
	client.see(switching)
	return client, end
}

// noise is n bytes in which nothing repeats.
func noise(n int) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return string(b)
}

// gives has w send text and then its end, on another goroutine. wait must be called.
func (w *wire) gives(text string) (wait func()) {
	done := make(chan error, 1)
	go func() {
		_, err := io.WriteString(w.conn, text)
		if err == nil {
			err = w.conn.(interface{ CloseWrite() error }).CloseWrite()
		}
		done <- err
	}()
	return func() {
		w.t.Helper()
		if err := <-done; err != nil {
			w.t.Errorf("%s: %v", w.name, err)
		}
	}
}

// takes reads to the end and wants text.
func (w *wire) takes(text string, pause func()) {
	w.t.Helper()
	n, sum, err := w.digest(32<<10, pause)
	if err != nil || n != int64(len(text)) || sum != sha256.Sum256([]byte(text)) {
		w.t.Errorf("%s got %d bytes, %v, want %d others", w.name, n, err, len(text))
	}
}

func TestTunnelBothWays(t *testing.T) {
	heavy(t)
	u := listenNarrow(t)
	p := setup{}.run(t, u)
	up, down := noise(1<<20), noise(1<<20+1)
	for _, dial := range []func() *wire{p.dial, p.dialNarrow} {
		c, w := p.tunnel(u, dial)
		waitUp, waitDown := c.gives(up), w.gives(down)
		got := make(chan struct{})
		go func() {
			defer close(got)
			w.takes(up, func() { time.Sleep(50 * time.Microsecond) })
		}()
		c.takes(down, nil)
		<-got
		waitUp()
		waitDown()
		c.close()
		w.close()
	}
	p.released()
}

// One end is over; what the other sends then still arrives.
func TestTunnelHalfClosed(t *testing.T) {
	heavy(t)
	u := listen(t)
	p := setup{}.run(t, u)
	text := noise(1 << 20)
	f := func(first, second func(c, w *wire) *wire) {
		t.Helper()
		c, w := p.tunnel(u, p.dial)
		first(c, w).end()
		second(c, w).seeEnd()
		wait := second(c, w).gives(text)
		first(c, w).takes(text, nil)
		wait()
	}
	client := func(c, _ *wire) *wire { return c }
	end := func(_, w *wire) *wire { return w }
	f(client, end)
	f(end, client)
}

// Bytes that come right behind the handshake, from either side, are the tunnel's first.
func TestTunnelEarlyBytes(t *testing.T) {
	heavy(t)
	u := listen(t)
	p := setup{}.run(t, u)
	for i := range 12 {
		size := []int{1, 1000, 30 << 10, 3 << 20}[i%4]
		up, down := noise(size), noise(size+1)
		c := p.dial()
		c.send(handshake + up[:min(size, 10<<10)]) // in one piece
		w := u.accept()
		w.seeHead()
		waitUp := c.gives(up[min(size, 10<<10):])
		waitDown := w.gives(switching + down)
		c.see(switching)
		got := make(chan struct{})
		go func() { defer close(got); w.takes(up, nil) }()
		c.takes(down, nil)
		<-got
		waitUp()
		waitDown()
		c.close()
		w.close()
	}
	p.released()
}

// A side that breaks takes the other with it.
func TestTunnelReset(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	f := func(act func(c, w *wire)) {
		t.Helper()
		c, w := p.tunnel(u, p.dial)
		act(c, w)
		c.close()
		w.close()
	}
	f(func(c, w *wire) { c.reset(); w.seeReset() })
	f(func(c, w *wire) { w.reset(); c.seeReset() })
	f(func(c, w *wire) { c.end(); w.seeEnd(); w.reset(); c.seeReset() })
	f(func(c, w *wire) { w.end(); c.seeEnd(); c.reset(); w.seeReset() })
	f(func(c, w *wire) { c.end(); w.seeEnd(); c.reset(); w.seeBroken() })
	f(func(c, w *wire) { w.end(); c.seeEnd(); w.reset(); c.seeBroken() })
	p.released()
}

// A side that does not read holds the other one up, and no more than the marks.
func TestTunnelBackpressure(t *testing.T) {
	heavy(t)
	u := listenNarrow(t)
	p := setup{}.run(t, u)
	f := func(from, to *wire) {
		t.Helper()
		text := noise(4 << 20)
		wait := from.gives(text)
		to.see(text[:1])
		p.standsStill()
		if n := p.engine.Queued(); n > maxQueued {
			t.Errorf("%d bytes are queued, want at most %d", n, maxQueued)
		}
		to.takes(text[1:], nil)
		wait()
	}
	c, w := p.tunnel(u, p.dialNarrow)
	f(c, w)
	f(w, c)
}

// HTTP's times end with the handshake; the tunnel's own begins anew with every byte, in
// whatever direction.
func TestTunnelTimeout(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{
		top:      "timeouts: {header: 3s, idle: 100ms, body_idle: 100ms, body: 100ms, write_idle: 3s, tunnel: 3s}",
		cluster:  "response_header_timeout: 3s\nresponse_idle_timeout: 100ms",
		upstream: "idle_timeout: 100ms, connection_timeout: 3s",
	}.run(t, u)
	c, w := p.tunnel(u, p.dial)
	for i := range 4 {
		time.Sleep(900 * time.Millisecond)
		from, to := c, w
		if i%2 == 1 {
			from, to = w, c
		}
		from.send("x")
		to.see("x")
	}
	watch := start(t)
	c.send("y")
	w.see("y")
	w.seeEnd()
	watch.atLeast(3 * time.Second)
	c.seeEnd()
	c.close()
	p.released()
}

// After a tunnel its connection serves nobody else; a request that would have been one is
// served as usual.
func TestTunnelConnectionIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	for i := range 3 {
		c, w := p.tunnel(u, p.dial)
		c.end()
		w.seeEnd()
		w.end()
		c.seeEnd()
		other := p.dial()
		other.get("/")
		next := u.accept()
		next.seeHead()
		next.send(strings.Replace(ok(fmt.Sprint(i)), "\r\n", "\r\nConnection: close\r\n", 1))
		other.see(ok(fmt.Sprint(i)))
		other.close()
	}
	p.released()
}

// Switches that nobody asked for leave nothing behind.
func TestUnaskedSwitches(t *testing.T) {
	heavy(t)
	u := listen(t)
	u.serve(func(w *wire) {
		if _, err := w.readHead(); err == nil {
			_, _ = io.WriteString(w.conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nmore")
			_, _ = io.Copy(io.Discard, w.conn)
		}
	})
	p := setup{}.run(t, u)
	c := p.dial()
	for i := range 300 {
		if i%2 == 0 {
			c.get("/")
		} else {
			c.send(handshake)
		}
		c.seeStatus(502, "bad gateway")
	}
	c.close()
	p.released()
}
