package engine_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// A reader that stops holds up the writer at the other end, with no more than the marks in
// between, and then gets every byte.
func TestDownloadBackpressure(t *testing.T) {
	heavy(t)
	content := noise(6 << 20)
	f := func(framing, prefix string) {
		t.Run(framing, func(t *testing.T) {
			u := listenNarrow(t)
			p := setup{}.run(t, u)
			c := p.dialNarrow()
			c.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			w := u.accept()
			w.seeHead()
			wait := w.gives("HTTP/1.1 200 OK\r\n" + framing + "\r\n\r\n" + prefix + content + strings.Repeat("\r\n0\r\n\r\n", min(1, len(prefix))))
			c.seeHead()
			p.standsStill()
			if n := p.engine.Queued(); n > maxQueued {
				t.Errorf("%d bytes wait, want at most %d", n, maxQueued)
			}
			if prefix == "" && strings.HasPrefix(framing, "Content-Length") {
				c.takes(content, nil)
			} else if got, err := c.readChunks(); err != nil || got != content {
				t.Errorf("got %d bytes, %v, want %d", len(got), err, len(content))
			}
			wait()
		})
	}
	f(fmt.Sprintf("Content-Length: %d", len(content)), "")
	f("Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(content)))
	f("X-Until: close", "")
}

func TestUploadBackpressure(t *testing.T) {
	heavy(t)
	content := noise(6 << 20)
	f := func(framing, prefix string) {
		t.Run(framing, func(t *testing.T) {
			u := listenNarrow(t)
			p := setup{}.run(t, u)
			c := p.dialNarrow()
			sent := make(chan error, 1)
			go func() {
				_, err := fmt.Fprintf(c.conn, "POST / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%s%s%s", framing, prefix, content, strings.Repeat("\r\n0\r\n\r\n", min(1, len(prefix))))
				sent <- err
			}()
			w := u.accept()
			head := w.seeHead()
			p.standsStill()
			if n := p.engine.Queued(); n > maxQueued {
				t.Errorf("%d bytes wait, want at most %d", n, maxQueued)
			}
			if got, err := w.readBody(head); err != nil || got != content {
				t.Errorf("got %d bytes, %v, want %d", len(got), err, len(content))
			}
			if err := <-sent; err != nil {
				t.Error(err)
			}
			w.send(ok("x"))
			c.see(ok("x"))
		})
	}
	f(fmt.Sprintf("Content-Length: %d", len(content)), "")
	f("Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", len(content)))
}

// unsteady moves bytes from r to w in pieces and with pauses of all sizes.
func unsteady(w io.Writer, r io.Reader, rng *rand.Rand) error {
	b := make([]byte, 40<<10)
	for {
		n, err := r.Read(b[:1+rng.IntN(len(b))])
		for sent := 0; sent < n; {
			k := min(n-sent, 1+rng.IntN(8<<10))
			if _, err := w.Write(b[sent : sent+k]); err != nil {
				return err
			}
			sent += k
			switch rng.IntN(20) {
			case 0:
				time.Sleep(time.Duration(rng.IntN(800)) * time.Microsecond)
			case 1:
				time.Sleep(time.Duration(rng.IntN(5)) * time.Millisecond)
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end of what there is to move
		}
	}
}

// Many uploads and downloads stall and go on in all combinations, on both legs, and end
// with a close. None hangs and none loses a byte (with pauses, lost wake-ups would show).
func TestUnsteadyTransfers(t *testing.T) {
	heavy(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	u := listenNarrow(t)
	u.serve(func(w *wire) {
		rng := rand.New(rand.NewPCG(seed, uint64(u.accepted.Load())))
		for {
			head, err := w.readHead()
			if err != nil {
				return
			}
			size := 0
			_, _ = fmt.Sscan(field(head, "Content-Length"), &size)
			last := ""
			if rng.IntN(3) == 0 {
				last = "Connection: close\r\n"
			}
			_, _ = fmt.Fprintf(w.conn, "HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n", last, size)
			if err := unsteady(w.conn, io.LimitReader(w.conn, int64(size)), rng); err != nil || last != "" {
				return
			}
		}
	})
	p := setup{workers: 2}.run(t, u)
	var clients sync.WaitGroup
	for i := range 24 {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 4 {
				c := p.dialNarrow()
				content := noise(1 + rng.IntN(200<<10))
				sent := make(chan error, 1)
				go func() {
					_, err := fmt.Fprintf(c.conn, "PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", len(content))
					if err == nil {
						err = unsteady(c.conn, strings.NewReader(content), rand.New(rand.NewPCG(seed+1, uint64(i))))
					}
					sent <- err
				}()
				head, err := c.readHead()
				if err != nil || !strings.HasPrefix(head, "HTTP/1.1 200 ") {
					t.Errorf("client %d: got %q, %v", i, head, err)
					return
				}
				h := sha256.New()
				if err := unsteady(h, c.conn, rng); err != nil {
					t.Errorf("client %d: %v", i, err)
				}
				if want := sha256.Sum256([]byte(content)); string(h.Sum(nil)) != string(want[:]) {
					t.Errorf("client %d: what came back of %d bytes is not what was sent", i, len(content))
				}
				if err := <-sent; err != nil {
					t.Errorf("client %d: %v", i, err)
				}
				c.close()
			}
		})
	}
	clients.Wait()
	p.released()
}

// Everything that was written before the connection was closed arrives, however slowly it
// is read.
func TestCloseBehindLargeAnswer(t *testing.T) {
	heavy(t)
	content := noise(3 << 20)
	u := listen(t)
	u.serve(func(w *wire) {
		if head, err := w.readHead(); err == nil && strings.HasPrefix(head, "GET /length ") {
			_, _ = io.WriteString(w.conn, ok(content))
		} else if err == nil {
			_, _ = io.WriteString(w.conn, "HTTP/1.0 200 OK\r\n\r\n"+content)
		}
	})
	p := setup{}.run(t, u)
	f := func(request string) {
		t.Run(request, func(t *testing.T) {
			c := p.dialNarrow()
			c.t = t
			c.send(request + "\r\nHost: a\r\nConnection: close\r\n\r\n")
			c.seeHead()
			reads := 0
			c.takes(content, func() {
				if reads++; reads < 40 || reads%64 == 0 {
					time.Sleep(2 * time.Millisecond)
				}
			})
		})
	}
	f("GET /length HTTP/1.1")
	f("GET /length HTTP/1.0")
	f("GET /close HTTP/1.0")
}

// Pieces come through as they are sent: nothing waits for more.
func TestStreaming(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{}.run(t, u)
	f := func(framing, piece, want string) {
		t.Helper()
		c := p.dial()
		c.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
		w := u.accept()
		w.seeHead()
		w.send("HTTP/1.1 200 OK\r\n" + framing + "\r\n\r\n")
		c.seeHead()
		for range 20 {
			w.send(piece)
			c.see(want)
			c.send("4\r\nping\r\n")
			w.see("4\r\nping\r\n")
		}
		c.close()
		w.close()
	}
	f("Content-Length: 10000", "data: 1\n\n", "data: 1\n\n")
	f("Transfer-Encoding: chunked", "5\r\nevent\r\n", "5\r\nevent\r\n")
	f("X-Until: close", "event", "5\r\nevent\r\n")
}
