package h1

import "bytes"

// maxHostBytes bounds a host name; DNS has none beyond 254 with the last dot.
const maxHostBytes = 255

// ValidAuthority reports whether b is a host with an optional port, as Host
// and absolute-form targets hold it: no userinfo, a port of 1 to 65535 if
// there is a colon, and as the host an IPv6 address in brackets or a name of
// letters, digits and -._~ without empty labels (a dot at the end is fine).
// RFC 3986, section 3.2.2 knows more bytes in a name, but no name that
// anybody can resolve holds them.
func ValidAuthority(b []byte) bool {
	host, port, colon := splitAuthority(b)
	if colon && !validPort(port) {
		return false
	}
	if len(host) > 0 && host[0] == '[' {
		return host[len(host)-1] == ']' && validIPv6(host[1:len(host)-1])
	}
	return validName(host)
}

// splitAuthority cuts b before the colon of the port. The host may be
// anything.
func splitAuthority(b []byte) (host, port []byte, colon bool) {
	from := 0
	if len(b) > 0 && b[0] == '[' {
		if from = bytes.IndexByte(b, ']') + 1; from == 0 {
			return b, nil, false
		}
		if from < len(b) && b[from] != ':' {
			return b, nil, false
		}
	}
	i := bytes.IndexByte(b[from:], ':')
	if i < 0 {
		return b, nil, false
	}
	return b[:from+i], b[from+i+1:], true
}

func validPort(b []byte) bool {
	if len(b) == 0 || len(b) > 5 {
		return false
	}
	n := 0
	for _, c := range b {
		if class[c]&classDigit == 0 {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return n > 0 && n <= 65535
}

func validName(b []byte) bool {
	if len(b) == 0 || len(b) > maxHostBytes {
		return false
	}
	label := 0
	for _, c := range b {
		if class[c]&classRegName == 0 {
			return false
		}
		if c != '.' {
			label++
			continue
		}
		if label == 0 {
			return false
		}
		label = 0
	}
	return true
}

// validIPv6 reports whether b is an IPv6 address without a zone.
func validIPv6(b []byte) bool {
	groups, gap := 0, false
	for i := 0; i < len(b); {
		if b[i] == ':' {
			if gap || i+1 == len(b) || b[i+1] != ':' {
				return false
			}
			gap = true
			i += 2
			continue
		}
		start := i
		for i < len(b) && class[b[i]]&classHex != 0 {
			i++
		}
		if i < len(b) && b[i] == '.' {
			return validIPv4(b[start:]) && complete(groups+2, gap)
		}
		groups++
		if i == start || i-start > 4 {
			return false
		}
		if i == len(b) {
			break
		}
		if b[i] != ':' || i+1 == len(b) {
			return false
		}
		if b[i+1] != ':' {
			i++
		}
	}
	return complete(groups, gap)
}

// complete reports whether an IPv6 address has the right number of groups,
// where a gap stands for at least one.
func complete(groups int, gap bool) bool {
	if gap {
		return groups < 8
	}
	return groups == 8
}

func validIPv4(b []byte) bool {
	for part := 0; ; part++ {
		n, digits := 0, 0
		for len(b) > 0 && class[b[0]]&classDigit != 0 {
			n = n*10 + int(b[0]-'0')
			digits++
			if n > 255 || digits > 1 && n < 10 {
				return false
			}
			b = b[1:]
		}
		if digits == 0 {
			return false
		}
		if part == 3 {
			return len(b) == 0
		}
		if len(b) == 0 || b[0] != '.' {
			return false
		}
		b = b[1:]
	}
}
