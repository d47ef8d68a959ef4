package netpoll_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// dialer is a netpoll.Dialer that hands on what it is told, which must come once and, for
// errors, after Dial has returned.
type dialer struct {
	t         *testing.T
	connected func(c *netpoll.Conn)
	ended     chan error // told by OnDialError; nil = no error is expected
	returned  bool
	told      int
}

func (d *dialer) OnConnected(c *netpoll.Conn) {
	d.once()
	d.connected(c)
}

func (d *dialer) OnDialError(err error) {
	d.once()
	if d.ended == nil {
		d.t.Errorf("dial: %v", err)
		return
	}
	d.ended <- err
}

func (d *dialer) once() {
	if d.told++; d.told > 1 || !d.returned {
		d.t.Errorf("told %d times, Dial has returned: %v", d.told, d.returned)
	}
}

// dial starts a dial on the loop. The handle is for use on the loop.
func (r *rig) dial(addr netpoll.Addr, timeout time.Duration, d *dialer) (h netpoll.Dial) {
	r.do(func() {
		h = r.loop.Dial(addr, timeout, d)
		d.returned = true
	})
	return h
}

func addrOf(l net.Listener) netpoll.Addr {
	return netpoll.Addr{IP: netip.MustParseAddrPort(l.Addr().String())}
}

// fullListener is a listening socket that takes no connection any more, so that a connect
// to it waits.
func fullListener(t *testing.T) netpoll.Addr {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: a full listener refuses here")
	}
	fd := rawListener(t, unix.AF_INET, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	bound, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := bound.(*unix.SockaddrInet4).Port
	for range 4 {
		rawConnect(t, unix.AF_INET, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port})
	}
	return netpoll.Addr{IP: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port))}
}

