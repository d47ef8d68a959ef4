package h1

import "encoding/binary"

// A FieldID is a field name that the proxy knows.
type FieldID uint8

// The known names. FieldOther is every other name. FieldAliased, in requests
// only, is a name that readers of the CGI kind take for one of the names that
// the proxy vouches for, such as X_Real_IP or x.forwarded.for.
const (
	FieldOther FieldID = iota
	FieldAliased
	FieldXForwardedOther // X-Forwarded-* that has no ID of its own, in requests only
	FieldHost
	FieldContentLength
	FieldTransferEncoding
	FieldConnection
	FieldKeepAlive
	FieldProxyConnection
	FieldProxyAuthenticate
	FieldProxyAuthenticationInfo
	FieldProxyAuthorization
	FieldTE
	FieldTrailer
	FieldUpgrade
	FieldHTTP2Settings
	FieldProxy
	FieldExpect
	FieldDate
	FieldServerName // Server
	FieldXForwardedFor
	FieldXForwardedProto
	FieldXForwardedHost
	FieldXForwardedPort
	FieldXForwardedPrefix
	FieldXForwardedSsl
	FieldXForwardedScheme
	FieldXForwardedURI
	FieldXForwardedMethod
	FieldXForwardedServer
	FieldXForwardedTLSClientCert
	FieldForwarded
	FieldXRealIP
	FieldXRequestID
	FieldTraceparent
	FieldTracestate
	FieldBaggage
	FieldVia
	FieldContentType
	FieldContentEncoding
	FieldCookie
	FieldSetCookie
	FieldAuthorization
	FieldUserAgent
	FieldReferer
	FieldLocation
	FieldRetryAfter
	FieldCacheControl
	FieldRange
	FieldMaxForwards
	FieldAge
	FieldExpires
	FieldPragma
	FieldVary
	FieldWarning
	FieldWWWAuthenticate
	FieldAcceptEncoding
	fieldCount
)

// A set of known fields is a word.
const _ = uint64(1) << (64 - fieldCount)

// fieldNames holds the known names in lower case.
var fieldNames = [fieldCount]string{
	FieldHost:                    "host",
	FieldContentLength:           "content-length",
	FieldTransferEncoding:        "transfer-encoding",
	FieldConnection:              "connection",
	FieldKeepAlive:               "keep-alive",
	FieldProxyConnection:         "proxy-connection",
	FieldProxyAuthenticate:       "proxy-authenticate",
	FieldProxyAuthenticationInfo: "proxy-authentication-info",
	FieldProxyAuthorization:      "proxy-authorization",
	FieldTE:                      "te",
	FieldTrailer:                 "trailer",
	FieldUpgrade:                 "upgrade",
	FieldHTTP2Settings:           "http2-settings",
	FieldProxy:                   "proxy",
	FieldExpect:                  "expect",
	FieldDate:                    "date",
	FieldServerName:              "server",
	FieldXForwardedFor:           "x-forwarded-for",
	FieldXForwardedProto:         "x-forwarded-proto",
	FieldXForwardedHost:          "x-forwarded-host",
	FieldXForwardedPort:          "x-forwarded-port",
	FieldXForwardedPrefix:        "x-forwarded-prefix",
	FieldXForwardedSsl:           "x-forwarded-ssl",
	FieldXForwardedScheme:        "x-forwarded-scheme",
	FieldXForwardedURI:           "x-forwarded-uri",
	FieldXForwardedMethod:        "x-forwarded-method",
	FieldXForwardedServer:        "x-forwarded-server",
	FieldXForwardedTLSClientCert: "x-forwarded-tls-client-cert",
	FieldForwarded:               "forwarded",
	FieldXRealIP:                 "x-real-ip",
	FieldXRequestID:              "x-request-id",
	FieldTraceparent:             "traceparent",
	FieldTracestate:              "tracestate",
	FieldBaggage:                 "baggage",
	FieldVia:                     "via",
	FieldContentType:             "content-type",
	FieldContentEncoding:         "content-encoding",
	FieldCookie:                  "cookie",
	FieldSetCookie:               "set-cookie",
	FieldAuthorization:           "authorization",
	FieldUserAgent:               "user-agent",
	FieldReferer:                 "referer",
	FieldLocation:                "location",
	FieldRetryAfter:              "retry-after",
	FieldCacheControl:            "cache-control",
	FieldRange:                   "range",
	FieldMaxForwards:             "max-forwards",
	FieldAge:                     "age",
	FieldExpires:                 "expires",
	FieldPragma:                  "pragma",
	FieldVary:                    "vary",
	FieldWarning:                 "warning",
	FieldWWWAuthenticate:         "www-authenticate",
	FieldAcceptEncoding:          "accept-encoding",
}

// fieldIndex maps nameHash to the one known name with that hash.
var fieldIndex = indexFields()

