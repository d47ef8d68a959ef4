package config

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// checkHostName returns an error unless s is a DNS name or an IPv4 address.
// Underscores are let through: container names have them.
func checkHostName(s string) error {
	const most = 253 // RFC 1035, 2.3.4, without the root label
	name := strings.TrimSuffix(s, ".")
	if name == "" {
		return errors.New("no host; write a name or an IP address")
	}
	if len(name) > most {
		return fmt.Errorf("the host %s is longer than %d characters", shown(s), most)
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if err := checkLabel(l); err != nil {
			return fmt.Errorf("%s is not a host name: %w", shown(s), err)
		}
	}
	// A name that ends in a number is an address to most resolvers, 127.1 for one.
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(strings.ToLower(last), "0x") {
		if a, err := netip.ParseAddr(s); err != nil || !a.Is4() {
			return fmt.Errorf("%s looks like an IPv4 address but is none", shown(s))
		}
	}
	return nil
}

func checkLabel(l string) error {
	if l == "" {
		return errors.New("an empty label between dots")
	}
	if len(l) > 63 {
		return errors.New("a label longer than 63 characters")
	}
	for i := range len(l) {
		switch c := l[i]; {
		case c >= 0x80:
			return errors.New("not ASCII; write international names in their xn-- form")
		case c == '-' && (i == 0 || i == len(l)-1):
			return errors.New("a label begins or ends with -")
		case !isAlphanumeric(c) && c != '-' && c != '_':
			return fmt.Errorf("%q is not allowed", rune(c))
		}
	}
	return nil
}

// parsePort returns the port written in s, which is never 0.
func parsePort(s string) (uint16, error) {
	const last = 65535
	n, err := parseInt(s, 1, last)
	if err != nil {
		return 0, fmt.Errorf("the port %s is not a number from 1 to %d", shown(s), last)
	}
	return uint16(n), nil
}

// splitPort cuts host:port at the colon. hasPort is false if there is none. IPv6
// literals lose their brackets.
func splitPort(s string) (host, port string, hasPort bool, err error) {
	if !strings.HasPrefix(s, "[") {
		host, port, hasPort = strings.Cut(s, ":")
		if strings.Contains(port, ":") {
			return "", "", false, fmt.Errorf("%s has too many colons; put an IPv6 address in brackets", shown(s))
		}
		return host, port, hasPort, nil
	}
	host, rest, ok := strings.Cut(s[1:], "]")
	if !ok || rest != "" && rest[0] != ':' {
		return "", "", false, fmt.Errorf("%s is not [IPv6]:port", shown(s))
	}
	a, err := netip.ParseAddr(host)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return "", "", false, fmt.Errorf("%s is not an IPv6 address, or has a zone, which is not supported", shown(host))
	}
	return host, strings.TrimPrefix(rest, ":"), rest != "", nil
}

// bracketed puts an IPv6 literal in brackets.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
