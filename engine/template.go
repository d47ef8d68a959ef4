package engine

import (
	"encoding/hex"
	"math/rand/v2"
	"strconv"

	"millrace/engine/config"
	"millrace/engine/h1"
)

// appendParts writes a template's value for this request. Whatever comes out of it is text
// of one line: the parts of a parsed head hold no control bytes but the tab.
func (x *exchange) appendParts(dst []byte, parts []config.Part) []byte {
	for i := range parts {
		if p := &parts[i]; p.Variable.Kind == config.NoVariable {
			dst = append(dst, p.Literal...)
		} else {
			dst = x.appendVariable(dst, &p.Variable)
		}
	}
	return dst
}

func (x *exchange) appendVariable(dst []byte, v *config.Variable) []byte {
	r := &x.req
	switch v.Kind {
	case config.RequestMethod:
		return append(dst, r.Method...)
	case config.RequestURI:
		return append(append(dst, r.Path...), r.Query...)
	case config.RequestURIPath:
		return append(dst, r.Path...)
	case config.RequestURIQuery:
		if len(r.Query) > 0 {
			dst = append(dst, r.Query[1:]...)
		}
		return dst
	case config.RequestHost:
		return append(dst, r.Host...)
	case config.RequestScheme:
		return append(dst, schemeHTTP...)
	case config.RequestVersion:
		return append(append(dst, "HTTP/1."...), '0'+r.Minor)
	case config.RequestHeader:
		if i := r.Lookup(v.Field); i >= 0 {
			dst = append(dst, r.Value(i)...)
		}
		return dst
	case config.RequestID:
		return x.appendRequestID(dst)
	}
	return x.appendAddress(dst, v.Kind)
}

func (x *exchange) appendAddress(dst []byte, kind config.VariableKind) []byte {
	switch conn := x.d.conn; kind {
	case config.RemoteIP:
		return appendAddr(dst, x.clientIP())
	case config.RemotePort:
		return strconv.AppendUint(dst, uint64(conn.Remote().Port()), 10)
	case config.ServerIP:
		return appendAddr(dst, x.d.localAddr())
	case config.ServerPort:
		return strconv.AppendUint(dst, uint64(x.d.listener.port), 10)
	}
	return dst
}

// maxRequestID is the longest request id that a trusted peer may give, in bytes.
const maxRequestID = 128

// appendRequestID writes the id of this request: a trusted peer's, if it is plain text,
// else one of our own, which stays the same for the life of the exchange.
func (x *exchange) appendRequestID(dst []byte) []byte {
	if i := x.req.Find(h1.FieldXRequestID); i >= 0 && x.fromTrusted() {
		if v := x.req.Value(i); printable(v) {
			return append(dst, v...)
		}
	}
	for x.id == 0 {
		x.id = rand.Uint64()
	}
	var b [8]byte
	for i := range b {
		b[i] = byte(x.id >> (56 - 8*i))
	}
	return hex.AppendEncode(dst, b[:])
}

func printable(v []byte) bool {
	for _, c := range v {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return len(v) > 0 && len(v) <= maxRequestID
}
