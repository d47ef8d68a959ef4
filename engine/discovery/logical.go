package discovery

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

// logicalTTL is that of answers of the Go library, which does not tell any.
const logicalTTL = 10 * time.Second

// A libraryLookup is net.Resolver.LookupNetIP.
type libraryLookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

// askLibrary has the Go library find the addresses. Those that the last answer began with
// stay in front while they are there: with servers that turn their answers round, the
// endpoint would otherwise move each time.
func (f *finder) askLibrary(ctx context.Context, name string, before content) round {
	addrs, err := f.library(ctx, "ip", name)
	if err != nil {
		var notFound *net.DNSError
		if errors.As(err, &notFound) && notFound.IsNotFound {
			return round{status: NXDomain}
		}
		return round{status: Failed, err: brief(err)}
	}
	var kept []netip.Addr
	for _, a := range addrs {
		if a = a.Unmap(); usable(a) && len(kept) < mostAddresses {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		return round{status: NXDomain}
	}
	return round{status: Resolved, content: content{addrs: firstStays(kept, before.addrs)}, ttl: logicalTTL}
}

// firstStays returns the addresses turned so that the first of before is the first again, if
// it is among them.
func firstStays(addrs, before []netip.Addr) []netip.Addr {
	if len(before) == 0 {
		return addrs
	}
	i := max(slices.Index(addrs, before[0]), 0)
	return append(slices.Clone(addrs[i:]), addrs[:i]...)
}
