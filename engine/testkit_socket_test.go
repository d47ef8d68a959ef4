package engine_test

import (
	"net"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// narrow makes the buffers of the kernel on both ends of a connection as small as they
// get, so that a reader that stops is soon felt by the writer.
func narrow(_, _ string, c syscall.RawConn) error {
	const segment = 512 // bytes; the other end's send buffer grows with it
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048)
		if failed == nil {
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, segment)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// listenNarrow opens an upstream whose connections take few bytes ahead.
func listenNarrow(t *testing.T) *upstream {
	return listenOn(t, net.ListenConfig{Control: narrow}, "tcp", "127.0.0.1:0")
}

// reserved is an address that this process holds and where nobody listens.
func reserved(t *testing.T) (fd int, address string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	sa, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, "127.0.0.1:" + strconv.Itoa(sa.(*syscall.SockaddrInet4).Port)
}

// refusing is an upstream at whose address nobody listens.
func refusing(t *testing.T) *upstream {
	_, address := reserved(t)
	return &upstream{t: t, address: address}
}

// silent is an upstream that neither accepts nor refuses: its queue is full.
func silent(t *testing.T) *upstream {
	t.Helper()
	fd, address := reserved(t)
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for waiting := range 16 {
		c, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return &upstream{t: t, address: address, l: listenerOf(t, fd), waiting: waiting}
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Skip("the queue of a listening socket does not get full here")
	return nil
}

// listenerOf makes a listener of a listening socket.
func listenerOf(t *testing.T, fd int) net.Listener {
	t.Helper()
	dup, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(dup), "listener")
	defer func() { _ = f.Close() }()
	l, err := net.FileListener(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// wake takes those who fill the queue of a silent upstream out of it.
func (u *upstream) wake() {
	u.t.Helper()
	for range u.waiting {
		c, err := u.acceptBy(time.Now().Add(patience))
		if err != nil {
			u.t.Fatal(err)
		}
		_ = c.Close()
	}
}

// brokenSocket is the error that waits on a socket, if there is one.
func brokenSocket(c *net.TCPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var waiting int
	if err := raw.Control(func(fd uintptr) {
		waiting, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
	}); err != nil {
		return err
	}
	if waiting != 0 {
		return syscall.Errno(waiting)
	}
	return err
}
