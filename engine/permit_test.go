package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
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

// At the limit of upstream connections a request waits for as long as for a connect.
func TestUpstreamConnectionLimit(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "proxy_concurrent_conns: 2", cluster: "max_retries_per_upstream: 0", upstream: "connection_timeout: 3s"}.run(t, u)
	var clients, ends []*wire
	for range 2 {
		c := p.dial()
		c.get("/")
		w := u.accept()
		w.seeHead()
		clients, ends = append(clients, c), append(ends, w)
	}
	late := p.dial()
	watch := start(t)
	late.get("/")
	late.seeStatus(503, "overloaded")
	watch.atLeast(3 * time.Second)
	for i, end := range ends {
		end.close()
		clients[i].seeStatus(502, "bad gateway")
	}
	for _, c := range append(clients, late) {
		c.close()
	}
	p.released()
}

// A request that waits is served as soon as another is done.
func TestUpstreamConnectionLimitEnds(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	u := listen(t)
	u.serve(func(w *wire) {
		for {
			head, err := w.readHead()
			if err != nil {
				return
			}
			path := strings.Fields(head)[1]
			if path == "/held" {
				<-held
			}
			if _, err := io.WriteString(w.conn, ok(path)); err != nil {
				return
			}
		}
	})
	p := setup{top: "proxy_concurrent_conns: 2", upstream: "connection_timeout: false"}.run(t, u)
	var clients []*wire
	for range 2 {
		c := p.dial()
		c.get("/held")
		clients = append(clients, c)
	}
	eventually(t, "both are at work", func() bool { _, n := p.engine.Held(); return n == 2 })
	for range 3 {
		c := p.dial()
		c.get("/late")
		clients = append(clients, c)
	}
	eventually(t, "the others wait", func() bool { return p.engine.Waiting() == 3 })
	close(held)
	for i, c := range clients {
		c.see(ok([]string{"/held", "/held", "/late", "/late", "/late"}[i]))
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
	heavy(t)
	e := newEcho(t)
	p := setup{
		workers: 2,
		top:     "limits: {connections: 8}\nproxy_concurrent_conns: 8",
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
