package netpoll

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// An Addr is where a listener or a dial goes: an IP address with port, or a path.
type Addr struct {
	IP   netip.AddrPort
	Unix string // path of a unix socket; set = IP is not looked at
}

// String is the address as text: "ip:port" or "unix:/path".
func (a Addr) String() string {
	if a.Unix != "" {
		return "unix:" + a.Unix
	}
	return a.IP.String()
}

// sockaddr is the address for system calls, with its family. Each caller gets its own,
// since x/sys writes into it.
func (a Addr) sockaddr() (unix.Sockaddr, int) {
	switch {
	case a.Unix != "":
		return &unix.SockaddrUnix{Name: a.Unix}, unix.AF_UNIX
	case a.IP.Addr().Unmap().Is4():
		return &unix.SockaddrInet4{Port: int(a.IP.Port()), Addr: a.IP.Addr().Unmap().As4()}, unix.AF_INET
	}
	return &unix.SockaddrInet6{Port: int(a.IP.Port()), Addr: a.IP.Addr().As16(), ZoneId: zoneIndex(a.IP.Addr().Zone())}, unix.AF_INET6
}

// addrPort is the IP address in sa; not valid for other families.
func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}
