package netpoll_test

import (
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// handOver has another loop, of another process say, listen on the socket of l.
func (r *rig) handOver(l *netpoll.Listener, to *rig, a *acceptor) *netpoll.Listener {
	r.t.Helper()
	var s *netpoll.Socket
	var err error
	r.do(func() { s, err = l.Dup() })
	if err != nil {
		r.t.Fatal(err)
	}
	flags, err := unix.FcntlInt(uintptr(s.Descriptor()), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		r.t.Errorf("flags %#x, %v: open across exec", flags, err)
	}
	arrived, err := netpoll.Inherit(s.Descriptor())
	if err != nil {
		r.t.Fatal(err)
	}
	return to.listenOn(arrived, a)
}

// Who connects while one loop hands its socket to another is served by either.
func TestHandOverRefusesNobody(t *testing.T) {
	first, second := newRig(t), newRig(t)
	f := func(where netpoll.Addr) {
		t.Helper()
		var stop atomic.Bool
		var clients sync.WaitGroup
		old := first.listen(&acceptor{accept: serveEcho}, where)
		network, address := "tcp", old.Addr().IP.String()
		if old.Addr().Unix != "" {
			network, address = "unix", old.Addr().Unix
		}
		for range 4 {
			clients.Go(func() {
				for !stop.Load() {
					c, err := net.DialTimeout(network, address, patience)
					if err != nil {
						t.Error(err)
						return
					}
					ping(t, c)
					_ = c.Close()
				}
			})
		}
		from, to := first, second
		for range 20 {
			next := &acceptor{accept: serveEcho}
			l := from.handOver(old, to, next)
			from.do(old.Close)
			eventually(t, func() bool { return next.asked.Load() > 5 })
			old, from, to = l, to, from
		}
		stop.Store(true)
		clients.Wait()
		from.do(old.Close)
	}
	f(loopback)
	f(netpoll.Addr{Unix: filepath.Join(t.TempDir(), "s")})
}

func TestHandOverOfAClosedListener(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	r.do(func() {
		l.Close()
		if s, err := l.Dup(); err == nil {
			s.Close()
			t.Error("a socket of a closed listener")
		}
	})
}

// A duplicate of a socket of the Go runtime closes on exec, and leaves that one as it is.
func TestDupDescriptor(t *testing.T) {
	newRig(t)
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	raw, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := netpoll.DupDescriptor(raw)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v: open across exec", flags, err)
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
		t.Errorf("flags %#x, %v: it blocks now", flags, err)
	}
	l.Close()
	if _, err := netpoll.DupDescriptor(raw); err == nil {
		t.Error("a duplicate of a closed socket")
	}
}
