package engine

import (
	"bytes"
	"net/netip"
	"unsafe"

	"millrace/engine/config"
	"millrace/engine/h1"
)

// clientIP is the address of the client, as far as it can be believed: of the peer, or
// behind trusted peers what the configured field says.
func (x *exchange) clientIP() netip.Addr {
	peer := x.d.conn.Remote().Addr()
	if x.snap.clientIP == config.FromConnection || !x.snap.trusted.has(peer) {
		return peer
	}
	switch x.snap.clientIP {
	case config.FromXForwardedFor:
		return x.walkChain(peer, h1.FieldXForwardedFor, cutLast, parseHop)
	case config.FromForwarded:
		return x.walkChain(peer, h1.FieldForwarded, cutLastQuoted, parseForwarded)
	default:
		i := x.req.Find(h1.FieldXRealIP)
		if i < 0 || x.req.FindNext(h1.FieldXRealIP, i+1) >= 0 {
			return peer
		}
		if a, ok := parseHop(x.req.Value(i)); ok {
			return a
		}
		return peer
	}
}

// walkChain goes through a list of hops from the nearest on, over all of its lines, and
// stops at the first that is not trusted, or at the last good one before an element that
// cannot be read (RFC 7239, 8).
func (x *exchange) walkChain(peer netip.Addr, id h1.FieldID, cut func([]byte) (last, rest []byte), parse func([]byte) (netip.Addr, bool)) netip.Addr {
	r := &x.req
	nearest := peer
	for i := len(r.Fields) - 1; i >= 0; i-- {
		if r.Fields[i].ID != id {
			continue
		}
		for rest := r.Value(i); len(rest) > 0; {
			var member []byte
			if member, rest = cut(rest); len(member) == 0 {
				continue
			}
			a, ok := parse(member)
			if !ok {
				return nearest
			}
			nearest = a
			if !x.snap.trusted.has(a) {
				return a
			}
		}
	}
	return nearest
}

// parseHop parses an address with or without port: 1.2.3.4, 1.2.3.4:80, ::1, [::1], [::1]:80.
func parseHop(b []byte) (netip.Addr, bool) {
	b = trim(b)
	if len(b) == 0 || len(b) > maxHop {
		return netip.Addr{}, false
	}
	host := b
	if b[0] == '[' {
		end := bytes.IndexByte(b, ']')
		if end < 0 || !validHopPort(b[end+1:]) {
			return netip.Addr{}, false
		}
		host = b[1:end]
	} else if colon := bytes.IndexByte(b, ':'); colon >= 0 && bytes.IndexByte(b[colon+1:], ':') < 0 {
		if !validHopPort(b[colon:]) {
			return netip.Addr{}, false
		}
		host = b[:colon]
	}
	if len(host) == 0 || !addressBytes(host) {
		return netip.Addr{}, false
	}
	// The string is gone when b is: without a zone, an address keeps nothing of its text.
	a, err := netip.ParseAddr(unsafe.String(&host[0], len(host)))
	if err != nil {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// addressBytes reports whether b consists of what addresses without a zone are written in.
func addressBytes(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' || c == '.' || c == ':') {
			return false
		}
	}
	return true
}

// maxHop is longer than any address with port.
const maxHop = 64

// validHopPort reports whether b is empty or a colon and a port.
func validHopPort(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, ok := parsePort(b[1:])
	return b[0] == ':' && ok
}

// cutLastQuoted cuts the last element off a list in which commas may stand inside quotes.
// The whole list must be read from its beginning to know which do.
func cutLastQuoted(list []byte) (last, rest []byte) {
	quoted, escaped, comma := false, false, -1
	for i, c := range list {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			comma = i
		}
	}
	if quoted {
		return list, nil // an unclosed quote: no element of it can be trusted
	}
	if comma < 0 {
		return trim(list), nil
	}
	return trim(list[comma+1:]), list[:comma]
}

// parseForwarded is the address in the one for parameter of a Forwarded element
// (RFC 7239, 4). Obfuscated and unknown hops have none.
func parseForwarded(element []byte) (netip.Addr, bool) {
	var value []byte
	found := false
	for len(element) > 0 {
		pair, rest, closed := cutParameter(element)
		if !closed {
			return netip.Addr{}, false
		}
		element = rest
		name, v, ok := bytes.Cut(pair, []byte("="))
		if !ok {
			if len(trim(pair)) > 0 {
				return netip.Addr{}, false
			}
			continue
		}
		if len(name) == 3 && name[0]|0x20 == 'f' && name[1]|0x20 == 'o' && name[2]|0x20 == 'r' {
			if found {
				return netip.Addr{}, false
			}
			found, value = true, v
		}
	}
	if !found {
		return netip.Addr{}, false
	}
	return parseNode(value)
}

// parseNode parses the value of for: a token, or a quoted string without its quotes and
// escapes.
func parseNode(value []byte) (netip.Addr, bool) {
	if len(value) == 0 || len(value) > 2*maxHop {
		return netip.Addr{}, false
	}
	if value[0] != '"' {
		if value[0] == '[' || bytes.IndexByte(value, ':') >= 0 {
			return netip.Addr{}, false // colons and brackets must be quoted
		}
		return parseHop(value)
	}
	if len(value) < 2 || value[len(value)-1] != '"' {
		return netip.Addr{}, false
	}
	plain := unescape(value[1 : len(value)-1])
	if len(plain) > 0 && plain[0] != '[' && bytes.Count(plain, []byte(":")) > 1 {
		return netip.Addr{}, false // an IPv6 address must be in brackets
	}
	return parseHop(plain)
}

// unescape takes the backslashes of a quoted string off. It copies only if there are any.
func unescape(inner []byte) []byte {
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var plain []byte
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		plain = append(plain, inner[i])
	}
	return plain
}

// cutParameter cuts the first parameter off an element, at a semicolon outside quotes. closed
// is false if a quote in it does not end.
func cutParameter(element []byte) (pair, rest []byte, closed bool) {
	quoted, escaped := false, false
	for i, c := range element {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			return trim(element[:i]), element[i+1:], true
		}
	}
	return trim(element), nil, !quoted
}
