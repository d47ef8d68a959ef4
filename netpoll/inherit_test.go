package netpoll_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// passOn is a duplicate of f's descriptor, as another process would get it: blocking, and
// open across exec.
func passOn(t *testing.T, f *os.File, err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// An inherited socket serves as one that was bound here, and does not go on to children.
func TestInherit(t *testing.T) {
	r := newRig(t)
	f := func(l net.Listener, f *os.File, err error, want netpoll.Addr) {
		t.Helper()
		fd := passOn(t, f, err)
		defer l.Close()
		s, err := netpoll.Inherit(fd)
		if err != nil {
			t.Fatal(err)
		}
		if s.Addr() != want {
			t.Errorf("Addr = %v, want %v", s.Addr(), want)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("flags %#x, %v: open across exec", flags, err)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
			t.Errorf("flags %#x, %v: blocking", flags, err)
		}
		on := r.listenOn(s, &acceptor{accept: serveEcho})
		c, err := net.DialTimeout(l.Addr().Network(), l.Addr().String(), patience)
		if err != nil {
			t.Fatal(err)
		}
		ping(t, c)
		_ = c.Close()
		r.do(on.Close)
	}
	tcp, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	file, err := tcp.File()
	f(tcp, file, err, addrOf(tcp))

	path := filepath.Join(t.TempDir(), "s")
	local, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	file, err = local.File()
	f(local, file, err, netpoll.Addr{Unix: path})
}

// What is no stream socket is refused, and its descriptor closed all the same.
func TestInheritRefuses(t *testing.T) {
	newRig(t)
	f := func(f *os.File, err error) {
		t.Helper()
		before := openDescriptors()
		fd := passOn(t, f, err)
		if s, err := netpoll.Inherit(fd); err == nil {
			s.Close()
			t.Error("it was taken over")
		}
		if after := openDescriptors(); after > before {
			t.Errorf("%d descriptors are open, there were %d", after, before)
		}
	}
	f(os.Open(os.DevNull))
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	f(udp.File())
}
