package netpoll_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// ping fails the test unless what is at the other end of c echoes.
func ping(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(patience))
	b := []byte("ping")
	if _, err := c.Write(b); err != nil {
		t.Error(err)
		return
	}
	if _, err := io.ReadFull(c, b); err != nil || string(b) != "ping" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestManyConnectAtOnce(t *testing.T) {
	r := newRig(t)
	a := &acceptor{accept: serveEcho}
	l := r.listen(a, loopback)
	const count = 300
	var conns [count]*net.TCPConn
	r.do(func() { // so that one report tells of all of them
		for i := range conns {
			c, err := net.DialTimeout("tcp", l.Addr().IP.String(), patience)
			if err != nil {
				t.Error(err)
				return
			}
			conns[i] = c.(*net.TCPConn)
		}
	})
	for _, c := range conns {
		if c != nil {
			ping(t, c)
			_ = c.Close()
		}
	}
	a.settle(t, count)
}

// At its limit a listener leaves connections to the kernel, and goes on when it is told
// to, or by itself after a while.
func TestAdmitRefuses(t *testing.T) {
	r := newRig(t)
	f := func(resume bool) {
		t.Helper()
		a := &acceptor{accept: serveEcho}
		l := r.listen(a, loopback)
		first := connect(t, l.Addr())
		ping(t, first)
		a.closed.Store(true)
		var waiting [70]*net.TCPConn
		for i := range waiting {
			waiting[i] = connect(t, l.Addr())
		}
		asked := a.asked.Load()
		eventually(t, func() bool { return a.asked.Load() > asked })
		ping(t, first)
		a.settle(t, 1)
		a.closed.Store(false)
		if resume {
			r.do(func() {
				l.Resume()
				l.Resume()
			})
		}
		for _, c := range waiting {
			ping(t, c)
		}
		a.settle(t, 1+len(waiting))
		r.do(l.Close)
	}
	f(true)
	f(false)
}

// Asking again at the limit must not become a loop.
func TestRefusedListenerDoesNotSpin(t *testing.T) {
	r := newRig(t)
	a := &acceptor{accept: serveEcho}
	a.closed.Store(true)
	l := r.listen(a, loopback)
	connect(t, l.Addr())
	eventually(t, func() bool { return a.asked.Load() > 0 })
	began, asked := time.Now(), a.asked.Load()
	eventually(t, func() bool { return a.asked.Load() >= asked+3 })
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("asked three times in %v", took)
	}
}

// What the kernel has completed before Close is served; what comes after is refused.
func TestListenerClose(t *testing.T) {
	r := newRig(t)
	a := &acceptor{accept: serveEcho}
	l := r.listen(a, loopback)
	var conns [100]*net.TCPConn
	r.do(func() {
		for i := range conns {
			c, err := net.DialTimeout("tcp", l.Addr().IP.String(), patience)
			if err != nil {
				t.Error(err)
				return
			}
			conns[i] = c.(*net.TCPConn)
		}
		l.Close()
		l.Close()
		l.Resume()
		a.settle(t, len(conns))
	})
	for _, c := range conns {
		if c != nil {
			ping(t, c)
			_ = c.Close()
		}
	}
	eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", l.Addr().IP.String(), patience)
		if err == nil {
			_ = c.Close()
		}
		return errors.Is(err, unix.ECONNREFUSED)
	})
}

// An acceptor may close its listener, in the middle of accepting and of Close itself: the
// descriptor is closed once, and nothing is accepted after.
func TestAcceptorClosesItsListener(t *testing.T) {
	r := newRig(t)
	f := func(closeOutside bool) {
		t.Helper()
		var l *netpoll.Listener
		a := &acceptor{}
		a.accept = func(c *netpoll.Conn) {
			serveEcho(c)
			l.Close()
		}
		s, err := netpoll.Bind(loopback, false)
		if err != nil {
			t.Fatal(err)
		}
		var conns [10]*net.TCPConn
		for i := range conns {
			conns[i] = connect(t, s.Addr())
		}
		r.do(func() {
			if l, err = r.loop.Listen(s, a); err != nil {
				t.Error(err)
				return
			}
			if closeOutside {
				l.Close()
			}
		})
		for _, c := range conns {
			ping(t, c)
		}
		r.do(func() {
			if n := len(r.loop.Closing()); n > 1 {
				t.Errorf("%d descriptors wait to be closed, want one at most", n)
			}
		})
		a.settle(t, len(conns))
	}
	f(false)
	f(true)
}

