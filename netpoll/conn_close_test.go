package netpoll_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// connectNarrow connects with a small receive buffer.
func connectNarrow(t *testing.T, addr netpoll.Addr) *net.TCPConn {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		_ = raw.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
		})
		return err
	}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := d.DialContext(ctx, "tcp", addr.IP.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn)
}

// ending connects narrowly to a connection that writes text and ends under limits at once.
// The channel tells, once, when it is closed.
func (r *rig) ending(text []byte, limits netpoll.Lingering) (*net.TCPConn, <-chan time.Time) {
	r.t.Helper()
	closed := make(chan time.Time, 1)
	told := 0
	l := r.listen(&acceptor{accept: func(c *netpoll.Conn) {
		_ = unix.SetsockoptInt(c.FD(), unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
		c.SetHandler(&handler{})
		_ = c.Write(text)
		c.End(limits, func() {
			if told++; told > 1 {
				r.t.Error("onClose was called twice")
				return
			}
			closed <- time.Now()
		})
	}}, loopback)
	return connectNarrow(r.t, l.Addr()), closed
}

const (
	receiveBuffer = 16 << 10  // bytes of a narrow connection
	sendBuffer    = 128 << 10 // bytes; small, so that the writer sees each progress
)

// All that is queued arrives, then the end of stream, however slowly it is read.
func TestEndSendsAll(t *testing.T) {
	r := newRig(t)
	f := func(size int, limits netpoll.Lingering) {
		t.Helper()
		text := noise(size)
		client, closed := r.ending(text, limits)
		var got bytes.Buffer
		for b := make([]byte, 32<<10); ; {
			n, err := client.Read(b)
			got.Write(b[:n])
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Len()%(1<<20) < n {
				time.Sleep(time.Millisecond) // a slow reader
			}
		}
		if !bytes.Equal(got.Bytes(), text) {
			t.Errorf("got %d bytes of %d", got.Len(), len(text))
		}
		if limits.Discard {
			select {
			case <-closed:
				t.Error("closed before the other side has ended")
			default:
			}
			_ = client.CloseWrite()
		}
		wait(t, closed)
	}
	f(10<<20, calmly)
	f(2<<20, netpoll.Lingering{WriteIdle: patience})
	f(2<<20, netpoll.Lingering{})
}

// The other side reads only when it has sent all it has, which is more than fits into the
// sockets: it gets the answer, long or short, and no reset (RFC 9112, 9.6).
func TestEndDiscardsWhatStillComes(t *testing.T) {
	r := newRig(t)
	f := func(answer int) {
		t.Helper()
		text := noise(answer)
		client, closed := r.ending(text, calmly)
		if _, err := client.Write(make([]byte, 12<<20)); err != nil {
			t.Errorf("answer of %d bytes: writing: %v", answer, err)
			return
		}
		_ = client.CloseWrite()
		got, err := io.ReadAll(client)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("got %d bytes of %d, %v", len(got), len(text), err)
		}
		wait(t, closed)
	}
	f(0)
	f(1000)
	f(10 << 20)
}

// The same when the handler had stopped reading before: the other side is stuck, so that
// no report will come.
func TestEndDiscardsWhatWaits(t *testing.T) {
	r := newRig(t)
	room := make([]byte, large)
	f := func(answer int) {
		t.Helper()
		text := noise(answer)
		c, client := r.pair(&handler{})
		sent := make(chan error, 1)
		go func() {
			_, err := client.Write(make([]byte, large))
			sent <- errors.Join(err, client.CloseWrite())
		}()
		var before int
		eventually(t, func() bool { // until the other side is stuck
			now := unread(t, c, room)
			stuck := now > 0 && now == before
			before = now
			return stuck
		})
		closed := make(chan struct{})
		r.do(func() {
			_ = c.Write(text)
			c.End(calmly, func() { close(closed) })
		})
		if err := wait(t, sent); err != nil {
			t.Error(err)
		}
		if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, text) {
			t.Errorf("got %d bytes of %d, %v", len(got), len(text), err)
		}
		wait(t, closed)
	}
	f(10)
	f(large)
}

