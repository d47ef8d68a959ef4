package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"millrace/engine"
)

// Bytes that stand behind an answer in the socket are no later answer, also where the
// answer ends with a read, so that none of them was seen.
func TestReviewSurplusBehindWholeRead(t *testing.T) {
	t.Parallel()
	const content = 60000
	f := func(size int, end func(w *wire)) {
		t.Helper()
		u := listen(t)
		p := setup{}.run(t, u)
		c := p.dial()
		c.get("/warm") // much of it, so that the kernel makes room for more at once
		w := u.accept()
		w.seeHead()
		bulk := ok(strings.Repeat("x", 8<<20))
		go func() { _, _ = io.WriteString(w.conn, bulk) }()
		c.see(bulk)
		c.get("/1")
		w.seeHead()
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Fill: ", content)
		first := head + strings.Repeat("f", size-content-len(head)-4) + "\r\n\r\n" + strings.Repeat("b", content)
		resume := p.engine.Stall()
		w.send(first)
		end(w)
		time.Sleep(10 * time.Millisecond) // until all is in the proxy's socket
		resume()
		c.see(first)
		other := p.dial()
		other.get("/2")
		next := u.accept()
		next.seeHead()
		next.send(ok("2"))
		other.see(ok("2"))
		if n := p.metric("millrace_proxy_stale_retries_total"); n != 0 {
			t.Errorf("%v stale retries, want none", n)
		}
	}
	f(engine.FirstRead, func(w *wire) { w.send(ok("evil")) })
	f(engine.FirstRead, (*wire).end)
	f(engine.FirstRead-100, (*wire).end)
	f(engine.FirstRead-100, func(w *wire) { w.send(ok("evil")) })
}
