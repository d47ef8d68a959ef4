package engine_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// reload makes the engine go on with s.
func (p *proxy) reload(s setup, upstreams ...*upstream) {
	p.t.Helper()
	c, err := parse(s.text(upstreams))
	if err == nil {
		err = p.engine.Reload(c)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// hurry is for what comes about at once, long before the patience of those who wait.
const hurry = 3 * time.Second

// seesSoon wants an answer with this status long before patience ends.
func (w *wire) seesSoon(status int) string {
	w.t.Helper()
	_ = w.conn.SetDeadline(time.Now().Add(hurry))
	head, err := w.readHead()
	if err == nil {
		_, err = w.readBody(head)
	}
	if err != nil || !strings.HasPrefix(head, fmt.Sprintf("HTTP/1.1 %d ", status)) {
		w.t.Errorf("%s saw %q and %v, want status %d", w.name, head, err, status)
	}
	_ = w.conn.SetDeadline(time.Now().Add(patience))
	return head
}

// When the circuit opens that they wait behind, all who wait are told, not only the first.
func TestReview3WaitersOfAnOpenCircuit(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{workers: 2, routes: `  - proxy: {upstreams: [{url: "{0}", limit: 1, connection_timeout: 20s}], circuit_breaker: {max_fails: 1}, max_retries_per_upstream: 0}`}.run(t, u)
	first := p.dial()
	first.get("/")
	w := u.accept()
	w.seeHead()
	var late []*wire
	for range 4 {
		c := p.dial()
		c.get("/")
		late = append(late, c)
	}
	time.Sleep(100 * time.Millisecond)
	w.reset()
	first.seesSoon(502)
	for _, c := range late {
		c.seesSoon(503)
	}
}

// A limit that a reload brings counts those who are in already, and lets the next in when
// they are through.
func TestReview3LimitByReload(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{workers: 2}.run(t, u)
	first := p.dial()
	first.get("/")
	w := u.accept()
	w.seeHead()
	p.reload(setup{workers: 2, upstream: "limit: 1, connection_timeout: 20s"}, u)
	second := p.dial()
	second.get("/")
	time.Sleep(50 * time.Millisecond)
	w.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	w.close()
	first.seesSoon(200)
	go func() {
		if w, err := u.acceptOne(); err == nil {
			_, _ = w.readHead()
			_, _ = w.conn.Write([]byte(ok("")))
		}
	}()
	second.seesSoon(200)
}

// Whoever waits when a reload raises the limit, or takes it away, goes on.
func TestReview3LimitRaisedByReload(t *testing.T) {
	t.Parallel()
	f := func(before, after setup) {
		t.Helper()
		before.workers, after.workers = 2, 2
		u := listen(t)
		p := before.run(t, u)
		first := p.dial()
		first.get("/")
		w := u.accept()
		w.seeHead()
		var late []*wire
		for range 3 {
			c := p.dial()
			c.get("/")
			late = append(late, c)
			time.Sleep(20 * time.Millisecond)
		}
		p.reload(after, u)
		for range late {
			go func() {
				if w, err := u.acceptOne(); err == nil {
					_, _ = w.readHead()
					_, _ = w.conn.Write([]byte(ok("")))
				}
			}()
		}
		for _, c := range late {
			c.seesSoon(200)
		}
		w.send(ok(""))
		first.seesSoon(200)
	}
	f(setup{upstream: "limit: 1, connection_timeout: 20s"}, setup{upstream: "limit: 9, connection_timeout: 20s"})
	f(setup{upstream: "limit: 1, connection_timeout: 20s"}, setup{})
	f(setup{top: "proxy_concurrent_conns: 1", upstream: "connection_timeout: 20s"}, setup{top: "proxy_concurrent_conns: 9", upstream: "connection_timeout: 20s"})
}

// A request that has tried all but a busy endpoint waits for that one alone. Others do not
// wait behind it while there is room elsewhere.
func TestReview3WaiterHoldsUpNobody(t *testing.T) {
	t.Parallel()
	busy, flaky := listen(t), listen(t)
	p := setup{
		workers: 2,
		routes: `  - {prefix: /, proxy: {algorithm: round_robin, max_retries_per_upstream: 0, circuit_breaker: false, upstreams: [` +
			`{url: "{0}", limit: 1, connection_timeout: 20s}, {url: "{1}", limit: 5, connection_timeout: 20s}]}}`,
	}.run(t, busy, flaky)
	// One request fills busy.
	var first *wire
	failed := make(chan *wire, 1)
	go func() {
		for {
			w, err := flaky.acceptOne()
			if err != nil {
				return
			}
			go func() {
				for {
					head, err := w.readHead()
					switch {
					case err != nil:
						return
					case strings.Contains(head, " /fail "):
						w.close()
						failed <- w
						return
					}
					_, _ = w.conn.Write([]byte(ok("")))
				}
			}()
		}
	}()
	filled := make(chan bool)
	go func() {
		if w, err := busy.acceptOne(); err == nil {
			_, _ = w.readHead()
			close(filled)
		}
	}()
	for full := false; !full; { // until one has gone to busy, where it stays
		first = p.dial()
		first.get("/")
		select {
		case <-filled:
			full = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	held := p.dial()
	held.get("/fail") // on flaky, then waits for busy
	<-failed
	time.Sleep(50 * time.Millisecond)
	for range 5 {
		c := p.dial()
		c.get("/")
		c.seesSoon(200)
	}
	var all []*wire
	for range 4 {
		c := p.dial()
		c.get("/")
		all = append(all, c)
	}
	for _, c := range all {
		c.seesSoon(200)
	}
}

// One client's long pipeline does not keep the requests of others out.
func TestReview3WaiterIsNotPassedBy(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{workers: 2, upstream: "limit: 1, connection_timeout: 20s"}.run(t, e.upstream)
	const pipelined = 3000
	greedy := p.dial()
	done := make(chan bool)
	go func() {
		defer close(done)
		go func() {
			_, _ = greedy.conn.Write([]byte(strings.Repeat("GET /greedy HTTP/1.1\r\nHost: a\r\n\r\n", pipelined)))
		}()
		for range pipelined {
			head, err := greedy.readHead()
			if err == nil {
				_, err = greedy.readBody(head)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	eventually(t, "the pipeline is at work", func() bool { return len(e.seen()) > 0 })
	for range 6 { // on either worker
		p.dial().ask("/late", "/late")
	}
	<-done
	if seen := e.seen(); strings.HasPrefix(seen[len(seen)-1].line, "GET /late") {
		t.Error("the whole pipeline was served before a request that came in the middle of it")
	}
}

// Room that comes by itself, as by a circuit whose time is over, is found by those who wait.
func TestReview3WaiterFindsTrial(t *testing.T) {
	t.Parallel()
	busy, ill := listen(t), listen(t)
	p := setup{
		workers: 2,
		routes: `  - proxy: {algorithm: round_robin, max_retries_per_upstream: 0, circuit_breaker: {max_fails: 1, open_duration: 600ms}, upstreams: [` +
			`{url: "{0}", limit: 1, connection_timeout: 20s}, {url: "{1}", limit: 1, connection_timeout: 20s}]}`,
	}.run(t, busy, ill)
	a, b := p.dial(), p.dial()
	a.get("/")
	b.get("/")
	busy.accept().seeHead()
	w := ill.accept()
	w.seeHead()
	w.reset() // whoever was on it waits for the busy one
	eventually(t, "the circuit is open", func() bool { return p.metric("millrace_proxy_circuit_open_total") == 1 })
	c := p.dial()
	c.get("/")
	_ = ill.l.(*net.TCPListener).SetDeadline(time.Now().Add(hurry))
	conn, err := ill.l.Accept()
	if err != nil {
		t.Fatalf("nobody is the trial: %v", err)
	}
	w = newWire(t, "upstream", conn)
	t.Cleanup(w.close)
	w.seeHead()
	w.send(ok(""))
	c.seesSoon(200)
}
