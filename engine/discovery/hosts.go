package discovery

import (
	"net/netip"
	"slices"
	"strings"
)

// hosts are the addresses of the names in a hosts file, by name in lower case without
// final dot.
type hosts map[string][]netip.Addr

// parseHosts reads the text of a hosts(5) file: an address and its names a line. A line that
// is not like that is left aside.
func parseHosts(text string) hosts {
	h := hosts{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		a, err := netip.ParseAddr(words[0])
		if err != nil || !usable(a.Unmap()) {
			continue
		}
		for _, name := range words[1:] {
			name = strings.ToLower(strings.TrimSuffix(name, "."))
			if isName(name) && !slices.Contains(h[name], a.Unmap()) {
				h[name] = append(h[name], a.Unmap())
			}
		}
	}
	return h
}

// find returns the addresses of a name that needs no name server, sorted, or nil. Names
// below localhost are this machine, whatever a server says: RFC 6761, 6.3.
func (h hosts) find(name string) []netip.Addr {
	name = strings.TrimSuffix(name, ".")
	if found := h[name]; found != nil {
		return tidy(found)
	}
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	return nil
}
