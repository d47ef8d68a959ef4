package engine

import (
	"bytes"
	"net/netip"
	"strconv"
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/lb"
	"millrace/ring"
)

// An affinity is how a cluster ties requests to endpoints.
type affinity struct {
	secret []byte          // of the cookie; nil = by key
	codec  *lb.CookieCodec // the same
	name   []byte          // of the cookie
	before string          // of a Set-Cookie line, up to the token
	after  string          // behind it, with its CRLF
	key    config.Variable // by key
}

// A tie is what ties one exchange to an endpoint.
type tie struct {
	home    *lb.Endpoint // that the cookie names
	key     uint64
	keyed   bool
	promise bool // the answer carries a new cookie
}

// newAffinity compiles what c says but for the endpoints; nil is none.
func (e *Engine) newAffinity(c *config.Affinity) (*affinity, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.IP:
		return &affinity{key: config.Variable{Kind: config.RemoteIP}}, nil
	case c.Header != "":
		return &affinity{key: config.Variable{Kind: config.RequestHeader, Field: c.Header}}, nil
	case c.Cookie == nil:
		return &affinity{key: c.Hash}, nil
	}
	secret := e.cookieSecret
	if file := c.Cookie.SecretFile; file != "" {
		var err error
		if secret, err = config.ReadCookieSecret(file); err != nil {
			return nil, err
		}
	}
	return &affinity{
		secret: secret,
		name:   []byte(c.Cookie.Name),
		before: "Set-Cookie: " + c.Cookie.Name + "=",
		after:  cookieAttributes(c.Cookie),
	}, nil
}

// over is a with the endpoints of balance; a may be nil.
func (a *affinity) over(balance *lb.Cluster) (*affinity, error) {
	if a == nil || a.secret == nil {
		return a, nil
	}
	next := *a
	var err error
	next.codec, err = lb.NewCookieCodec(a.secret, balance)
	return &next, err
}

// cookieAttributes is what stands behind the value of the cookie (RFC 6265, 4.1).
func cookieAttributes(c *config.CookieAffinity) string {
	text := "; Path=" + c.Path
	if c.Domain != "" {
		text += "; Domain=" + c.Domain
	}
	if c.TTL > 0 {
		text += "; Max-Age=" + strconv.FormatInt(int64(c.TTL/time.Second), 10)
	}
	if c.Secure {
		text += "; Secure"
	}
	if c.HTTPOnly {
		text += "; HttpOnly"
	}
	switch c.SameSite {
	case config.SameSiteStrict:
		text += "; SameSite=Strict"
	case config.SameSiteLax:
		text += "; SameSite=Lax"
	case config.SameSiteNone:
		text += "; SameSite=None"
	}
	return text + "\r\n"
}

// findTie reads what ties the request to an endpoint.
func (x *exchange) findTie() {
	a := x.cluster.affinity
	switch {
	case a == nil:
	case a.codec != nil:
		x.tie.home = a.find(&x.req.Head)
		x.tie.promise = x.tie.home == nil
	case a.key.Kind == config.RemoteIP:
		x.tieTo(appendKey(x.w.key[:0], x.clientIP()))
	default:
		x.tieTo(x.appendVariable(x.w.key[:0], &a.key))
	}
}

// tieTo makes key decide. Without a key the request is an ordinary one.
func (x *exchange) tieTo(key []byte) {
	x.w.key = key
	if len(key) > 0 {
		x.tie.key, x.tie.keyed = ring.Hash(key), true
	}
}

// appendKey writes an address in a form that is the same for IPv4 in either family.
func appendKey(dst []byte, a netip.Addr) []byte {
	if !a.IsValid() {
		return dst
	}
	b := a.As16()
	return append(dst, b[:]...)
}

// find is the endpoint whose token is in a cookie of ours, wherever that stands
// (RFC 6265, 4.2.1).
func (a *affinity) find(h *h1.Head) *lb.Endpoint {
	for i := h.FindNext(h1.FieldCookie, 0); i >= 0; i = h.FindNext(h1.FieldCookie, i+1) {
		for rest := h.Value(i); len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, semicolon)
			name, value, ok := bytes.Cut(trim(pair), equalSign)
			if !ok || !bytes.Equal(name, a.name) {
				continue
			}
			if ep := a.codec.Decode(value); ep != nil {
				return ep
			}
		}
	}
	return nil
}

var (
	semicolon = []byte{';'}
	equalSign = []byte{'='}
)

// appendCookie writes the line that ties the client to ep.
func (a *affinity) appendCookie(dst []byte, ep *lb.Endpoint) []byte {
	dst = append(dst, a.before...)
	dst = append(dst, a.codec.Encode(ep)...)
	return append(dst, a.after...)
}
