package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// An upstream that has heard enough answers inside of an upload and leaves, with bytes of
// it unread, so that a reset follows its answer. The client gets all of the answer.
func TestAnswerInsideOfUpload(t *testing.T) {
	heavy(t)
	answer := "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 51200\r\n\r\n" + strings.Repeat("x", 50<<10)
	content := strings.Repeat("u", 1<<20)
	f := func(leave func(w *wire)) {
		t.Helper()
		u := listen(t)
		p := setup{}.run(t, u)
		for range 10 {
			c := p.dial()
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = fmt.Fprintf(c.conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 8*len(content))
				for range 8 {
					if _, err := fmt.Fprint(c.conn, content); err != nil {
						return
					}
				}
			}()
			w := u.accept()
			w.seeHead()
			w.see(content[:64<<10])
			w.send(answer)
			leave(w)
			head := c.seeHead()
			if !strings.HasPrefix(head, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 51200\r\n") {
				t.Errorf("got %q", head)
			}
			c.see(answer[len(answer)-50<<10:])
			c.close()
			<-gone
		}
		p.released()
	}
	f((*wire).close)
	f((*wire).reset)
}

// A client that gets its answer inside of its upload may end the upload and read on.
func TestClientEndsUploadAfterAnswerBegan(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
	w := u.accept()
	w.seeHead()
	w.see("abc")
	w.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nabc")
	c.see("HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nabc")
	resume := p.engine.Stall()
	c.end()
	w.send("def") // behind the client's end
	resume()
	c.see("def")
	c.seeEnd()
	w.seeGone()
}

// While the answer runs, an upload that stands still is no reason to cut it.
func TestUploadPausesWhileAnswerRuns(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "timeouts: {body_idle: 3s}"}.run(t, u)
	c := p.dial()
	c.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
	w := u.accept()
	w.seeHead()
	w.see("1\r\na\r\n")
	w.send("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nx")
	c.see("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nx")
	for range 11 { // longer in all than body_idle, each pause much shorter
		time.Sleep(300 * time.Millisecond)
		w.send("x")
		c.see("x")
	}
	c.send("1\r\nb\r\n0\r\n\r\n")
	w.see("1\r\nb\r\n0\r\n\r\n")
	w.send("x")
	c.see("x")
	c.get("/next")
	w.seeHead()
}
