package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const circuitOf = `  - proxy: {upstreams: [%s], circuit_breaker: {max_fails: 1, record_5xx: true, open_duration: 300ms}, max_retries_per_upstream: 0}`

func (p *proxy) state() float64 { return p.metric("millrace_proxy_circuit_state") }

// openByError has an endpoint answer 500, which opens its circuit. Its connection stays.
func (p *proxy) openByError(u *upstream) (c, end *wire) {
	p.t.Helper()
	c = p.dial()
	c.get("/")
	end = u.accept()
	end.seeHead()
	end.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
	c.seesSoon(500)
	if p.state() != 1 {
		p.t.Fatal("the circuit is not open")
	}
	return c, end
}

// A trial on a connection that had gone stale is tried on a fresh one.
func TestReview3StaleTrial(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{workers: 2, routes: fmt.Sprintf(circuitOf, `"{0}"`)}.run(t, u)
	c, w := p.openByError(u)
	c.get("/")
	c.seesSoon(503)
	time.Sleep(350 * time.Millisecond)
	resume := p.engine.Stall()
	c.get("/")
	w.reset()
	resume()
	w = u.accept()
	w.seeHead()
	if p.state() != 2 {
		t.Error("the circuit is not half-open")
	}
	w.send(ok(""))
	c.seesSoon(200)
	if p.state() != 0 {
		t.Error("the circuit is not closed")
	}
}

// Of many requests that come when the time of an open circuit is over one is the trial, also
// if its client leaves, over and over.
func TestReview3OneTrial(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{workers: 2, routes: fmt.Sprintf(circuitOf, `"{0}"`)}.run(t, u)
	_, w := p.openByError(u)
	w.close()
	time.Sleep(350 * time.Millisecond)
	var tried atomic.Int64
	heads := make(chan *wire, 1000)
	go func() {
		for {
			w, err := u.acceptOne()
			if err != nil {
				return
			}
			tried.Add(1)
			heads <- w
		}
	}()
	var all sync.WaitGroup
	clients := make([]*wire, 40)
	for i := range clients {
		clients[i] = p.dial()
	}
	for _, c := range clients {
		all.Go(func() { _, _ = c.conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) })
	}
	all.Wait()
	trial := <-heads
	time.Sleep(100 * time.Millisecond)
	if n := tried.Load(); n != 1 {
		t.Errorf("%d trials at once", n)
	}
	trial.close() // reset without an answer
	refused := 0
	for _, c := range clients {
		head, _ := c.readHead()
		if strings.Contains(head, " 503 ") {
			refused++
		}
		c.close()
	}
	if refused < 39 {
		t.Errorf("%d refused", refused)
	}
	time.Sleep(350 * time.Millisecond)
	for range 50 { // half-open: each client leaves
		c := p.dial()
		c.get("/")
		w := <-heads
		w.seeHead()
		c.reset()
		w.seeGone()
	}
	c := p.dial()
	eventually(t, "the trial is free", func() bool { return p.metric("millrace_proxy_lb_active_connections") == 0 })
	c.get("/")
	w = <-heads
	w.seeHead()
	w.send(ok(""))
	c.seesSoon(200)
	if p.state() != 0 {
		t.Error("the circuit is not closed")
	}
}

// A reload while the trial runs, with the same settings or others, leaves no circuit behind
// that nobody may try.
func TestReview3TrialDuringReload(t *testing.T) {
	t.Parallel()
	f := func(after string, leave bool) {
		t.Helper()
		u := listen(t)
		p := setup{workers: 2, routes: fmt.Sprintf(circuitOf, `"{0}"`)}.run(t, u)
		_, w := p.openByError(u)
		w.close()
		time.Sleep(350 * time.Millisecond)
		c := p.dial()
		c.get("/")
		w = u.accept()
		w.seeHead()
		p.reload(setup{workers: 2, routes: fmt.Sprintf(after, `"{0}"`)}, u)
		if leave {
			c.reset()
			w.seeGone()
			eventually(t, "the trial is over", func() bool { return p.metric("millrace_proxy_lb_active_connections") == 0 })
		} else {
			w.send(ok(""))
			c.seesSoon(200)
		}
		if leave {
			c = p.dial()
		}
		c.get("/")
		if leave {
			w = u.accept()
		}
		w.seeHead()
		w.send(ok(""))
		c.seesSoon(200)
		if p.state() != 0 {
			t.Errorf("the circuit is not closed: %v", p.state())
		}
	}
	other := strings.Replace(circuitOf, "max_fails: 1", "max_fails: 2", 1)
	f(circuitOf, false)
	f(circuitOf, true)
	f(other, false)
	f(other, true)
}
