package beacon

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"
)

// reachLimit bounds one look-up.
const reachLimit = 5 * time.Second

// A network is what a target needs of the system.
type network interface {
	lookup(ctx context.Context, host string) ([]netip.Addr, error)
	dial(ctx context.Context, at netip.AddrPort) (conn, error)
}

// A conn sends datagrams to one address, and tells of one that came back when the next is
// written.
type conn interface {
	Write([]byte) (int, error)
	SetWriteDeadline(time.Time) error
	Close() error
}

// reach opens a socket to the target. Of several addresses it takes the one of before if
// that is still one of them, so that shuffled answers do not move the announcements from
// one receiver to the other; with avoid it takes that one last.
func (t *target) reach(ctx context.Context, before netip.AddrPort, avoid bool) opened {
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	addrs, err := t.addresses(ctx)
	if err != nil {
		return opened{err: err}
	}
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int {
		return rank(a, before.Addr(), avoid) - rank(b, before.Addr(), avoid)
	})
	for _, a := range addrs {
		at := netip.AddrPortFrom(a, t.port)
		var c conn
		if c, err = t.net.dial(ctx, at); err == nil {
			return opened{conn: c, at: at}
		}
	}
	return opened{err: err}
}

func rank(a, before netip.Addr, avoid bool) int {
	if (a == before) == avoid {
		return 1
	}
	return 0
}

// addresses returns at least one address of the target.
func (t *target) addresses(ctx context.Context) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(t.host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := t.net.lookup(ctx, t.host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no address", Name: t.host, IsNotFound: true}
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}

// A systemNetwork is that of the machine.
type systemNetwork struct{}

func (systemNetwork) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func (systemNetwork) dial(ctx context.Context, at netip.AddrPort) (conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "udp", at.String())
}
