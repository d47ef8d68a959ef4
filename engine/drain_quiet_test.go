package engine_test

import (
	"testing"
	"time"

	"millrace/engine"
)

// A client that asks while the proxy is leaving is served, whether it has asked before or not.
func TestDrainServesWhoIsAboutToAsk(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	known, unknown := p.dial(), p.dial()
	known.ask("/1", "/1")
	eventually(t, "both are accepted", func() bool { clients, _ := p.engine.Held(); return clients == 2 })
	wait := p.draining()
	for _, c := range []*wire{known, unknown} {
		c.get("/2")
		c.see("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n/2")
		c.seeEnd()
	}
	wait()
}

// The rest of a first head may take its time.
func TestDrainServesHalfAFirstHead(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	c := p.dial()
	eventually(t, "it is accepted", func() bool { clients, _ := p.engine.Held(); return clients == 1 })
	wait := p.draining()
	c.send("GET /1 HTTP/1.1\r\n")
	eventually(t, "the proxy has read it", func() bool { return p.engine.Queued() > 0 })
	time.Sleep(engine.QuietGrace * 3 / 2) // nobody waits for who is quiet any more
	c.send("Host: a\r\n\r\n")
	c.see("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n/1")
	c.seeEnd()
	wait()
}
