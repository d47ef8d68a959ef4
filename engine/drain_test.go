package engine_test

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// draining begins to drain, and returns when new connections are refused.
func (p *proxy) draining() (wait func()) {
	p.t.Helper()
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		done <- p.engine.Drain(ctx)
	}()
	eventually(p.t, "connections are refused", func() bool {
		c, err := net.Dial("tcp", p.address)
		if err == nil {
			_ = c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	return func() {
		p.t.Helper()
		if err := <-done; err != nil {
			p.t.Errorf("drain: %v", err)
		}
	}
}

func TestDrainEndsQuietConnections(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{workers: 2}.run(t, e.upstream)
	var clients []*wire
	for i := range 10 {
		c := p.dial()
		if i%2 == 0 {
			c.ask("/", "/")
		}
		clients = append(clients, c)
	}
	if ready, _ := p.engine.Ready(); !ready {
		t.Error("not ready before the drain")
	}
	p.drain()
	if ready, why := p.engine.Ready(); ready || why != "draining" {
		t.Errorf("after the drain: ready %v, %s", ready, why)
	}
	for _, c := range clients {
		c.seeEnd()
	}
}

// What runs is finished, and said to be the last.
func TestDrainFinishesRequests(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	waiting, running, uploading := p.dial(), p.dial(), p.dial()
	waiting.get("/")
	w1 := u.accept()
	w1.seeHead()
	running.get("/")
	w2 := u.accept()
	w2.seeHead()
	w2.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
	running.see("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
	uploading.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
	w3 := u.accept()
	w3.seeHead()
	wait := p.draining()
	w1.send(ok("1"))
	waiting.see("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n1")
	waiting.seeEnd()
	w2.send("cd")
	running.see("cd")
	running.seeEnd()
	uploading.send("cd")
	w3.see("abcd")
	w3.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	uploading.see("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n")
	uploading.seeEnd()
	wait()
}

// A request whose head has begun to arrive is served.
func TestDrainServesHalfAHead(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	c := p.dial()
	c.ask("/1", "/1")
	c.send("GET /2 HTTP/1.1\r\n")
	eventually(t, "the proxy has read it", func() bool { return p.engine.Queued() > 0 })
	wait := p.draining()
	c.send("Host: a\r\n\r\n")
	c.see("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n/2")
	c.seeEnd()
	wait()
}

// A connection that the proxy has not even heard of yet, and its request, are served.
func TestDrainServesNewConnection(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{workers: 2}.run(t, e.upstream)
	resume := p.engine.Stall()
	var clients []*wire
	for range 20 {
		c := p.dial()
		c.get("/new")
		clients = append(clients, c)
	}
	done := make(chan error, 1)
	go func() { done <- p.engine.Drain(t.Context()) }()
	eventually(t, "the drain has begun", func() bool { ready, _ := p.engine.Ready(); return !ready })
	resume()
	for _, c := range clients {
		c.see("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n/new")
		c.seeEnd()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A client that is slow to take its last answer gets all of it, and the drain ends then.
func TestDrainWaitsForSlowReader(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {idle: 1h}"}.run(t, u)
	c, _, answers := p.full(u)
	wait := p.draining()
	c.see(answers)
	c.seeEnd()
	wait()
}

// A tunnel may go on for as long as there is time.
func TestDrainWithTunnel(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c, w := p.tunnel(u, p.dial)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.engine.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("drain with an open tunnel: %v", err)
	}
	c.send("still")
	w.see("still")
	w.send("here")
	c.see("here")
	c.end()
	w.seeEnd()
	w.end()
	c.seeEnd()
	p.drain()
}

// Stop ends whatever is left.
func TestStopEndsEverything(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{workers: 2}.run(t, u)
	idle, busy := p.dial(), p.dial()
	busy.get("/")
	w := u.accept()
	w.seeHead()
	p.engine.Stop()
	idle.seeGone()
	busy.seeGone()
	w.seeGone()
	p.engine.Stop() // once more does nothing
}
