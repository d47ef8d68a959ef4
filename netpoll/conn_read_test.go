package netpoll_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// reset closes c so that the other side gets a reset.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// A client that has sent its end of stream still gets an answer, whole, and its end of
// stream is told once, however long the answer takes.
func TestHalfClosedClientIsAnswered(t *testing.T) {
	r := newRig(t)
	answer := noise(6 << 20)
	var ends atomic.Int64
	h := &handler{}
	h.readable = func(c *netpoll.Conn) {
		if err := drain(c, 1<<10, func([]byte) {}); errors.Is(err, io.EOF) {
			if ends.Add(1) == 1 {
				_ = c.Write(answer)
				h.writable(c)
			}
		}
	}
	h.writable = func(c *netpoll.Conn) {
		if c.Queued() == 0 {
			c.Close()
		}
	}
	_, client := r.pair(h)
	got, err := exchange(client, []byte("question"))
	if err != nil || !bytes.Equal(got, answer) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(answer), err)
	}
	if n := ends.Load(); n != 1 {
		t.Errorf("the end of stream was told %d times", n)
	}
}

// Bytes, more than one read takes, and the end of stream come in one report.
func TestEndOfStreamBehindBytes(t *testing.T) {
	r := newRig(t)
	text := noise(48 << 10)
	f := func(readSize int) {
		t.Helper()
		var got []byte
		ended := make(chan error, 1)
		_, client := r.pair(&handler{readable: func(c *netpoll.Conn) {
			if err := drain(c, readSize, func(p []byte) { got = append(got, p...) }); err != nil {
				ended <- err
				c.Close()
			}
		}})
		r.do(func() {
			_, _ = client.Write(text)
			_ = client.CloseWrite()
		})
		if err := wait(t, ended); !errors.Is(err, io.EOF) || !bytes.Equal(got, text) {
			t.Errorf("reads of %d bytes: got %d bytes of %d, then %v", readSize, len(got), len(text), err)
		}
	}
	f(1000)
	f(48<<10 - 1)
	f(48 << 10)
	f(48<<10 + 1)
}

// What was left unread while the handler paused is there when it resumes, without another
// report; and the end of stream behind it is, too.
func TestPausedReadingResumes(t *testing.T) {
	r := newRig(t)
	var told atomic.Int64
	c, client := r.pair(&handler{readable: func(*netpoll.Conn) { told.Add(1) }})
	_, _ = client.Write([]byte("text"))
	_ = client.CloseWrite()
	eventually(t, func() (finished bool) { return told.Load() > 0 })
	r.do(func() {
		if !c.Readable() {
			t.Error("not readable")
		}
		if c.PeerFinished() {
			t.Error("the other side counts as finished in front of unread bytes")
		}
		var got []byte
		for limit := time.Now().Add(patience); len(got) < 4 && time.Now().Before(limit); {
			_ = drain(c, 3, func(p []byte) { got = append(got, p...) })
		}
		if string(got) != "text" {
			t.Errorf("got %q", got)
		}
	})
	eventually(t, func() (finished bool) {
		r.do(func() { finished = c.PeerFinished() })
		return finished
	})
	r.do(func() {
		for range 3 {
			if err := drain(c, 10, func([]byte) {}); !errors.Is(err, io.EOF) {
				t.Errorf("got %v, want an end of stream", err)
			}
		}
		if err := c.Reset(); err != nil {
			t.Errorf("Reset = %v after an end of stream", err)
		}
		c.Close()
	})
}

// Reads stop at urgent data, short of what has arrived behind it.
func TestBytesBehindUrgentData(t *testing.T) {
	r := newRig(t)
	var got tally
	_, client := r.pair(&handler{readable: func(c *netpoll.Conn) { _ = drain(c, 1000, got.add) }})
	raw, err := client.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	r.do(func() {
		_, _ = client.Write([]byte("front "))
		_ = raw.Write(func(fd uintptr) bool {
			return !errors.Is(unix.Send(int(fd), []byte("!"), unix.MSG_OOB), unix.EAGAIN)
		})
		_, _ = client.Write([]byte("back"))
	})
	eventually(t, func() bool { return got.String() == "front back" })
}

// A reset is seen, by whatever is asked first, and again. What had arrived is readable.
func TestReset(t *testing.T) {
	r := newRig(t)
	f := func(name, text string, ask func(c *netpoll.Conn)) {
		t.Helper()
		told := make(chan struct{}, 10)
		c, client := r.pair(&handler{readable: func(*netpoll.Conn) { told <- struct{}{} }})
		r.do(func() {
			_, _ = client.Write([]byte(text))
			reset(client)
		})
		wait(t, told)
		eventually(t, func() (broken bool) {
			r.do(func() {
				ask(c)
				broken = c.Reset() != nil
			})
			return broken
		})
		r.do(func() {
			var got []byte
			err := drain(c, 1000, func(p []byte) { got = append(got, p...) })
			if string(got) != text || !errors.Is(err, unix.ECONNRESET) {
				t.Errorf("%s: read %q, then %v, want %q and a reset", name, got, err, text)
			}
			if err := c.Reset(); !errors.Is(err, unix.ECONNRESET) {
				t.Errorf("%s: Reset = %v", name, err)
			}
			if c.PeerFinished() || c.Alive() {
				t.Errorf("%s: a reset connection is alive, or finished in order", name)
			}
			c.Close()
		})
	}
	write := func(c *netpoll.Conn) { _ = c.Write([]byte("x")) }
	f("asked at once", "", func(*netpoll.Conn) {})
	f("asked at once", "text", func(*netpoll.Conn) {})
	f("finished?", "", func(c *netpoll.Conn) { c.PeerFinished() })
	f("alive?", "", func(c *netpoll.Conn) { c.Alive() })
	f("written", "", write)
	f("written", "text", write)
}

