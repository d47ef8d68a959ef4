package netpoll_test

import (
	"net/netip"
	"testing"

	"millrace/netpoll"
)

func anyPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// withPort is ip with the port of a.
func withPort(ip string, a netpoll.Addr) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(ip), a.IP.Port())
}

func TestAddrString(t *testing.T) {
	f := func(a netpoll.Addr, want string) {
		t.Helper()
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(netpoll.Addr{IP: anyPort("192.0.2.1:80")}, "192.0.2.1:80")
	f(netpoll.Addr{IP: anyPort("[2001:db8::1]:80")}, "[2001:db8::1]:80")
	f(netpoll.Addr{Unix: "/run/s"}, "unix:/run/s")
}
