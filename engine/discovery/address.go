package discovery

import (
	"net/netip"
	"slices"
)

// mostAddresses is how many addresses of one name are used.
const mostAddresses = 1024

// usable reports whether a connection can be made to a. Some filters answer with the
// unspecified address for names that they block; connecting to it reaches this machine.
func usable(a netip.Addr) bool {
	return a.IsValid() && !a.IsUnspecified() && !a.IsMulticast() &&
		a != netip.AddrFrom4([4]byte{255, 255, 255, 255}) &&
		(!a.Is6() || !a.IsLinkLocalUnicast() || a.Zone() != "") // no record can name the zone
}

// tidy returns the addresses sorted, each once, IPv4 first.
func tidy(addrs []netip.Addr) []netip.Addr {
	sorted := slices.Clone(addrs)
	slices.SortFunc(sorted, netip.Addr.Compare)
	return slices.Compact(sorted)
}

// ofFamily returns the addresses that are IPv4, or those that are not.
func ofFamily(addrs []netip.Addr, v4 bool) []netip.Addr {
	var out []netip.Addr
	for _, a := range addrs {
		if a.Is4() == v4 {
			out = append(out, a)
		}
	}
	return out
}
