package beacon

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// A Member is an origin that announces itself.
type Member struct {
	// URL is the canonical origin, scheme://host[:port]: lower case, the port only if it is
	// not the scheme's. It identifies the member everywhere.
	URL string
	// Scheme is "http" or "https".
	Scheme string
	// Host is a name or an IP address, without brackets.
	Host string
	// Port is that of the scheme unless the URL has one.
	Port uint16
}

// ParseMember reads an origin: http or https, a host, perhaps a port, and perhaps one final
// slash. Everything else is an error: path, query, fragment, userinfo, and ports that could
// be read in two ways.
func ParseMember(url string) (Member, error) {
	if strings.ContainsFunc(url, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return Member{}, errors.New("not visible ASCII") // some letters beyond have lower-case forms in it
	}
	scheme, authority, ok := strings.Cut(url, "://")
	if !ok {
		return Member{}, errors.New("no scheme; write http://host:port or https://host:port")
	}
	m := Member{Scheme: strings.ToLower(scheme)}
	switch m.Scheme {
	case "http":
		m.Port = 80
	case "https":
		m.Port = 443
	default:
		return Member{}, errors.New("the scheme is neither http nor https")
	}
	authority = strings.ToLower(strings.TrimSuffix(authority, "/"))
	host, port, hasPort, err := splitAuthority(authority)
	if err != nil {
		return Member{}, err
	}
	own := m.Port
	if hasPort {
		if m.Port, err = parsePort(port); err != nil {
			return Member{}, err
		}
	}
	m.Host = host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	m.URL = m.Scheme + "://" + host
	if m.Port != own {
		m.URL += ":" + strconv.Itoa(int(m.Port))
	}
	return m, nil
}

// splitAuthority splits host[:port] and checks the host. IPv6 loses its brackets.
func splitAuthority(s string) (host, port string, hasPort bool, err error) {
	if inside, ok := strings.CutPrefix(s, "["); ok {
		host, rest, ok := strings.Cut(inside, "]")
		ip, err := netip.ParseAddr(host)
		if !ok || err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", "", false, errors.New("no IPv6 address in the brackets")
		}
		port, hasPort = strings.CutPrefix(rest, ":")
		if rest != "" && !hasPort {
			return "", "", false, errors.New("nothing but a port follows the brackets")
		}
		return host, port, hasPort, nil
	}
	host, port, hasPort = strings.Cut(s, ":")
	return host, port, hasPort, checkHost(host)
}

// parsePort takes a port as one writes it: no sign, no zero in front.
func parsePort(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != s {
		return 0, errors.New("the port is not a number from 1 to 65535")
	}
	return uint16(n), nil
}

// checkHost returns an error unless s is an IPv4 address or a DNS name in lower case.
// Underscores are let through: names of containers have them.
func checkHost(s string) error {
	const longest = 253 // RFC 1035, 2.3.4, without the root label
	name := strings.TrimSuffix(s, ".")
	if name == "" || len(name) > longest {
		return errors.New("no host, or too long a one")
	}
	var last string
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return errors.New("the host is neither a name nor an IP address; IPv6 stands in brackets")
		}
		last = label
	}
	// A name that ends in a number is an address to most resolvers, 127.1 for one.
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		if ip, err := netip.ParseAddr(s); err != nil || !ip.Is4() {
			return errors.New("the host looks like an IPv4 address but is none")
		}
	}
	return nil
}

func isLabel(s string) bool {
	const longest = 63 // RFC 1035, 2.3.4
	if s == "" || len(s) > longest || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
