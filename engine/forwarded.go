package engine

import (
	"net/netip"
	"strconv"

	"millrace/engine/h1"
)

// fromTrusted reports whether the peer's forwarding fields are believed.
func (x *exchange) fromTrusted() bool {
	return len(x.snap.trusted) > 0 && x.snap.trusted.has(x.d.conn.Remote().Addr())
}

// appendForwarding writes the fields that tell the endpoint whom it serves. From a trusted
// peer the chain goes on; anybody else could have written anything, so it begins here.
func (x *exchange) appendForwarding(dst []byte, trusted bool) []byte {
	rules := x.cluster.requestRules
	if !rules.names("x-forwarded-for") {
		dst = append(dst, "X-Forwarded-For: "...)
		if trusted {
			dst = x.appendChain(dst)
		}
		dst = appendAddr(dst, x.d.conn.Remote().Addr())
		dst = append(dst, "\r\n"...)
	}
	if !rules.names("x-real-ip") {
		dst = append(dst, "X-Real-IP: "...)
		dst = appendAddr(dst, x.clientIP())
		dst = append(dst, "\r\n"...)
	}
	if !rules.names("x-forwarded-proto") {
		dst = append(dst, "X-Forwarded-Proto: "...)
		dst = append(dst, x.forwardedProto(trusted)...)
		dst = append(dst, "\r\n"...)
	}
	if port := x.forwardedPort(trusted); port != 0 && !rules.names("x-forwarded-port") {
		dst = append(dst, "X-Forwarded-Port: "...)
		dst = strconv.AppendUint(dst, uint64(port), 10)
		dst = append(dst, "\r\n"...)
	}
	if x.target.stripPrefix && !rules.names("x-forwarded-prefix") {
		dst = x.appendPrefix(dst, trusted)
	}
	return dst
}

// appendAddr writes an address; a unix socket has none, which is written as "unknown"
// (RFC 7239, 6).
func appendAddr(dst []byte, a netip.Addr) []byte {
	if !a.IsValid() {
		return append(dst, "unknown"...)
	}
	return a.Unmap().AppendTo(dst)
}

// appendChain writes what the peer said of the hops before it.
func (x *exchange) appendChain(dst []byte) []byte {
	r := &x.req
	for i := r.FindNext(h1.FieldXForwardedFor, 0); i >= 0; i = r.FindNext(h1.FieldXForwardedFor, i+1) {
		if v := r.Value(i); len(v) > 0 && !r.Fields[i].Drop {
			dst = append(dst, v...)
			dst = append(dst, ", "...)
		}
	}
	return dst
}

// forwardedProto is the scheme the client used: what the trusted hop nearest to us says,
// else this connection's.
func (x *exchange) forwardedProto(trusted bool) []byte {
	if trusted {
		if v := x.lastMember(h1.FieldXForwardedProto); isScheme(v) {
			return v
		}
	}
	return schemeHTTP
}

var schemeHTTP = []byte("http")

// forwardedPort is the port the client used, as forwardedProto.
func (x *exchange) forwardedPort(trusted bool) uint16 {
	if trusted {
		if port, ok := parsePort(x.lastMember(h1.FieldXForwardedPort)); ok {
			return port
		}
	}
	return x.d.listener.port
}

// lastMember is the last element that is not empty of all lines of a list field.
func (x *exchange) lastMember(id h1.FieldID) []byte {
	r := &x.req
	for i := len(r.Fields) - 1; i >= 0; i-- {
		if r.Fields[i].ID != id || r.Fields[i].Drop {
			continue
		}
		rest := r.Value(i)
		for len(rest) > 0 {
			var member []byte
			if member, rest = cutLast(rest); len(member) > 0 {
				return member
			}
		}
	}
	return nil
}

// isScheme reports whether b is a URI scheme (RFC 3986, 3.1).
func isScheme(b []byte) bool {
	for i, c := range b {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return len(b) > 0
}

// parsePort parses a port number, digits only, 1 to 65535.
func parsePort(b []byte) (uint16, bool) {
	if len(b) == 0 || len(b) > 5 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return uint16(n), n >= 1 && n <= 65535
}

// appendPrefix says which part of the path was stripped, behind what a trusted hop
// stripped before us.
func (x *exchange) appendPrefix(dst []byte, trusted bool) []byte {
	prefix := x.prefix
	for len(prefix) > 0 && prefix[len(prefix)-1] == '/' {
		prefix = prefix[:len(prefix)-1]
	}
	if prefix == "" {
		return dst
	}
	dst = append(dst, "X-Forwarded-Prefix: "...)
	if trusted {
		dst = append(dst, x.outerPrefix()...)
	}
	dst = append(dst, prefix...)
	return append(dst, "\r\n"...)
}

// outerPrefix is the one X-Forwarded-Prefix of a trusted hop, if it is a plain path.
func (x *exchange) outerPrefix() []byte {
	r := &x.req
	i := r.Find(h1.FieldXForwardedPrefix)
	if i < 0 || r.Fields[i].Drop || r.FindNext(h1.FieldXForwardedPrefix, i+1) >= 0 {
		return nil
	}
	v := r.Value(i)
	for len(v) > 0 && v[len(v)-1] == '/' {
		v = v[:len(v)-1]
	}
	if len(v) == 0 || v[0] != '/' {
		return nil
	}
	for j, c := range v {
		if c <= ' ' || c >= 0x7f || c == ',' || c == ';' || c == '\\' || c == '%' || c == '?' || c == '#' ||
			c == '/' && j+1 < len(v) && (v[j+1] == '/' || v[j+1] == '.') {
			return nil
		}
	}
	return v
}
