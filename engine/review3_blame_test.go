package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// oneStrike is a cluster whose circuit opens at the first failure.
const oneStrike = `  - proxy: {upstreams: ["{0}"], circuit_breaker: {max_fails: 1}, max_retries_per_upstream: 0, response_header_timeout: %s}`

func (p *proxy) opened() float64 { return p.metric("millrace_proxy_circuit_open_total") }

// An endpoint that is late is at fault, whatever its client did before.
func TestReview3LateCountsInSpiteOfStall(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {body_idle: 400ms}", routes: fmt.Sprintf(oneStrike, "200ms")}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
	w := u.accept()
	w.seeHead()
	w.see("a")
	time.Sleep(300 * time.Millisecond)
	c.send("b")
	c.seeStatus(504, "upstream timeout")
	if n := p.opened(); n != 1 {
		t.Errorf("the circuit has opened %v times, want once", n)
	}
}

// An endpoint that does not take the upload and then breaks it off is at fault: its client
// was kept waiting, and did not pause.
func TestReview3SlowEndpointIsNoStall(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {body_idle: 600ms}", routes: fmt.Sprintf(oneStrike, "30s")}.run(t, u)
	c := p.dial()
	go func() {
		_, _ = fmt.Fprintf(c.conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 1<<30)
		_, _ = io.CopyN(c.conn, zeros{}, 1<<30)
	}()
	w := u.accept()
	w.seeHead()
	p.standsStill()
	time.Sleep(500 * time.Millisecond) // more than half of body_idle
	if _, err := io.CopyN(io.Discard, w.conn, 32<<20); err != nil {
		t.Fatal(err)
	}
	w.reset()
	c.seeStatus(502, "bad gateway")
	if n := p.opened(); n != 1 {
		t.Errorf("the circuit has opened %v times, want once", n)
	}
}

// The time that the endpoint took is not the client's: it may pause for as long as ever
// behind it.
func TestReview3PauseBehindSlowEndpoint(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {body_idle: 1500ms}", routes: fmt.Sprintf(oneStrike, "30s")}.run(t, u)
	c := p.dial()
	content := ""
	head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 1<<30)
	c.send(head)
	w := u.accept()
	w.seeHead()
	for p.engine.Queued() <= 64<<10 { // until the endpoint is the one waited for
		piece := strings.Repeat("x", 256<<10)
		c.send(piece)
		content += piece
		p.standsStill()
	}
	time.Sleep(1700 * time.Millisecond)
	w.see(content)
	time.Sleep(500 * time.Millisecond) // a third of what it may
	c.send("y")
	w.see("y")
}
