package netpoll

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Inherit takes over a listening socket that another process opened. The descriptor
// belongs to the Socket from then on, also when this fails.
func Inherit(fd int) (*Socket, error) {
	s, err := inherit(fd)
	if err != nil {
		closeFD(fd)
		return nil, fmt.Errorf("cannot take over descriptor %d: %w", fd, err)
	}
	return s, nil
}

func inherit(fd int) (*Socket, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return nil, err
	}
	if kind != unix.SOCK_STREAM {
		return nil, errors.New("it is no stream socket")
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return nil, err
	}
	switch sa := sa.(type) {
	case *unix.SockaddrUnix:
		return &Socket{fd: fd, addr: Addr{Unix: sa.Name}}, unix.Listen(fd, backlog)
	case *unix.SockaddrInet4, *unix.SockaddrInet6:
		setStreamOptions(fd)
		return &Socket{fd: fd, addr: Addr{IP: boundAddr(sa)}}, unix.Listen(fd, backlog)
	}
	return nil, errors.New("it is neither a TCP nor a unix socket")
}

// boundAddr is the address in sa as it was bound, IPv6 kept apart from IPv4.
func boundAddr(sa unix.Sockaddr) netip.AddrPort {
	if sa, ok := sa.(*unix.SockaddrInet6); ok {
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
	}
	return addrPort(sa)
}
