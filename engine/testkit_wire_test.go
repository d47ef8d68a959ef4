package engine_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A wire is one end of a connection to or from the proxy, with the bytes as they are. A
// method that waits in vain, or sees something else, fails the test; those that may be
// called by another goroutine than the test's say so.
type wire struct {
	t    *testing.T
	name string
	conn net.Conn
}

func newWire(t *testing.T, name string, c net.Conn) *wire {
	_ = c.SetDeadline(time.Now().Add(patience))
	return &wire{t: t, name: name, conn: readAhead{c, bufio.NewReader(c)}}
}

// readAhead is a connection that reads ahead, so that a head may be read byte by byte.
type readAhead struct {
	net.Conn
	in *bufio.Reader
}

func (r readAhead) Read(p []byte) (int, error) { return r.in.Read(p) }

// CloseWrite sends the end of stream.
func (r readAhead) CloseWrite() error {
	return r.Conn.(interface{ CloseWrite() error }).CloseWrite()
}

// tcp is the TCP connection of w, nil if it is none.
func (w *wire) tcp() *net.TCPConn {
	c := w.conn
	if r, ok := c.(readAhead); ok {
		c = r.Conn
	}
	tcp, _ := c.(*net.TCPConn)
	return tcp
}

// dial opens a client connection, closed at the end of the test.
func (p *proxy) dial() *wire { return p.dialBy(net.Dialer{}) }

// dialNarrow opens a client connection that takes few bytes ahead.
func (p *proxy) dialNarrow() *wire { return p.dialBy(net.Dialer{Control: narrow}) }

func (p *proxy) dialBy(how net.Dialer) *wire {
	p.t.Helper()
	how.Timeout = patience
	c, err := how.DialContext(p.t.Context(), "tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Close() })
	return newWire(p.t, "client", c)
}

// send writes text.
func (w *wire) send(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.t.Fatalf("%s: %v", w.name, err)
	}
}

// see reads as many bytes as want has, which must be these.
func (w *wire) see(want string) {
	w.t.Helper()
	got := make([]byte, 0, len(want))
	for len(got) < len(want) {
		n, err := w.conn.Read(got[len(got):len(want):len(want)])
		got = got[:len(got)+n]
		if !strings.HasPrefix(want, string(got)) || err != nil {
			w.t.Fatalf("%s saw %v\n%.2000q, want\n%.2000q", w.name, err, w.rest(got), want)
		}
	}
}

// rest is got and what arrives soon behind it, for a message.
func (w *wire) rest(got []byte) string {
	_ = w.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	more, _ := io.ReadAll(io.LimitReader(w.conn, 1<<20))
	return string(got) + string(more)
}

// seeHead reads a head and returns it.
func (w *wire) seeHead() string {
	w.t.Helper()
	head, err := w.readHead()
	if err != nil {
		w.t.Fatalf("%s: %v behind %q", w.name, err, head)
	}
	return head
}

// readHead reads a head, byte by byte, so that what follows it stays. For any goroutine.
func (w *wire) readHead() (string, error) {
	var head []byte
	for b := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
		n, err := w.conn.Read(b)
		head = append(head, b[:n]...)
		if err != nil {
			return string(head), err
		}
	}
	return string(head), nil
}

// seeAll reads to the end of stream and returns what came.
func (w *wire) seeAll() string {
	w.t.Helper()
	got, err := io.ReadAll(w.conn)
	if err != nil {
		w.t.Fatalf("%s: %v behind %d bytes: %.300q", w.name, err, len(got), got)
	}
	return string(got)
}

// seeEnd waits for the end of stream, with nothing before it.
func (w *wire) seeEnd() {
	w.t.Helper()
	if got := w.seeAll(); got != "" {
		w.t.Fatalf("%s saw %.300q, want the end", w.name, got)
	}
}

// seeReset waits for a reset, with nothing before it.
func (w *wire) seeReset() {
	w.t.Helper()
	got, err := io.ReadAll(w.conn)
	if len(got) > 0 || !errors.Is(err, syscall.ECONNRESET) {
		w.t.Fatalf("%s saw %.300q and %v, want a reset", w.name, got, err)
	}
}

// seeGone waits until the other side ends in whatever way, with nothing before that.
func (w *wire) seeGone() {
	w.t.Helper()
	got, err := io.ReadAll(w.conn)
	if len(got) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		w.t.Fatalf("%s saw %.300q and %v, want an end or a reset", w.name, got, err)
	}
}

// seeBroken waits until nothing can be sent any more: behind an end of stream, that is all
// that a reset is seen by.
func (w *wire) seeBroken() {
	w.t.Helper()
	eventually(w.t, w.name+" cannot send", func() bool { return brokenSocket(w.tcp()) != nil })
}

// end sends the end of stream. Reading goes on.
func (w *wire) end() {
	w.t.Helper()
	if err := w.conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		w.t.Fatalf("%s: %v", w.name, err)
	}
}

// close closes the connection, in order if nothing is left unread.
func (w *wire) close() { _ = w.conn.Close() }

// reset closes the connection with a reset.
func (w *wire) reset() {
	if c := w.tcp(); c != nil {
		_ = c.SetLinger(0)
	}
	_ = w.conn.Close()
}

// get sends a request without content.
func (w *wire) get(path string) {
	w.t.Helper()
	w.send("GET " + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n")
}

// ask sends a request without content and wants an answer 200 with this content.
func (w *wire) ask(path, want string) {
	w.t.Helper()
	w.get(path)
	w.see(ok(want))
}

// ok is an answer with content.
func ok(content string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(content), content)
}

// seeStatus reads an answer of the proxy's own and wants this status and reason. It
// returns the head.
func (w *wire) seeStatus(status int, reason string) string {
	w.t.Helper()
	head := w.seeHead()
	if !strings.HasPrefix(head, fmt.Sprintf("HTTP/1.1 %d ", status)) {
		w.t.Fatalf("%s saw %q, want status %d", w.name, w.rest([]byte(head)), status)
	}
	if want := fmt.Sprintf("\r\nContent-Length: %d\r\n", len(reason)+1); !strings.Contains(head, want) {
		w.t.Fatalf("%s saw %q, want in it %q", w.name, w.rest([]byte(head)), want)
	}
	w.see(reason + "\n")
	return head
}

// digest reads to the end of stream, in pieces of size bytes, and returns how many came and
// their sum. pause is called before each read and may be nil. For any goroutine.
func (w *wire) digest(size int, pause func()) (n int64, sum [sha256.Size]byte, err error) {
	h := sha256.New()
	b := make([]byte, size)
	for {
		if pause != nil {
			pause()
		}
		k, err := w.conn.Read(b)
		h.Write(b[:k])
		n += int64(k)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, [sha256.Size]byte(h.Sum(nil)), err
		}
	}
}
