package netpoll

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSockaddrRoundTrip(t *testing.T) {
	f := func(in, want string, family int) {
		t.Helper()
		sa, got := Addr{IP: netip.MustParseAddrPort(in)}.sockaddr()
		if got != family {
			t.Errorf("%s: family %d, want %d", in, got, family)
		}
		if back := addrPort(sa).String(); back != want {
			t.Errorf("%s: came back as %s, want %s", in, back, want)
		}
	}
	f("192.0.2.1:80", "192.0.2.1:80", unix.AF_INET)
	f("[::ffff:192.0.2.1]:80", "192.0.2.1:80", unix.AF_INET)
	f("[2001:db8::1]:65535", "[2001:db8::1]:65535", unix.AF_INET6)
	f("[::]:0", "[::]:0", unix.AF_INET6)

	if sa, family := (Addr{Unix: "/run/s"}).sockaddr(); family != unix.AF_UNIX || addrPort(sa).IsValid() {
		t.Errorf("a unix address: family %d, %v", family, addrPort(sa))
	}
}

func TestZoneIndex(t *testing.T) {
	f := func(zone string, want uint32) {
		t.Helper()
		if got := zoneIndex(zone); got != want {
			t.Errorf("zoneIndex(%q) = %d, want %d", zone, got, want)
		}
	}
	f("", 0)
	f("7", 7)
	f("no-such-interface", 0)
	f("99999999999", 0)
}

func TestErrorKinds(t *testing.T) {
	f := func(err error, shortage, stillborn bool) {
		t.Helper()
		if got := isShortage(err); got != shortage {
			t.Errorf("isShortage(%v) = %v", err, got)
		}
		if got := isStillborn(err); got != stillborn {
			t.Errorf("isStillborn(%v) = %v", err, got)
		}
	}
	f(nil, false, false)
	f(errors.New("other"), false, false)
	f(unix.EMFILE, true, false)
	f(unix.ENFILE, true, false)
	f(unix.EADDRNOTAVAIL, true, false)
	f(fmt.Errorf("wrapped: %w", unix.ENOBUFS), true, false)
	f(unix.ECONNREFUSED, false, false)
	f(unix.EAGAIN, false, false)
	f(unix.EBADF, false, false)
	f(unix.EINVAL, false, false)
	f(unix.ECONNABORTED, false, true)
	f(unix.EPROTO, false, true)
	f(unix.EHOSTUNREACH, false, true)
	f(fmt.Errorf("wrapped: %w", unix.EPERM), false, true)
}

// Gathered writes skip empty parts and count what was written.
func TestWritev(t *testing.T) {
	f := func(want string, parts ...string) {
		t.Helper()
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer closeFD(fds[0])
		defer closeFD(fds[1])
		all := make([][]byte, len(parts))
		for i, p := range parts {
			all[i] = []byte(p)
		}
		if n, errno := sysWritev(fds[0], all...); n != len(want) || errno != 0 {
			t.Errorf("wrote %d bytes, %v", n, errno)
		}
		b := make([]byte, 100)
		if n, errno := sysRead(fds[1], b); string(b[:max(n, 0)]) != want {
			t.Errorf("read %q, %v, want %q", b[:max(n, 0)], errno, want)
		}
	}
	f("a", "a")
	f("abc", "a", "b", "c")
	f("ac", "a", "", "c")
	f("c", "", "", "c")
	f("0123456789abcdef", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f")
}
