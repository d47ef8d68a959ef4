package engine_test

import (
	"errors"
	"strings"
	"testing"

	"millrace/engine"
)

// set changes an endpoint of cluster web, and returns it.
func (p *proxy) set(u *upstream, c engine.EndpointChange) engine.EndpointView {
	p.t.Helper()
	for _, v := range p.engine.Clusters()[0].Endpoints {
		if v.URL == u.url() {
			got, err := p.engine.SetEndpoint("web", v.ID, c)
			if err != nil {
				p.t.Fatal(err)
			}
			return got
		}
	}
	p.t.Fatalf("no endpoint %s", u.url())
	return engine.EndpointView{}
}

// tally asks n times and counts the answers by their content.
func (w *wire) tally(n int, lines ...string) map[string]int {
	w.t.Helper()
	all := map[string]int{}
	for range n {
		w.send("GET / HTTP/1.1\r\nHost: a.example\r\n" + strings.Join(append(lines, "\r\n"), "\r\n"))
		head, err := w.readHead()
		if err != nil {
			w.t.Fatal(err)
		}
		content, err := w.readBody(head)
		if err != nil {
			w.t.Fatal(err)
		}
		if !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			content = head[len("HTTP/1.1 "):][:3]
		}
		all[content]++
	}
	return all
}

// saying is an upstream whose answers have a content.
func saying(t *testing.T, content string) *upstream {
	return listen(t).serve(func(w *wire) {
		for {
			if _, err := w.readHead(); err != nil {
				return
			}
			if _, err := w.conn.Write([]byte(ok(content))); err != nil {
				return
			}
		}
	})
}

// What an operator asks for is in force at the next request, and stays over a reload.
func TestSetEndpoint(t *testing.T) {
	t.Parallel()
	a, b := saying(t, "a"), saying(t, "b")
	s := setup{workers: 1, cluster: "algorithm: round_robin\n"}
	p := s.run(t, a, b)
	c := p.dial()
	f := func(u *upstream, change engine.EndpointChange, state string, weight int, want map[string]int) {
		t.Helper()
		if v := p.set(u, change); v.State != state || v.Weight != weight || v.URL != u.url() {
			t.Errorf("after %+v it is %+v", change, v)
		}
		for _, when := range []string{"at once", "after a reload"} {
			n := 0
			for _, count := range want {
				n += count
			}
			if got := c.tally(n); len(got) != len(want) || got["a"] != want["a"] || got["b"] != want["b"] {
				t.Errorf("%s, after %+v: answers %v, want %v", when, change, got, want)
			}
			p.reload(s, a, b)
		}
	}
	f(a, engine.EndpointChange{State: "drain"}, "drain", 1, map[string]int{"b": 6})
	f(a, engine.EndpointChange{State: "stopped"}, "stopped", 1, map[string]int{"b": 6})
	f(b, engine.EndpointChange{State: "drain"}, "drain", 1, map[string]int{"503": 2})
	f(a, engine.EndpointChange{State: "enabled", Weight: 7}, "enabled", 7, map[string]int{"a": 4})
	f(b, engine.EndpointChange{State: "enabled"}, "enabled", 1, map[string]int{"a": 14, "b": 2})
	f(a, engine.EndpointChange{Weight: 1}, "enabled", 1, map[string]int{"a": 3, "b": 3})
}

// Who is tied to an endpoint that drains goes on there, by cookie and by key; nobody else does,
// and nobody is tied to it any more.
func TestDrainServesTheTied(t *testing.T) {
	t.Parallel()
	f := func(affinity string, tie func(w *wire, owner string) string) {
		t.Helper()
		a, b := saying(t, "a"), saying(t, "b")
		p := setup{cluster: "algorithm: round_robin\naffinity: " + affinity + "\n"}.run(t, a, b)
		c := p.dial()
		line := tie(c, "a")
		p.set(a, engine.EndpointChange{State: "drain"})
		if got := c.tally(5, line); got["a"] != 5 {
			t.Errorf("%s: the tied get %v, want 5 of a", affinity, got)
		}
		if got := c.tally(5); got["b"] != 5 {
			t.Errorf("%s: the others get %v, want 5 of b", affinity, got)
		}
		p.set(a, engine.EndpointChange{State: "stopped"})
		if got := c.tally(5, line); got["b"] != 5 {
			t.Errorf("%s: when it is stopped, the tied get %v, want 5 of b", affinity, got)
		}
	}
	f("{cookie: {name: c}}", func(w *wire, owner string) string {
		for range 10 {
			w.get("/")
			head, err := w.readHead()
			if err != nil {
				t.Fatal(err)
			}
			if content, _ := w.readBody(head); content == owner {
				value, _, _ := strings.Cut(field(head, "Set-Cookie"), ";")
				return "Cookie: " + value
			}
		}
		t.Fatal("no cookie of the endpoint")
		return ""
	})
	f("{header: {name: X-Key}}", func(w *wire, owner string) string {
		for _, key := range "abcdefghijklmnopqrstuvwxyz" {
			if line := "X-Key: " + string(key); w.tally(1, line)[owner] == 1 {
				return line
			}
		}
		t.Fatal("no key of the endpoint")
		return ""
	})
}

func TestSetEndpointRefuses(t *testing.T) {
	t.Parallel()
	a := saying(t, "a")
	p := setup{}.run(t, a)
	before := p.engine.Clusters()[0].Endpoints[0]
	f := func(cluster, id string, c engine.EndpointChange, missing bool) {
		t.Helper()
		if _, err := p.engine.SetEndpoint(cluster, id, c); err == nil || errors.Is(err, engine.ErrNoEndpoint) != missing {
			t.Errorf("%s %s %+v: %v", cluster, id, c, err)
		}
	}
	f("nothing", before.ID, engine.EndpointChange{State: "drain"}, true)
	f("web", before.ID+"x", engine.EndpointChange{State: "drain"}, true)
	f("web", "", engine.EndpointChange{Weight: 2}, true)
	f("web", before.ID, engine.EndpointChange{State: "disabled"}, false)
	f("web", before.ID, engine.EndpointChange{State: "Drain", Weight: 2}, false)
	f("web", before.ID, engine.EndpointChange{State: "drain", Weight: -1}, false)
	f("web", before.ID, engine.EndpointChange{State: "drain", Weight: 1_000_001}, false)
	if after := p.engine.Clusters()[0].Endpoints[0]; after != before {
		t.Errorf("the endpoint is %+v, before %+v", after, before)
	}
}

// Room that an operator makes is found by those who wait, at once.
func TestSetEndpointLetsWaitersIn(t *testing.T) {
	t.Parallel()
	stuck, idle := listen(t), saying(t, "b")
	p := setup{workers: 1, upstream: "limit: 1, connection_timeout: 20s"}.run(t, stuck, idle)
	p.set(idle, engine.EndpointChange{State: "stopped"})
	first, second := p.dial(), p.dial()
	first.get("/")
	stuck.accept().seeHead()
	second.get("/")
	resume := p.engine.Stall() // behind it, the second request waits
	resume()
	p.set(idle, engine.EndpointChange{State: "enabled"})
	second.seesSoon(200)
}
