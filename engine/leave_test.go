package engine_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// A client that has said all it has to say is still answered (RFC 9112, 9.6).
func TestClientHalfCloses(t *testing.T) {
	heavy(t)
	u := listen(t)
	p := setup{}.run(t, u)
	content := noise(1 << 20)
	f := func(request string) {
		t.Helper()
		c := p.dial()
		c.send(request)
		w := u.accept()
		w.seeHead()
		c.end()
		w.send("HTTP/1.1 200 OK\r\nConnection: close\r\n")
		w.send(fmt.Sprintf("Content-Length: %d\r\n\r\n", len(content)))
		wait := w.gives(content)
		c.see(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(content)))
		c.takes(content, nil)
		wait()
	}
	f("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	f("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
}

// One that half-closes behind several requests has all of them answered.
func TestClientHalfClosesBehindPipeline(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	c := p.dial()
	var requests, answers strings.Builder
	for i := range 50 {
		fmt.Fprintf(&requests, "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i)
		answers.WriteString(ok(fmt.Sprint("/", i)))
	}
	c.send(requests.String())
	c.see(ok("/0")) // one is answered: from now on the end means no more than that
	c.end()
	c.see(answers.String()[len(ok("/0")):])
	c.seeEnd()
}

// Behind sound requests half of one is not answered, but they are, to the last byte.
func TestClientEndsInsideOfHead(t *testing.T) {
	heavy(t)
	content := strings.Repeat("x", 40<<10) + "\n"
	p := setup{routes: fmt.Sprintf("  - {local: {body: %q}}", content)}.run(t)
	for range 10 {
		c := p.dialNarrow()
		wait := c.gives(strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 20) + "GET /half HTT")
		for range 20 {
			c.seeStatus(200, strings.TrimSuffix(content, "\n"))
		}
		c.seeEnd()
		wait()
		c.close()
	}
	p.released()
}

// A client that resets while its request is at work has it given up upstream; the endpoint
// is not to blame and not asked again.
func TestClientResets(t *testing.T) {
	t.Parallel()
	f := func(request, answer string) {
		t.Helper()
		u := listen(t)
		p := setup{}.run(t, u)
		c := p.dial()
		c.send(request)
		w := u.accept()
		w.seeHead()
		w.send(answer)
		if answer != "" {
			c.seeHead()
		}
		c.reset()
		_, _ = io.Copy(io.Discard, w.conn)
		p.released()
		u.unasked()
		status := "499"
		if answer != "" {
			status = "200"
		}
		if n := p.metric("millrace_requests_total{route=\"/\",cluster=\"web\",status=\"" + status + "\"}"); n != 1 {
			t.Errorf("%q: %v requests ended with %s, want 1", request, n, status)
		}
		if n := p.metric("millrace_proxy_failures_total"); n != 0 {
			t.Errorf("%q: %v failures of the endpoint are counted", request, n)
		}
	}
	const get, half = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf"
	f(get, "")
	f(half, "")
	f(get, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	f(half, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	f(get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
}

// What arrives together with the end of its connection is all taken.
func TestUpstreamSendsAndCloses(t *testing.T) {
	heavy(t)
	content := strings.Repeat("0123456789abcdef", 5<<10)
	u := listen(t)
	u.serve(func(w *wire) {
		head, err := w.readHead()
		if err != nil {
			return
		}
		switch framing, _, _ := strings.Cut(strings.Fields(head)[1][1:], "/"); framing {
		case "length":
			_, _ = io.WriteString(w.conn, ok(content))
		case "chunked":
			_, _ = fmt.Fprintf(w.conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(content), content)
		default:
			_, _ = io.WriteString(w.conn, "HTTP/1.1 200 OK\r\n\r\n"+content)
		}
	})
	p := setup{workers: 2}.run(t, u)
	var clients sync.WaitGroup
	for i := range 3 {
		clients.Go(func() {
			c := p.dial()
			for j := range 60 {
				framing := []string{"length", "chunked", "close"}[(i+j)%3]
				_, _ = fmt.Fprintf(c.conn, "GET /%s/%d HTTP/1.1\r\nHost: a\r\n\r\n", framing, j)
				head, err := c.readHead()
				if err != nil {
					t.Errorf("%s: %v", framing, err)
					return
				}
				if got, err := c.readBody(head); got != content || err != nil {
					t.Errorf("%s: got %d bytes, %v, want %d", framing, len(got), err, len(content))
					return
				}
			}
		})
	}
	clients.Wait()
}

// Resets at any stage, from either side, leave nothing behind.
func TestResetStorm(t *testing.T) {
	heavy(t)
	u := listen(t)
	u.serve(func(w *wire) {
		n := w.conn.RemoteAddr().String()
		switch stage := n[len(n)-1] - '0'; stage { // the port is as good as a die
		case 0:
		case 1, 2:
			_, _ = w.readHead()
		case 3, 4:
			_, _ = w.readHead()
			_, _ = io.WriteString(w.conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		default:
			for {
				if _, err := w.readHead(); err != nil {
					return
				}
				if _, err := io.WriteString(w.conn, ok("x")); err != nil {
					return
				}
			}
		}
		w.reset()
	})
	p := setup{workers: 2}.run(t, u)
	requests := []string{ // the first three are never answered
		"", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf",
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfull", handshake,
	}
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for j := range 150 {
				c := p.dial()
				k := (i + j) % len(requests)
				_, _ = io.WriteString(c.conn, requests[k])
				if k > 2 && j%2 == 0 {
					_, _ = c.conn.Read(make([]byte, 10))
				}
				c.reset()
			}
		})
	}
	clients.Wait()
	p.released()
}