// unread is how many bytes wait in c's socket, up to what room takes.
func unread(t *testing.T, c *netpoll.Conn, room []byte) int {
	t.Helper()
	n, _, err := unix.Recvfrom(c.FD(), room, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
	return n
}

// Each bound of an ending closes it, not before its time.
func TestEndIsBounded(t *testing.T) {
	r := newRig(t)
	const bound = 60 * time.Millisecond
	flood := func(c *net.TCPConn) {
		for b := make([]byte, 1000); ; {
			if _, err := c.Write(b); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	f := func(name string, text int, limits netpoll.Lingering, then func(c *net.TCPConn)) {
		t.Helper()
		began := time.Now()
		client, closed := r.ending(noise(text), limits)
		if then != nil {
			go then(client)
		}
		if took := wait(t, closed).Sub(began); took < bound {
			t.Errorf("%s: closed after %v, want %v", name, took, bound)
		}
		got, err := io.ReadAll(client)
		if text > 1000 && len(got) == text {
			t.Errorf("%s: got all %d bytes", name, text)
		}
		if text > 1000 && err == nil && then == nil { // else the other's write may have got it
			t.Errorf("%s: got an end of stream, want a reset", name)
		}
	}
	f("write idle", large, netpoll.Lingering{WriteIdle: bound, Silence: patience, Total: patience, Discard: true}, nil)
	f("write idle", large, netpoll.Lingering{WriteIdle: bound}, nil)
	f("write idle, the other side sends", large, netpoll.Lingering{WriteIdle: bound, Silence: patience, Total: patience, Discard: true}, flood)
	f("silence", 10, netpoll.Lingering{Silence: bound, Total: patience, Discard: true}, nil)
	f("total", 10, netpoll.Lingering{Silence: patience, Total: bound, Discard: true}, nil)
	f("total, the other side sends", 10, netpoll.Lingering{Silence: patience, Total: bound, Discard: true}, flood)
}

// Ending does not read into the loop's buffer while its caller may still use that.
func TestEndLeavesTheReadBuffer(t *testing.T) {
	r := newRig(t)
	told := make(chan struct{}, 10)
	c, client := r.pair(&handler{readable: func(*netpoll.Conn) { told <- struct{}{} }})
	_, _ = client.Write([]byte("overwritten"))
	wait(t, told)
	closed := make(chan struct{})
	r.do(func() {
		copy(r.loop.ReadBuffer(), "precious")
		c.End(calmly, func() { close(closed) })
		if got := string(r.loop.ReadBuffer()[:8]); got != "precious" {
			t.Errorf("the read buffer holds %q", got)
		}
	})
	_ = client.CloseWrite()
	wait(t, closed)
}

func TestEndOfAClosedConn(t *testing.T) {
	r := newRig(t)
	c, _ := r.pair(&handler{})
	told := 0
	r.do(func() {
		c.Close()
		c.End(calmly, func() { told++ })
		c.End(calmly, nil)
		if told != 1 {
			t.Errorf("onClose was called %d times", told)
		}
	})
}

// With its other side finished already, an ending has nothing to wait for.
func TestEndAfterEndOfStream(t *testing.T) {
	r := newRig(t)
	closed := make(chan struct{})
	_, client := r.pair(&handler{readable: func(c *netpoll.Conn) {
		if err := drain(c, 100, func([]byte) {}); errors.Is(err, io.EOF) {
			_ = c.Write([]byte("answer"))
			c.End(calmly, func() { close(closed) })
		}
	}})
	got, err := exchange(client, []byte("question"))
	if err != nil || string(got) != "answer" {
		t.Errorf("got %q, %v", got, err)
	}
	wait(t, closed)
}

// A reset from the other side ends an ending at once, in every state.
func TestEndIsCutByAReset(t *testing.T) {
	r := newRig(t)
	f := func(text int) {
		t.Helper()
		client, closed := r.ending(noise(text), calmly)
		if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		reset(client)
		wait(t, closed)
	}
	f(1)
	f(large)
}

func TestAbortResets(t *testing.T) {
	r := newRig(t)
	f := func(do func(c *netpoll.Conn)) {
		t.Helper()
		c, client := r.pair(&handler{})
		r.do(func() { do(c) })
		if _, err := io.ReadAll(client); !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("got %v, want a reset", err)
		}
	}
	f(func(c *netpoll.Conn) { c.Abort() })
	f(func(c *netpoll.Conn) {
		_ = c.Write(noise(large))
		c.Abort()
	})
}
