package engine_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Answers come in the order of the requests, one each, whatever the upstream takes for
// them and however it frames them.
func TestPipelineOrder(t *testing.T) {
	heavy(t)
	u := listen(t)
	u.serve(func(w *wire) {
		for {
			head, err := w.readHead()
			if err != nil {
				return
			}
			if _, err := w.readBody(head); err != nil {
				return
			}
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
			path := strings.Fields(head)[1]
			if rand.IntN(2) == 0 {
				_, err = io.WriteString(w.conn, ok(path))
			} else {
				_, err = fmt.Fprintf(w.conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(path), path)
			}
			if err != nil {
				return
			}
		}
	})
	p := setup{workers: 2, routes: `  - {prefix: /local, local: {body: "here"}}` + "\n" + `  - {proxy: "{0}"}`}.run(t, u)
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			c := p.dial()
			for range 10 {
				var requests strings.Builder
				var want []string
				for j := range 20 {
					path, content := fmt.Sprintf("/%d/%d", i, j), strings.Repeat("c", rand.IntN(40))
					switch rand.IntN(4) {
					case 0:
						fmt.Fprintf(&requests, "GET /local HTTP/1.1\r\nHost: a\r\n\r\n")
						path = "here"
					case 1:
						fmt.Fprintf(&requests, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", path, len(content), content)
					default:
						fmt.Fprintf(&requests, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path)
					}
					want = append(want, path)
				}
				if _, err := io.WriteString(c.conn, requests.String()); err != nil {
					t.Error(err)
					return
				}
				for _, path := range want {
					head, err := c.readHead()
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := c.readBody(head); got != path || err != nil {
						t.Errorf("got %q, %v, want %q", got, err, path)
						return
					}
				}
			}
		})
	}
	clients.Wait()
}

// A client that pipelines without reading is soon read no more, and the others are served
// as ever.
func TestPipelineWithoutReading(t *testing.T) {
	heavy(t)
	f := func(s setup) {
		t.Helper()
		content := strings.Repeat("x", 2000)
		var served atomic.Int64
		u := listen(t)
		u.serve(func(w *wire) {
			for {
				if _, err := w.readHead(); err != nil {
					return
				}
				served.Add(1)
				if _, err := io.WriteString(w.conn, ok(content)); err != nil {
					return
				}
			}
		})
		p := s.run(t, u)
		c := p.dialNarrow()
		const all = 100_000
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = io.WriteString(c.conn, strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", all))
		}()
		p.standsStill()
		if n := p.engine.Queued(); n > maxQueued {
			t.Errorf("%d bytes wait, want at most %d", n, maxQueued)
		}
		if n := served.Load(); n > all/10 {
			t.Errorf("%d requests were forwarded", n)
		}
		other := p.dial()
		other.get("/")
		other.seeHead()
		c.reset()
		<-sent
	}
	f(setup{})
	f(setup{routes: fmt.Sprintf("  - {local: {body: %q}}", strings.Repeat("y", 2000))})
}

// Requests that are answered on the spot are served a few at a time, so that their number
// neither piles up on the stack nor keeps the worker from others.
func TestPipelineOfOwnAnswers(t *testing.T) {
	heavy(t)
	p := setup{routes: "  - {local: {status: 204}}"}.run(t)
	c := p.dial()
	const all = 20_000
	served := make(chan float64, 1)
	resume := p.engine.StallThen(func() { served <- p.metric("millrace_requests_total") })
	wait := c.gives(strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", all))
	time.Sleep(20 * time.Millisecond) // for some to arrive; if they do not, nothing is proved
	resume()
	if n := <-served; n > 1000 {
		t.Errorf("%v requests were served in one turn", n)
	}
	for range all {
		if head := c.seeHead(); !strings.HasPrefix(head, "HTTP/1.1 204 ") {
			t.Fatalf("got %q", head)
		}
	}
	c.seeEnd()
	wait()
}

// Behind its last answer a client gets nothing more.
func TestPipelineEnds(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	f := func(second, third, want string) {
		t.Helper()
		got := exchange(t, p, "GET /1 HTTP/1.1\r\nHost: a\r\n"+second+"\r\n"+third)
		if got := strings.ReplaceAll(got, "\r\nConnection: close", ""); !strings.HasPrefix(got, want) {
			t.Errorf("%q, %q: got %q, want %q", second, third, got, want)
		} else if strings.Contains(got[len(want):], "200 OK") {
			t.Errorf("%q, %q: got %q behind the answer", second, third, got[len(want):])
		}
		for i, r := range e.seen() {
			if i > 0 {
				t.Errorf("%q, %q: the upstream saw %q", second, third, r.line)
			}
		}
	}
	f("Connection: close\r\n", "garbage\r\n\r\n", ok("/1"))
	f("Connection: close\r\n", "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n", ok("/1"))
	f("", "garbage\r\n\r\n", ok("/1")+"HTTP/1.1 400 Bad Request\r\n")
	f("", "GET /2 HTTP/1.1\r\n\r\n"+behind, ok("/1")+"HTTP/1.1 400 Bad Request\r\n")
	f("", "GET /2 HTTP/3.0\r\nHost: a\r\n\r\n"+behind, ok("/1")+"HTTP/1.1 505 ")
}
