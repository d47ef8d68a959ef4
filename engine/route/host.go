package route

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

const (
	maxHost  = 253 // octets of a name without its trailing dot, RFC 1035 2.3.4
	maxLabel = 63  // octets of one label of it
)

var (
	errHostStar     = errors.New(`an asterisk may only stand for the first labels, as in *.a.example; write "" for any host`)
	errHostPort     = errors.New("holds a port; write the host alone, a route's listeners choose the port")
	errHostPath     = errors.New("is no host; write the name alone, without scheme, user and path")
	errHostASCII    = errors.New("holds a letter outside ASCII; write the name in its xn-- form")
	errHostBrackets = errors.New("is an IPv6 address without brackets; write it as [::1]")
	errHostV6       = errors.New("is no IPv6 address in brackets, such as [::1]")
	errHostV4       = errors.New("ends in a number but is no IPv4 address, such as 192.0.2.1")
	errHostWildV4   = errors.New("is a wildcard over IPv4 addresses; write out the addresses")
	errHostLong     = fmt.Errorf("is longer than %d octets", maxHost)
)

// CheckHost returns nil for a host pattern that a rule may have: a name (a.example), a
// wildcard over the names below one (*.a.example, which does not cover a.example), an
// IPv4 address, an IPv6 address in brackets, or nothing for any host. Case and one
// trailing dot are of no account; a port is refused. The error says what would be right.
func CheckHost(pattern string) error {
	switch {
	case pattern == "":
		return nil
	case pattern[0] == '[':
		return checkBracketed(pattern)
	case strings.ContainsAny(pattern, "/@?#\\"):
		return errHostPath
	}
	if colons := strings.Count(pattern, ":"); colons > 1 {
		return errHostBrackets
	} else if colons == 1 {
		return errHostPort
	}
	name, wild := strings.CutPrefix(pattern, "*.")
	name = strings.TrimSuffix(name, ".")
	if err := checkName(name); err != nil {
		return err
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; strings.Trim(last, "0123456789") != "" {
		return nil
	}
	if wild {
		return errHostWildV4
	}
	if _, err := netip.ParseAddr(name); err != nil {
		return errHostV4
	}
	return nil
}

func checkBracketed(pattern string) error {
	inner, after, closed := strings.Cut(pattern[1:], "]")
	if closed && strings.HasPrefix(after, ":") {
		return errHostPort
	}
	addr, err := netip.ParseAddr(inner)
	if !closed || after != "" || err != nil || !addr.Is6() || addr.Zone() != "" {
		return errHostV6
	}
	return nil
}

// checkName checks the labels of a name without its trailing dot.
func checkName(name string) error {
	if len(name) > maxHost {
		return errHostLong
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" {
			return errors.New("has an empty label")
		}
		if len(label) > maxLabel {
			return fmt.Errorf("has a label longer than %d octets", maxLabel)
		}
		for i := range len(label) {
			if err := checkNameByte(label[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkNameByte(c byte) error {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		return nil
	case c == '*':
		return errHostStar
	case c >= 0x80:
		return errHostASCII
	}
	return fmt.Errorf("holds %q, which no host name may", c)
}

// canonicalHost returns a pattern that CheckHost passed in the form requests are compared
// with: lower case, no trailing dot, IPv6 addresses as RFC 5952 writes them.
func canonicalHost(pattern string) string {
	if strings.HasPrefix(pattern, "[") {
		return "[" + netip.MustParseAddr(pattern[1:len(pattern)-1]).String() + "]"
	}
	return strings.TrimSuffix(strings.ToLower(pattern), ".")
}

// foldHost returns the host of host[:port] in lower case and without one trailing dot.
// The result lies in host itself or in to. It is nil when the host is longer than any
// that a rule may name.
func foldHost(host []byte, to *[maxHost]byte) []byte {
	host = bareHost(host)
	if len(host) > maxHost {
		return nil
	}
	for i, c := range host {
		if 'A' <= c && c <= 'Z' {
			return lower(to[:copy(to[:], host)], i)
		}
	}
	return host
}

// lower folds host from index i on, in place.
func lower(host []byte, i int) []byte {
	for ; i < len(host); i++ {
		if c := host[i]; 'A' <= c && c <= 'Z' {
			host[i] = c | 0x20
		}
	}
	return host
}

// bareHost cuts the port and one trailing dot off.
func bareHost(host []byte) []byte {
	if len(host) > 0 && host[0] == '[' {
		return host[:bytes.IndexByte(host, ']')+1]
	}
	if i := bytes.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	if n := len(host); n > 0 && host[n-1] == '.' {
		host = host[:n-1]
	}
	return host
}
