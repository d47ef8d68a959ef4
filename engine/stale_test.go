package engine_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// warm makes an idle upstream connection, and returns both of its ends' counterparts.
func (p *proxy) warm(u *upstream) (client, end *wire) {
	p.t.Helper()
	client = p.dial()
	client.get("/warm")
	end = u.accept()
	end.seeHead()
	end.send(ok("warm"))
	client.see(ok("warm"))
	return client, end
}

// put sends a request with content.
func (w *wire) put(method, path, content string) {
	w.t.Helper()
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n%s", method, path, len(content), content))
}

// seeRequest reads a request with its content, and wants this.
func (w *wire) seeRequest(line, content string) {
	w.t.Helper()
	head := w.seeHead()
	body, err := w.readBody(head)
	if err != nil || !strings.HasPrefix(head, line+" HTTP/1.1\r\n") || body != content {
		w.t.Fatalf("%s saw %q with %d bytes of content, want %s with %d, %v", w.name, head, len(body), line, len(content), err)
	}
}

// The proxy learns in one batch of a request and of the end of the connection that it is
// sent on, the request first.
func TestIdleConnectionEndsAsItIsTaken(t *testing.T) {
	heavy(t)
	short, long := strings.Repeat("x", 8<<10), strings.Repeat("x", 300<<10)
	f := func(method, content string, end func(w *wire), repeated bool) {
		t.Helper()
		u := listen(t)
		p := setup{}.run(t, u)
		c, idle := p.warm(u)
		resume := p.engine.Stall()
		sent := make(chan struct{})
		go func() { // more than the kernel takes, perhaps
			defer close(sent)
			_, _ = fmt.Fprintf(c.conn, "%s /x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", method, len(content), content)
		}()
		if len(content) < 10<<10 {
			<-sent
		} else {
			time.Sleep(20 * time.Millisecond) // the order does not matter for the result
		}
		end(idle)
		resume()
		if !repeated {
			c.seeStatus(502, "bad gateway")
			u.unasked()
			return
		}
		next := u.accept()
		next.seeRequest(method+" /x", content)
		next.send(ok("2"))
		c.see(ok("2"))
		<-sent
	}
	f("GET", "", (*wire).reset, true)
	f("GET", "", (*wire).end, true)
	f("GET", short, (*wire).reset, true)
	f("PUT", short, (*wire).reset, true)
	f("PUT", short, (*wire).end, true)
	f("POST", "", (*wire).reset, true)
	f("POST", short, (*wire).reset, true)
	f("POST", short, (*wire).end, true)
	f("PUT", long, (*wire).reset, false)
}

// A retry never goes to another connection that may be as dead as the first.
func TestAllIdleConnectionsEnd(t *testing.T) {
	heavy(t)
	u := listen(t)
	p := setup{}.run(t, u)
	var clients, ends []*wire
	for range 20 {
		c := p.dial()
		c.get("/warm")
		clients, ends = append(clients, c), append(ends, u.accept())
	}
	for i, end := range ends {
		end.seeHead()
		end.send(ok("warm"))
		clients[i].see(ok("warm"))
	}
	resume := p.engine.Stall()
	for i, c := range clients {
		c.get(fmt.Sprint("/", i))
	}
	for _, end := range ends {
		end.reset()
	}
	resume()
	for range clients {
		next := u.accept()
		head := next.seeHead()
		next.send(ok(strings.Fields(head)[1]))
	}
	for i, c := range clients {
		c.see(ok(fmt.Sprint("/", i)))
	}
	if n := p.metric("millrace_proxy_stale_retries_total"); n != 20 {
		t.Errorf("%v stale retries are counted, want 20", n)
	}
}

// The upstream ends idle connections at about the moment at which they are used again.
// GETs all succeed; what is not idempotent may fail, and is never done twice.
func TestKeepAliveRace(t *testing.T) {
	heavy(t)
	var mu sync.Mutex
	done := map[string]int{}
	u := listen(t)
	u.serve(func(w *wire) {
		for range 1 + rand.IntN(3) {
			head, err := w.readHead()
			if err != nil {
				return
			}
			mu.Lock()
			done[strings.Fields(head)[1]]++
			mu.Unlock()
			if _, err := io.WriteString(w.conn, ok("x")); err != nil {
				return
			}
			time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
		}
	})
	p := setup{}.run(t, u)
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			c := p.dial()
			for j := range 100 {
				method := [...]string{"GET", "POST"}[j%2]
				_, _ = fmt.Fprintf(c.conn, "%s /%d/%d HTTP/1.1\r\nHost: a\r\n\r\n", method, i, j)
				head, err := c.readHead()
				switch {
				case err != nil:
					t.Error(err)
					return
				case strings.HasPrefix(head, "HTTP/1.1 200 "):
				case method == "GET" || !strings.HasPrefix(head, "HTTP/1.1 502 "):
					t.Errorf("%s: got %q", method, head)
				}
				var n int
				_, _ = fmt.Sscan(field(head, "Content-Length"), &n)
				_, _ = io.CopyN(io.Discard, c.conn, int64(n))
				time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
			}
		})
	}
	clients.Wait()
	mu.Lock()
	defer mu.Unlock()
	for path, n := range done {
		var i, j int
		if _, _ = fmt.Sscanf(path, "/%d/%d", &i, &j); j%2 == 1 && n > 1 {
			t.Errorf("POST %s was done %d times", path, n)
		}
	}
}
