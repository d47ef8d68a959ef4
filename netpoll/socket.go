package netpoll

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	backlog          = 4096 // connections that wait for accept; the kernel may allow fewer
	keepAliveSeconds = 60
)

// A Socket is a bound, listening socket that no loop accepts from yet.
type Socket struct {
	fd   int
	addr Addr
}

// Bind opens a listening socket. With share, other sockets that share may listen on the
// same address and the kernel spreads the connections; without, a second one is refused.
func Bind(addr Addr, share bool) (*Socket, error) {
	if addr.Unix != "" {
		if err := removeStale(addr.Unix); err != nil {
			return nil, err
		}
	}
	sa, family := addr.sockaddr()
	fd, err := newSocket(family)
	if err != nil {
		return nil, fmt.Errorf("cannot open a socket for %s: %w", addr, err)
	}
	if err := bind(fd, sa, family, share); err != nil {
		closeFD(fd)
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	if addr.Unix == "" {
		if bound, err := unix.Getsockname(fd); err == nil {
			addr.IP = netip.AddrPortFrom(addr.IP.Addr(), addrPort(bound).Port())
		}
	}
	return &Socket{fd: fd, addr: addr}, nil
}

// Share has others that share listen on the address of a socket as well, which may be bound
// already. Not every kernel allows that.
func Share(c syscall.RawConn) error {
	var failed error
	set := func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, balance, 1) }
	err := c.Control(set)
	return errors.Join(err, failed)
}

// Addr is the bound address, with the port that the kernel chose if 0 was asked for.
func (s *Socket) Addr() Addr { return s.addr }

// Dup is another handle to the same socket: connections go to whoever accepts first.
func (s *Socket) Dup() (*Socket, error) {
	fd, err := unix.FcntlInt(uintptr(s.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot duplicate the socket of %s: %w", s.addr, err)
	}
	return &Socket{fd: fd, addr: s.addr}, nil
}

// Close closes a socket that was not given to a loop.
func (s *Socket) Close() { closeFD(s.fd) }

func bind(fd int, sa unix.Sockaddr, family int, share bool) error {
	if family != unix.AF_UNIX {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return err
		}
		setStreamOptions(fd) // accepted sockets inherit them
	}
	if family == unix.AF_INET6 {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, v6Only(sa))
	}
	if share && family != unix.AF_UNIX {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, balance, 1); err != nil {
			return err
		}
	}
	if err := unix.Bind(fd, sa); err != nil {
		return err
	}
	return unix.Listen(fd, backlog)
}

// v6Only is 0 for the unspecified address, which serves IPv4 as well, else 1.
func v6Only(sa unix.Sockaddr) int {
	if sa, ok := sa.(*unix.SockaddrInet6); ok && netip.AddrFrom16(sa.Addr).IsUnspecified() {
		return 0
	}
	return 1
}

// setStreamOptions turns off Nagle's delay and has dead peers found. Both are wishes.
func setStreamOptions(fd int) {
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	_ = keepAliveIdle(fd, keepAliveSeconds)
}

// removeStale unlinks the file of a unix socket that nobody listens on any more.
func removeStale(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot listen on unix:%s: %w", path, err)
	}
	if st.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("cannot listen on unix:%s: the file exists and is no socket", path)
	}
	fd, err := newSocket(unix.AF_UNIX)
	if err != nil {
		return fmt.Errorf("cannot listen on unix:%s: %w", path, err)
	}
	defer closeFD(fd)
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); !errors.Is(err, unix.ECONNREFUSED) {
		return fmt.Errorf("cannot listen on unix:%s: %w", path, unix.EADDRINUSE)
	}
	return os.Remove(path)
}
