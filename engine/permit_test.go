package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// At the limit of client connections a further one waits until another ends.
func TestClientConnectionLimit(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{top: "limits: {connections: 5}"}.run(t, e.upstream)
	var clients []*wire
	for range 5 {
		c := p.dial()
		c.ask("/in", "/in")
		clients = append(clients, c)
	}
	late := p.dial()
	late.get("/late")
	for _, c := range clients { // those that are in are served meanwhile
		c.ask("/again", "/again")
	}
	for _, r := range e.seen() {
		if strings.Contains(r.line, "/late") {
			t.Error("the sixth connection was served")
		}
	}
	if n, _ := p.engine.Held(); n != 5 {
		t.Errorf("%d connections are counted, want 5", n)
	}
	clients[3].close()
	late.see(ok("/late"))
	for _, c := range append(clients, late) {
		c.close()
	}
	p.released()
}

// At the limit of upstream connections a request is refused at once, unless one can be
// used again or given up.
func TestUpstreamConnectionLimit(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "proxy_concurrent_conns: 2", cluster: "max_retries_per_upstream: 0"}.run(t, u)
	var clients, ends []*wire
	for range 2 {
		c := p.dial()
		c.get("/")
		w := u.accept()
		w.seeHead()
		clients, ends = append(clients, c), append(ends, w)
	}
	late := p.dial()
	late.get("/")
	late.seeStatus(503, "overloaded")
	ends[0].send(ok("0"))
	clients[0].see(ok("0"))
	late.get("/")
	ends[0].seeHead()
	ends[0].send(ok("late"))
	late.see(ok("late"))
	ends[1].close()
	clients[1].seeStatus(502, "bad gateway")
	for _, c := range append(clients, late) {
		c.close()
	}
	p.released()
}

// An idle connection to one endpoint makes room for one to another.
func TestIdleConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	a, b := newEcho(t), newEcho(t)
	p := setup{
		top:    "proxy_concurrent_conns: 1",
		routes: `  - {prefix: /a, proxy: "{0}"}` + "\n" + `  - {prefix: /b, proxy: "{1}"}`,
	}.run(t, a.upstream, b.upstream)
	c := p.dial()
	for range 10 {
		c.ask("/a", "/a")
		c.ask("/b", "/b")
	}
	if n := a.accepted.Load() + b.accepted.Load(); n != 20 {
		t.Errorf("%d connections, want 20", n)
	}
}

// Whatever way requests end, their connections and permits come back.
func TestPermitsComeBack(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{
		workers: 2,
		top:     "limits: {connections: 8}\nproxy_concurrent_conns: 8\ntimeouts: {header: 100ms}",
		routes:  fmt.Sprintf("  - {prefix: /dead, proxy: {upstreams: [%q], circuit_breaker: false}}\n", refusing(t).url()) + `  - {prefix: /, proxy: "{0}"}`,
	}.run(t, e.upstream)
	for i := range 200 {
		c := p.dial()
		switch i % 8 {
		case 0:
			c.ask("/", "/")
			c.close()
		case 1:
			c.ask("/", "/")
			c.reset()
		case 2:
			c.get("/")
			c.reset()
		case 3:
			c.send("GET /half")
			c.reset()
		case 4:
			c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
			c.close()
		case 5:
			c.send("garbage\r\n\r\n")
			c.seeHead()
			c.close()
		case 6:
			c.get("/dead")
			c.seeStatus(502, "bad gateway")
			c.close()
		case 7:
			c.reset()
		}
	}
	p.released()
}