func indexFields() (t [256]FieldID) {
	for id, name := range fieldNames {
		if name != "" {
			t[nameHash([]byte(name))] = FieldID(id)
		}
	}
	return t
}

// nameHash keeps the known names apart, as a test makes sure. name is not
// empty; the case of its letters does not matter.
func nameHash(name []byte) uint8 {
	n := len(name)
	key := uint32(n)<<24 | uint32(name[n*3>>2]|0x20)<<16 | uint32(name[n-1]|0x20)<<8 | uint32(name[0]|0x20)
	return uint8(key * hashFactor >> 24)
}

// hashFactor was found by trying.
const hashFactor = 0x6518093d

// FieldIDOf returns the ID of a field name in any case. It never returns
// FieldAliased or FieldXForwardedOther, for which see RequestFieldIDOf.
// name consists of token bytes.
func FieldIDOf(name []byte) FieldID {
	if len(name) == 0 {
		return FieldOther
	}
	id := fieldIndex[nameHash(name)]
	if known := fieldNames[id]; len(known) != len(name) || !isToken(name, known) {
		return FieldOther
	}
	return id
}

// isToken is isWord for a name of token bytes and a known name of the same
// length. Setting bit 5 is then enough to fold case: of the token bytes only
// letters change into what a known name consists of (letters, '2' and '-').
func isToken(name []byte, known string) bool {
	const fold = 0x20 * lanes
	n := len(known)
	if n < 8 {
		for i := range n {
			if name[i]|0x20 != known[i] {
				return false
			}
		}
		return true
	}
	for i := 0; i < n-8; i += 8 {
		if binary.LittleEndian.Uint64(name[i:])|fold != word(known, i) {
			return false
		}
	}
	return binary.LittleEndian.Uint64(name[n-8:])|fold == word(known, n-8)
}

// word loads eight bytes of s.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A fieldSet is a set of known fields.
type fieldSet uint64

func (s fieldSet) has(id FieldID) bool { return s>>id&1 != 0 }

// Sets of fields by what they are for.
const (
	// hopByHop fields mean only the next hop: RFC 9110, section 7.6.1, and
	// HTTP2-Settings, which RFC 9113 has made void.
	hopByHop fieldSet = 1<<FieldConnection | 1<<FieldKeepAlive | 1<<FieldProxyConnection | 1<<FieldProxyAuthenticate |
		1<<FieldProxyAuthenticationInfo | 1<<FieldProxyAuthorization | 1<<FieldTE | 1<<FieldTrailer |
		1<<FieldTransferEncoding | 1<<FieldUpgrade | 1<<FieldHTTP2Settings

	// requestDrop are the request fields that are never forwarded. Proxy would
	// become HTTP_PROXY in a CGI program; an alias would pass for the proxy's
	// own word.
	requestDrop = hopByHop | 1<<FieldProxy | 1<<FieldAliased

	// protected fields cannot be taken out by naming them in Connection.
	protected fieldSet = 1<<FieldHost | 1<<FieldContentLength | 1<<FieldTransferEncoding

	// vouched are the names whose aliases are dropped.
	vouched fieldSet = 1<<FieldHost | 1<<FieldContentLength | 1<<FieldTransferEncoding | 1<<FieldProxy |
		1<<FieldXForwardedFor | 1<<FieldXForwardedProto | 1<<FieldXForwardedHost | 1<<FieldXForwardedPort |
		1<<FieldXForwardedPrefix | 1<<FieldXForwardedSsl | 1<<FieldXForwardedScheme | 1<<FieldXForwardedURI |
		1<<FieldXForwardedMethod | 1<<FieldXForwardedServer | 1<<FieldXForwardedTLSClientCert |
		1<<FieldForwarded | 1<<FieldXRealIP

	// noTrailer are the fields that a trailer section cannot relay: they
	// frame, route, authenticate or steer a message, for which a trailer comes
	// too late, or belong to one hop (RFC 9110, section 6.5.1).
	noTrailer = hopByHop | vouched | 1<<FieldAliased | 1<<FieldXForwardedOther | 1<<FieldExpect | 1<<FieldDate |
		1<<FieldXRequestID | 1<<FieldTraceparent | 1<<FieldTracestate | 1<<FieldBaggage | 1<<FieldVia |
		1<<FieldContentType | 1<<FieldContentEncoding | 1<<FieldCookie | 1<<FieldSetCookie | 1<<FieldAuthorization |
		1<<FieldUserAgent | 1<<FieldReferer | 1<<FieldLocation | 1<<FieldRetryAfter | 1<<FieldCacheControl |
		1<<FieldRange | 1<<FieldMaxForwards | 1<<FieldAge | 1<<FieldExpires | 1<<FieldPragma | 1<<FieldVary |
		1<<FieldWarning | 1<<FieldWWWAuthenticate | 1<<FieldAcceptEncoding | 1<<FieldServerName
)
