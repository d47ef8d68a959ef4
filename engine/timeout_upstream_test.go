package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"millrace/engine"
)

// An upstream that takes a request and gives no head in time is answered for with 504, and
// not asked again.
func TestResponseHeaderTimeout(t *testing.T) {
	t.Parallel()
	f := func(answer string) {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			u, other := listen(t), listen(t)
			p := setup{cluster: "response_header_timeout: 150ms\nalgorithm: round_robin"}.run(t, u, other)
			c := p.dial()
			watch := start(t)
			c.get("/")
			w := acceptEither(u, other)
			w.seeHead()
			w.send(answer)
			c.seeStatus(504, "upstream timeout")
			watch.atLeast(short)
			w.seeGone()
			u.unasked()
			other.unasked()
			c.get("/")
			acceptEither(u, other).seeHead() // the client's connection goes on
		})
	}
	f("")
	f("H")
	f("HTTP/1.1 200 OK\r\nX: ")
}

// acceptEither accepts the one connection that comes to one of two upstreams.
func acceptEither(a, b *upstream) *wire {
	a.t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		for _, u := range []*upstream{a, b} {
			if c, err := u.acceptBy(time.Now().Add(2 * time.Millisecond)); err == nil {
				w := newWire(u.t, "upstream", c)
				u.t.Cleanup(w.close)
				return w
			}
		}
	}
	a.t.Fatal("no upstream was connected to")
	return nil
}

// An interim answer is a sign of life.
func TestResponseHeaderTimeoutAfterInterim(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{cluster: "response_header_timeout: 3s"}.run(t, u)
	c := p.dial()
	c.get("/")
	w := u.accept()
	w.seeHead()
	var watch stopwatch
	for range 10 {
		time.Sleep(350 * time.Millisecond)
		watch = start(t)
		w.send("HTTP/1.1 102 Processing\r\n\r\n")
		c.see("HTTP/1.1 102 Processing\r\n\r\n")
	}
	c.seeStatus(504, "upstream timeout")
	watch.atLeast(3 * time.Second)
}

// The time for the head begins when the request is complete. While the client pauses, the
// upstream owes nothing.
func TestResponseHeaderTimeoutBeginsWithWholeRequest(t *testing.T) {
	t.Parallel()
	f := func(method string, first int) {
		t.Run(fmt.Sprint(method, first), func(t *testing.T) {
			t.Parallel()
			u := listenNarrow(t)
			p := setup{cluster: "response_header_timeout: 3s"}.run(t, u)
			c := p.dial()
			content := strings.Repeat("x", first)
			go func() {
				_, _ = fmt.Fprintf(c.conn, "%s / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", method, first+1, content)
			}()
			w := u.accept()
			w.seeHead()
			w.see(content) // with much of it in the proxy's queue at times
			time.Sleep(3500 * time.Millisecond)
			watch := start(t)
			c.send("x")
			w.see("x")
			c.seeStatus(504, "upstream timeout")
			watch.atLeast(3 * time.Second)
		})
	}
	f("POST", 0)
	f("POST", 10)
	f("PUT", 60<<10)
	f("POST", 500<<10)
}

// An upstream that does not take the upload is the one that is slow.
func TestUpstreamDoesNotRead(t *testing.T) {
	t.Parallel()
	u := listenNarrow(t)
	p := setup{cluster: "response_header_timeout: 150ms", top: "timeouts: {body_idle: 1h, body: 1h}"}.run(t, u)
	c := p.dial()
	watch := start(t)
	go func() {
		_, _ = fmt.Fprintf(c.conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 1<<30)
		_, _ = io.CopyN(c.conn, zeros{}, 1<<30)
	}()
	w := u.accept()
	w.seeHead()
	c.seeStatus(504, "upstream timeout")
	watch.atLeast(short)
	c.close()
	p.released()
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Silence inside of an answer ends it.
func TestResponseIdleTimeout(t *testing.T) {
	t.Parallel()
	f := func(head, part string) {
		t.Run(head, func(t *testing.T) {
			t.Parallel()
			u := listen(t)
			p := setup{cluster: "response_idle_timeout: 150ms"}.run(t, u)
			c := p.dial()
			c.get("/")
			w := u.accept()
			w.seeHead()
			watch := start(t)
			w.send("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n" + part)
			c.see("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n" + part)
			c.seeEnd()
			watch.atLeast(short)
			w.seeGone()
		})
	}
	f("Content-Length: 10", "")
	f("Content-Length: 10", "some")
	f("Transfer-Encoding: chunked", "4\r\nsome\r\n")
}

// An answer that goes on, however slowly, is not cut.
func TestResponseIdleTimeoutSparesSlowAnswers(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{cluster: "response_idle_timeout: 3s\nresponse_header_timeout: 3s"}.run(t, u)
	c := p.dial()
	c.get("/")
	w := u.accept()
	w.seeHead()
	w.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
	c.see("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
	for range 10 {
		time.Sleep(350 * time.Millisecond)
		w.send("x")
		c.see("x")
	}
	c.get("/")
	w.seeHead()
}

// A client that pauses stops the clock, and it runs again when the client goes on, also
// if the proxy has read all that there is.
func TestResponseIdleTimeoutBehindSlowClient(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{cluster: "response_idle_timeout: 3s"}.run(t, u)
	c := p.dialNarrow()
	c.get("/")
	w := u.accept()
	w.seeHead()
	head := "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"
	w.send(head)
	sent := 0
	for piece := strings.Repeat("x", 16<<10); p.engine.Queued() <= engine.HighMark; sent += len(piece) {
		w.send(piece)
		eventually(t, "it is all read", func() bool { return p.engine.Relayed() == int64(sent+len(piece)) })
	}
	time.Sleep(3500 * time.Millisecond)
	watch := start(t)
	c.see(head + strings.Repeat("x", sent))
	c.seeEnd()
	watch.atLeast(3 * time.Second)
	w.seeGone()
}

// An idle connection is closed after its time.
func TestUpstreamIdleTimeout(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{upstream: "idle_timeout: 150ms"}.run(t, u)
	watch := start(t)
	_, w := p.warm(u)
	w.seeEnd()
	watch.atLeast(short)
}