// rawListener is a listening socket with the shortest backlog there is.
func rawListener(t *testing.T, family int, sa unix.Sockaddr) int {
	t.Helper()
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := errors.Join(unix.Bind(fd, sa), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	return fd
}

// rawConnect begins a connect and returns its error.
func rawConnect(t *testing.T, family int, sa unix.Sockaddr) error {
	t.Helper()
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return unix.Connect(fd, sa)
}

func TestDialConnects(t *testing.T) {
	r := newRig(t)
	f := func(l net.Listener, addr netpoll.Addr, timeout time.Duration) {
		t.Helper()
		defer l.Close()
		var got tally
		h := &handler{readable: func(c *netpoll.Conn) { _ = drain(c, 100, got.add) }}
		connected := make(chan *netpoll.Conn, 1)
		handle := r.dial(addr, timeout, &dialer{t: t, connected: func(c *netpoll.Conn) {
			h.serve(c)
			_ = c.Write([]byte("ping"))
			connected <- c
		}})
		other, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		c := wait(t, connected)
		b := make([]byte, 4)
		if _, err := io.ReadFull(other, b); err != nil || string(b) != "ping" {
			t.Errorf("got %q, %v", b, err)
		}
		_, _ = other.Write([]byte("pong"))
		eventually(t, func() bool { return got.String() == "pong" })
		r.do(func() {
			handle.Cancel() // too late, does nothing
			if c.Closed() {
				t.Error("a late Cancel closed the connection")
			}
			if c.Remote() != addr.IP {
				t.Errorf("Remote = %v, want %v", c.Remote(), addr.IP)
			}
			c.Close()
		})
	}
	tcp := func(network, addr string) net.Listener {
		l, err := net.Listen(network, addr)
		if err != nil {
			t.Skipf("skipped: %v", err)
		}
		return l
	}
	l := tcp("tcp4", "127.0.0.1:0")
	f(l, addrOf(l), time.Hour)
	l = tcp("tcp4", "127.0.0.1:0")
	f(l, addrOf(l), 0)
	path := filepath.Join(t.TempDir(), "s")
	f(tcp("unix", path), netpoll.Addr{Unix: path}, time.Hour)
	l = tcp("tcp6", "[::1]:0")
	f(l, addrOf(l), time.Hour)
}

// A connected dial whose timer had been set is left alone when its time comes.
func TestDialTimeoutEndsWithTheDial(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	connected := make(chan *netpoll.Conn, 1)
	const timeout = 50 * time.Millisecond
	began := time.Now()
	ended := make(chan error, 1)
	r.dial(l.Addr(), timeout, &dialer{t: t, ended: ended, connected: func(c *netpoll.Conn) {
		c.SetHandler(&handler{})
		connected <- c
	}})
	var c *netpoll.Conn
	select {
	case c = <-connected:
	case <-ended:
		t.Skip("skipped: this machine is too busy to connect in time")
	}
	eventually(t, func() bool { return time.Since(began) > 3*timeout })
	r.do(func() {
		if c.Closed() {
			t.Error("the dial's timer closed the connection")
		}
		c.Close()
	})
}

func TestDialFails(t *testing.T) {
	r := newRig(t)
	f := func(addr netpoll.Addr, timeout time.Duration, want error) {
		t.Helper()
		d := &dialer{t: t, ended: make(chan error, 1), connected: func(c *netpoll.Conn) {
			t.Errorf("connected to %v", addr)
			c.Close()
		}}
		began := time.Now()
		r.dial(addr, timeout, d)
		err := wait(t, d.ended)
		if !errors.Is(err, want) || errors.Is(err, netpoll.ErrShortage) {
			t.Errorf("%v: got %v, want %v", addr, err, want)
		}
		if took := time.Since(began); errors.Is(want, netpoll.ErrTimeout) && took < timeout {
			t.Errorf("%v: timed out after %v, want %v", addr, took, timeout)
		}
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	dir := t.TempDir()
	stale := rawListener(t, unix.AF_UNIX, &unix.SockaddrUnix{Name: filepath.Join(dir, "stale")})
	_ = unix.Shutdown(stale, unix.SHUT_RDWR)

	f(addrOf(gone), patience, unix.ECONNREFUSED)
	f(addrOf(gone), 0, unix.ECONNREFUSED)
	f(netpoll.Addr{Unix: filepath.Join(dir, "none")}, patience, unix.ENOENT)
	f(netpoll.Addr{Unix: filepath.Join(dir, "stale")}, patience, unix.ECONNREFUSED)
	f(fullListener(t), 50*time.Millisecond, netpoll.ErrTimeout)
}

// Cancel keeps the dialer from being told anything, whenever it comes.
func TestDialCancel(t *testing.T) {
	r := newRig(t)
	full := fullListener(t)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	silent := func() *dialer {
		return &dialer{t: t, returned: true, connected: func(c *netpoll.Conn) {
			t.Error("connected after Cancel")
			c.Close()
		}}
	}
	f := func(addr netpoll.Addr, timeout time.Duration) {
		t.Helper()
		var h netpoll.Dial
		r.do(func() {
			h = r.loop.Dial(addr, timeout, silent())
			h.Cancel() // before anything came of it
			h.Cancel()
		})
		h = r.dial(addr, timeout, silent())
		if addr == full {
			r.do(h.Cancel) // on its way
		}
	}
	f(full, time.Millisecond)
	f(full, 0)
	r.do(func() {
		for _, addr := range []netpoll.Addr{addrOf(gone), l.Addr(), {Unix: "/nonexistent/s"}} {
			h := r.loop.Dial(addr, time.Millisecond, silent())
			h.Cancel()
		}
		netpoll.Dial{}.Cancel()
	})
	r.allClosed()
}

// A unix socket whose backlog is full refuses for a moment only, and says nothing when
// there is room.
func TestDialUnixWaitsForRoom(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: a full unix listener refuses here")
	}
	r := newRig(t)
	path := filepath.Join(t.TempDir(), "s")
	sa := &unix.SockaddrUnix{Name: path}
	fd := rawListener(t, unix.AF_UNIX, sa)
	for i := 0; !errors.Is(rawConnect(t, unix.AF_UNIX, sa), unix.EAGAIN); i++ {
		if i > 10 {
			t.Skip("skipped: the backlog does not fill")
		}
	}
	late := &dialer{t: t, ended: make(chan error, 1)}
	r.dial(netpoll.Addr{Unix: path}, 40*time.Millisecond, late)
	if err := wait(t, late.ended); !errors.Is(err, netpoll.ErrTimeout) {
		t.Errorf("got %v, want a timeout", err)
	}
	given := r.dial(netpoll.Addr{Unix: path}, 0, &dialer{t: t})
	r.do(given.Cancel)

	connected := make(chan struct{})
	r.dial(netpoll.Addr{Unix: path}, patience, &dialer{t: t, connected: func(c *netpoll.Conn) {
		c.SetHandler(&handler{})
		c.Close()
		close(connected)
	}})
	for range 2 {
		n, _, err := unix.Accept(fd)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(n)
	}
	wait(t, connected)
}

// A dialer may end, or use, the connection at once, also when the other side spoke first.
func TestDialerActsAtOnce(t *testing.T) {
	r := newRig(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello"))
			_ = c.Close()
		}
	}()
	f := func(act func(c *netpoll.Conn, done func())) {
		t.Helper()
		done := make(chan struct{})
		r.dial(addrOf(l), patience, &dialer{t: t, connected: func(c *netpoll.Conn) {
			act(c, func() { close(done) })
		}})
		wait(t, done)
	}
	f(func(c *netpoll.Conn, done func()) {
		c.Close()
		done()
	})
	f(func(c *netpoll.Conn, done func()) {
		c.Abort()
		done()
	})
	f(func(c *netpoll.Conn, done func()) { c.End(calmly, done) })
	f(func(c *netpoll.Conn, done func()) {
		var got tally
		h := &handler{readable: func(c *netpoll.Conn) {
			if err := drain(c, 100, got.add); err != nil {
				if got.String() != "hello" {
					t.Errorf("got %q, then %v", got.String(), err)
				}
				c.Close()
				done()
			}
		}}
		h.serve(c)
	})
}
