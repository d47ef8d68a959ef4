package engine

import (
	"bytes"
	"strconv"

	"millrace/engine/h1"
)

// What becomes of a field of the request on its way to the endpoint. Hop-by-hop fields
// never get this far.
type fieldFate uint8

const (
	fateKeep        fieldFate = iota
	fateHost                  // ours to say
	fateLength                // said again from the parsed length
	fateExpect                // only from HTTP/1.1 clients
	fateOurs                  // said by us at the end, after what a trusted peer said
	fateIfTrusted             // kept only from a trusted peer
	fateCredentials           // kept, and may tie the connection to this client
	fateDrop
)

// requestFates is indexed by h1.FieldID; the rest is kept.
var requestFates = [256]fieldFate{
	h1.FieldAliased:                 fateDrop,
	h1.FieldXForwardedOther:         fateIfTrusted,
	h1.FieldHost:                    fateHost,
	h1.FieldContentLength:           fateLength,
	h1.FieldTransferEncoding:        fateDrop,
	h1.FieldExpect:                  fateExpect,
	h1.FieldXForwardedFor:           fateOurs,
	h1.FieldXForwardedProto:         fateOurs,
	h1.FieldXForwardedPort:          fateOurs,
	h1.FieldXRealIP:                 fateOurs,
	h1.FieldForwarded:               fateIfTrusted,
	h1.FieldXForwardedHost:          fateIfTrusted,
	h1.FieldXForwardedPrefix:        fateIfTrusted,
	h1.FieldXForwardedSsl:           fateIfTrusted,
	h1.FieldXForwardedScheme:        fateIfTrusted,
	h1.FieldXForwardedURI:           fateIfTrusted,
	h1.FieldXForwardedMethod:        fateIfTrusted,
	h1.FieldXForwardedServer:        fateIfTrusted,
	h1.FieldXForwardedTLSClientCert: fateDrop,
	h1.FieldAuthorization:           fateCredentials,
}

// appendRequestHead writes the head that goes to the endpoint at hand: the client's lines
// in their order, without those of the hop, then what we add.
func (x *exchange) appendRequestHead(dst []byte) []byte {
	r := &x.req
	trusted := x.fromTrusted()
	dst = append(append(dst, r.Method...), ' ')
	dst = x.appendTarget(dst)
	dst = append(dst, " HTTP/1.1\r\n"...)
	host := r.Find(h1.FieldHost)
	if host < 0 {
		dst = x.appendHost(dst)
	}
	rules := x.cluster.requestRules
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Drop || rules.drops(&r.Head, i) {
			continue
		}
		switch requestFates[f.ID] {
		case fateKeep:
			dst = append(dst, r.Line(i)...)
		case fateHost:
			dst = x.appendHost(dst)
		case fateExpect:
			if r.Minor > 0 {
				dst = append(dst, r.Line(i)...)
			}
		case fateIfTrusted:
			if trusted && !(f.ID == h1.FieldXForwardedPrefix && x.target.stripPrefix) {
				dst = append(dst, r.Line(i)...)
			}
		case fateCredentials:
			dst = append(dst, r.Line(i)...)
			x.tied = x.tied || tiesConnection(r.Value(i))
		}
	}
	dst = x.appendRequestFraming(dst)
	dst = x.appendForwarding(dst, trusted)
	dst = rules.appendTo(dst, x)
	return append(dst, "\r\n"...)
}

// tiesConnection reports whether credentials are of a scheme that authenticates the
// connection they come on and not the request: NTLM, and Negotiate, which may be NTLM.
func tiesConnection(credentials []byte) bool {
	scheme, _, _ := bytes.Cut(credentials, []byte(" "))
	return equalFold(scheme, "ntlm") || equalFold(scheme, "negotiate")
}

// appendHost writes the Host of the request: the client's, unless the route wants the
// endpoint's own or the client has none (RFC 9112, 3.2).
func (x *exchange) appendHost(dst []byte) []byte {
	if x.cluster.requestRules.names("host") {
		return dst
	}
	dst = append(dst, "Host: "...)
	if x.target.rewriteHost || x.req.Host == nil {
		dst = append(dst, x.ep.authority...)
	} else {
		dst = append(dst, x.req.Host...)
	}
	return append(dst, "\r\n"...)
}

// appendTarget writes the request target in origin-form, byte for byte as the client sent
// it unless the route strips its prefix.
func (x *exchange) appendTarget(dst []byte) []byte {
	r := &x.req
	if r.MethodID == h1.MethodOptions && r.Form == h1.AbsoluteForm && wholeHost(r) {
		return append(dst, '*')
	}
	if !x.target.stripPrefix || r.Form == h1.AsteriskForm {
		dst = append(dst, r.Path...)
		return append(dst, r.Query...)
	}
	dst = append(dst, x.stripped...)
	return append(dst, r.Query...)
}

// wholeHost reports whether an absolute-form target has neither path nor query, which makes
// an OPTIONS about the whole of the host (RFC 9112, 3.2.4).
func wholeHost(r *h1.Request) bool {
	return len(r.Target) == len(r.Scheme)+len("://")+len(r.Host)
}

// appendRequestFraming says how the body is delimited, as the client did, and whether the
// connection goes on.
func (x *exchange) appendRequestFraming(dst []byte) []byte {
	switch x.req.Body {
	case h1.BodyLength:
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, x.req.Length, 10)
		dst = append(dst, "\r\n"...)
	case h1.BodyChunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	switch {
	case x.req.Websocket:
		dst = append(dst, "Connection: Upgrade\r\nUpgrade: websocket\r\n"...)
	case !x.cluster.keepalive:
		dst = append(dst, "Connection: close\r\n"...)
	}
	return dst
}

// appendStatusLine writes the first line of an answer. Ours is always HTTP/1.1, whatever
// the endpoint speaks (RFC 9110, 2.5).
func (x *exchange) appendStatusLine(dst []byte, r *h1.Response) []byte {
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(r.Status), 10)
	dst = append(dst, ' ')
	dst = append(dst, r.Reason...)
	return append(dst, "\r\n"...)
}

// appendResponseHead writes the head of the answer for the client: the endpoint's lines in
// their order, without those of the hop, then what we add.
func (x *exchange) appendResponseHead(dst []byte, r *h1.Response) []byte {
	dst = x.appendStatusLine(dst, r)
	rules := x.cluster.responseRules
	for i := range r.Fields {
		f := &r.Fields[i]
		switch {
		case f.Drop, rules.drops(&r.Head, i):
		case f.ID == h1.FieldContentLength:
			dst = x.appendResponseLength(dst, r)
		default:
			dst = append(dst, r.Line(i)...)
		}
	}
	if x.rechunk {
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	dst = x.appendConnection(dst)
	if x.tie.promise {
		dst = x.cluster.affinity.appendCookie(dst, x.ep.balance)
	}
	dst = rules.appendTo(dst, x)
	return append(dst, "\r\n"...)
}

// appendResponseLength repeats the Content-Length where it means something: not on a 204
// (RFC 9110, 8.6), but on the answers that say what their body would have been.
func (x *exchange) appendResponseLength(dst []byte, r *h1.Response) []byte {
	if x.respBody == h1.BodyChunked || r.Status == 204 {
		return dst
	}
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, r.Length, 10)
	return append(dst, "\r\n"...)
}