func TestAlive(t *testing.T) {
	r := newRig(t)
	f := func(want bool, do func(c *netpoll.Conn, client *net.TCPConn)) {
		t.Helper()
		told := make(chan struct{}, 10)
		c, client := r.pair(&handler{readable: func(*netpoll.Conn) { told <- struct{}{} }})
		r.do(func() { do(c, client) })
		if !want && !c.Closed() {
			wait(t, told)
		}
		r.do(func() {
			if got := c.Alive(); got != want {
				t.Errorf("Alive = %v, want %v", got, want)
			}
			c.Close()
		})
	}
	f(true, func(*netpoll.Conn, *net.TCPConn) {})
	f(false, func(_ *netpoll.Conn, client *net.TCPConn) { _, _ = client.Write([]byte("x")) })
	f(false, func(_ *netpoll.Conn, client *net.TCPConn) { _ = client.CloseWrite() })
	f(false, func(_ *netpoll.Conn, client *net.TCPConn) { reset(client) })
	f(false, func(c *netpoll.Conn, _ *net.TCPConn) { c.Close() })
}

// A connection that was closed here does nothing any more, above all not to what has its
// number now.
func TestClosedConnDoesNothing(t *testing.T) {
	r := newRig(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, _ := r.pair(&handler{})
	plugBelow(t, c.FD())
	r.do(func() {
		c.Close()
		c.Close()
	})
	r.allClosed()
	fd := -1
	for fd < c.FD() { // holes below it may have come since
		if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
	}
	if fd != c.FD() {
		t.Errorf("the number %d was not used again, but %d", c.FD(), fd)
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: l.Addr().(*net.TCPAddr).Port}); err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r.do(func() {
		if err := c.Write([]byte("x")); !errors.Is(err, netpoll.ErrClosed) {
			t.Errorf("Write = %v", err)
		}
		if err := c.Writev(nil, []byte("x"), nil); !errors.Is(err, netpoll.ErrClosed) {
			t.Errorf("Writev = %v", err)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, netpoll.ErrClosed) {
			t.Errorf("Read = %v", err)
		}
		if c.Readable() || c.PeerFinished() || c.Reset() != nil || c.Alive() || !c.Closed() {
			t.Error("a closed connection is of use")
		}
		if c.Local().IsValid() {
			t.Errorf("Local = %v", c.Local())
		}
		c.CloseWrite()
		c.Abort()
		c.Close()
		c.End(calmly, nil)
	})
	if n := len(r.loop.Closing()); n != 0 {
		t.Errorf("%d descriptors wait to be closed again", n)
	}
	if _, err := unix.Write(fd, []byte("ok")); err != nil {
		t.Error(err)
	}
	_ = other.SetDeadline(time.Now().Add(patience))
	b := make([]byte, 10)
	if n, err := other.Read(b); string(b[:n]) != "ok" {
		t.Errorf("what has the number now sent %q, %v", b[:n], err)
	}
}

func TestAddresses(t *testing.T) {
	r := newRig(t)
	c, client := r.pair(&handler{})
	r.do(func() {
		if got, want := c.Remote().String(), client.LocalAddr().String(); got != want {
			t.Errorf("Remote = %s, want %s", got, want)
		}
		if got, want := c.Local().String(), client.RemoteAddr().String(); got != want {
			t.Errorf("Local = %s, want %s", got, want)
		}
		if c.Loop() != r.loop {
			t.Error("Loop is another loop")
		}
		c.Close()
	})
}

// Many short connections, each with its bytes and its end of stream at about one time.
func TestSendAndCloseManyTimes(t *testing.T) {
	r := newRig(t)
	sender, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	text := noise(64 << 10)
	go func() {
		for {
			c, err := sender.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write(text)
			_ = c.Close()
		}
	}()
	m := &many{t: t, loop: r.loop, addr: addrOf(sender), text: text, left: manyConns, done: make(chan struct{})}
	r.do(func() {
		for range 8 {
			m.start()
		}
	})
	select {
	case <-m.done:
	case <-time.After(3 * patience):
		t.Fatal("a transfer hangs")
	}
}

// many dials again and again, and checks what it reads.
type many struct {
	t       *testing.T
	loop    *netpoll.Loop
	addr    netpoll.Addr
	text    []byte
	left    int
	running int
	done    chan struct{}
}

func (m *many) start() {
	m.left--
	m.running++
	m.loop.Dial(m.addr, patience, &oneOfMany{m: m})
}

type oneOfMany struct {
	m   *many
	c   *netpoll.Conn
	got int
}

func (o *oneOfMany) OnDialError(err error) {
	o.m.t.Error(err)
	o.end()
}

func (o *oneOfMany) OnConnected(c *netpoll.Conn) {
	o.c = c
	c.SetHandler(o)
}

func (o *oneOfMany) OnWritable() {}

func (o *oneOfMany) OnReadable() {
	for b := o.m.loop.ReadBuffer()[:16<<10]; ; {
		n, err := o.c.Read(b)
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return
		case err != nil:
			if !errors.Is(err, io.EOF) || o.got != len(o.m.text) {
				o.m.t.Errorf("read %d bytes of %d, then %v", o.got, len(o.m.text), err)
			}
			o.c.Close()
			o.end()
			return
		case !bytes.Equal(b[:n], o.m.text[o.got:o.got+n]):
			o.m.t.Error("read other bytes than were sent")
		}
		o.got += n
	}
}

func (o *oneOfMany) end() {
	o.m.running--
	switch {
	case o.m.left > 0:
		o.m.start()
	case o.m.running == 0:
		close(o.m.done)
	}
}
