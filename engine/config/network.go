package config

import (
	"fmt"
	"net/netip"
	"strings"
)

// networks takes a list of CIDR blocks and addresses.
func networks(to *[]netip.Prefix) form {
	return list[netip.Prefix]{to: to, fresh: nothing[netip.Prefix], form: func(p *netip.Prefix) form {
		return scalar[netip.Prefix]{to: p, kind: "a network", parse: parseNetwork, show: netip.Prefix.String}.like(`^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$`)
	}}
}

// parseNetwork reads 10.0.0.0/8, 2001:db8::/32 or a single address. Bits behind the
// prefix are ignored, and IPv4 mapped into IPv6 becomes IPv4, as connections show it.
func parseNetwork(s string) (netip.Prefix, error) {
	const mapped = 96 // bits in front of a mapped IPv4 address
	p, err := netip.ParsePrefix(s)
	if !strings.Contains(s, "/") {
		var a netip.Addr
		if a, err = netip.ParseAddr(s); err == nil && a.Zone() == "" {
			a = a.Unmap()
			return netip.PrefixFrom(a, a.BitLen()), nil
		}
	}
	if err != nil || !p.IsValid() {
		return netip.Prefix{}, fmt.Errorf("%s is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7", shown(s))
	}
	if p.Addr().Is4In6() {
		if p.Bits() < mapped {
			return netip.Prefix{}, fmt.Errorf("%s covers more than IPv4 addresses; write the IPv4 network itself", shown(s))
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), nil
}

// resolvers takes a list of DNS servers.
func resolvers(to *[]netip.AddrPort) form {
	return list[netip.AddrPort]{to: to, fresh: nothing[netip.AddrPort], form: func(p *netip.AddrPort) form {
		return scalar[netip.AddrPort]{to: p, kind: "an IP address", parse: parseResolver, show: netip.AddrPort.String}.like(`^\[?[0-9A-Fa-f:.]+(%[A-Za-z0-9_.-]+)?(\]:[0-9]+)?$`)
	}}
}

// parseResolver reads an address with a port or without.
func parseResolver(s string) (netip.AddrPort, error) {
	const dns = 53
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.AddrPortFrom(a, dns), nil
	}
	p, err := netip.ParseAddrPort(s)
	if err != nil || p.Port() == 0 {
		return netip.AddrPort{}, fmt.Errorf("%s is not the address of a DNS server; write it like 127.0.0.1, 127.0.0.1:5353 or [::1]:53", shown(s))
	}
	return p, nil
}