func TestSharedSocketsOnTwoLoops(t *testing.T) {
	a := [2]*acceptor{{accept: serveEcho}, {accept: serveEcho}}
	addr := loopback
	for i := range a {
		r := newRig(t)
		s, err := netpoll.Bind(addr, true)
		if err != nil {
			t.Fatal(err)
		}
		r.listenOn(s, a[i])
		addr = s.Addr()
	}
	if s, err := netpoll.Bind(addr, false); err == nil {
		s.Close()
		t.Error("a socket that does not share was bound beside those that do")
	} else if !errors.Is(err, unix.EADDRINUSE) {
		t.Error(err)
	}
	const most = 2000
	total := 0
	for total < most && (a[0].accepted.Load() == 0 || a[1].accepted.Load() == 0 || total < 40) {
		c := connect(t, addr)
		ping(t, c)
		_ = c.Close()
		total++
	}
	if a[0].accepted.Load() == 0 || a[1].accepted.Load() == 0 {
		t.Errorf("of %d connections the loops got %d and %d", total, a[0].accepted.Load(), a[1].accepted.Load())
	}
}

// One unix socket on two loops: each serves, and one may close without the other.
func TestDuplicatedUnixSocket(t *testing.T) {
	a := [2]*acceptor{{accept: serveEcho}, {accept: serveEcho}}
	r := [2]*rig{newRig(t), newRig(t)}
	addr := netpoll.Addr{Unix: filepath.Join(t.TempDir(), "s")}
	s, err := netpoll.Bind(addr, false)
	if err != nil {
		t.Fatal(err)
	}
	twin, err := s.Dup()
	if err != nil {
		t.Fatal(err)
	}
	if twin.Addr() != addr {
		t.Errorf("Addr = %v", twin.Addr())
	}
	first := r[0].listenOn(s, a[0])
	r[1].listenOn(twin, a[1])
	burst := func(count int) {
		t.Helper()
		var wg sync.WaitGroup
		for range count {
			wg.Go(func() {
				c, err := net.DialTimeout("unix", addr.Unix, patience)
				if err != nil {
					t.Error(err)
					return
				}
				ping(t, c)
				_ = c.Close()
			})
		}
		wg.Wait()
	}
	burst(200)
	if n := a[0].accepted.Load() + a[1].accepted.Load(); n != 200 { // each has echoed
		t.Errorf("%d connections were accepted of 200", n)
	}

	plugBelow(t, first.FD())
	number := first.FD()
	r[0].do(first.Close)
	r[0].allClosed()
	served := a[0].accepted.Load()
	// What has the number now must not be told what the other listener is told.
	connected := make(chan *netpoll.Conn, 1)
	d := func() *dialer {
		return &dialer{t: t, connected: func(c *netpoll.Conn) {
			c.SetHandler(&handler{readable: func(*netpoll.Conn) { t.Error("told of the listener's connections") }})
			connected <- c
		}}
	}
	var c *netpoll.Conn
	for c == nil || c.FD() < number { // holes below it may have come since
		r[0].dial(addr, patience, d())
		c = wait(t, connected)
		defer r[0].do(c.Close)
	}
	if c.FD() != number {
		t.Errorf("the number %d was not used again, but %d", number, c.FD())
	}
	burst(50)
	r[0].do(func() {})
	if n := a[0].accepted.Load(); n != served {
		t.Errorf("a closed listener accepted %d connections", n-served)
	}
}

// The file of a unix socket that nobody serves is replaced; one in use, and a file of
// another kind, are left alone.
func TestBindUnix(t *testing.T) {
	dir := t.TempDir()
	f := func(name string, want error) {
		t.Helper()
		s, err := netpoll.Bind(netpoll.Addr{Unix: filepath.Join(dir, name)}, false)
		if (err == nil) != (want == nil) || !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if err == nil {
			s.Close() // which leaves the file
		}
	}
	f("s", nil)
	f("s", nil)
	l, err := net.Listen("unix", filepath.Join(dir, "live"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f("live", unix.EADDRINUSE)
	f("none/s", unix.ENOENT)

	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := netpoll.Bind(netpoll.Addr{Unix: plain}, false); err == nil {
		s.Close()
		t.Error("a plain file was replaced")
	}
	if _, err := os.Stat(plain); err != nil {
		t.Error(err)
	}
}

// The unspecified IPv6 address serves IPv4 as well; and a client's address is the same in
// both.
func TestBindAnyAddress(t *testing.T) {
	r := newRig(t)
	addr := netpoll.Addr{IP: anyPort("[::]:0")}
	s, err := netpoll.Bind(addr, false)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	var remote atomic.Value
	l := r.listenOn(s, &acceptor{accept: func(c *netpoll.Conn) {
		remote.Store(c.Remote())
		serveEcho(c)
	}})
	c := connect(t, netpoll.Addr{IP: withPort("127.0.0.1", l.Addr())})
	ping(t, c)
	if got, want := remote.Load(), anyPort(c.LocalAddr().String()); got != want {
		t.Errorf("Remote = %v, want %v", got, want)
	}
}
