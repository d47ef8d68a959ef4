package h1

// A MethodID is a method that the proxy knows.
type MethodID uint8

// The known methods. Methods are case-sensitive (RFC 9110, section 9.1).
const (
	MethodOther MethodID = iota
	MethodGet
	MethodHead
	MethodPost
	MethodPut
	MethodDelete
	MethodOptions
	MethodTrace
	MethodPatch
	MethodConnect
)

// MethodIDOf returns the ID of a method.
func MethodIDOf(method []byte) MethodID {
	switch string(method) {
	case "GET":
		return MethodGet
	case "HEAD":
		return MethodHead
	case "POST":
		return MethodPost
	case "PUT":
		return MethodPut
	case "DELETE":
		return MethodDelete
	case "OPTIONS":
		return MethodOptions
	case "TRACE":
		return MethodTrace
	case "PATCH":
		return MethodPatch
	case "CONNECT":
		return MethodConnect
	}
	return MethodOther
}

// A TargetForm is one of the four forms of a request target (RFC 9112,
// section 3.2).
type TargetForm uint8

const (
	OriginForm    TargetForm = iota // path and query
	AbsoluteForm                    // http or https URI
	AsteriskForm                    // "*", only with OPTIONS
	AuthorityForm                   // host and port, only with CONNECT
)

// A Request is a parsed request head. It is filled by a RequestParser, any
// number of times; its slices are parts of Raw.
type Request struct {
	Head
	Method   []byte
	Target   []byte
	MethodID MethodID
	Form     TargetForm
	Minor    uint8  // of HTTP/1.Minor: 0 or 1
	Scheme   []byte // of an absolute-form target as received, else nil
	// Path is the raw path: "/" if an absolute-form target has none, "*" for
	// the asterisk-form, nil for the authority-form.
	Path  []byte
	Query []byte // with its '?', or empty

	// Host is the authority in force, host[:port] as received: of an
	// absolute-form target, else of Host, whose value does not count beside
	// the former (RFC 9112, section 3.2.2). nil only in HTTP/1.0 without Host.
	Host []byte

	Body BodyKind // BodyNone, BodyLength or BodyChunked
	// Length is the length of the body if Body is BodyLength, else -1. Only
	// this may be forwarded, never the line, which may have leading zeros.
	Length int64

	Close       bool // the connection ends after this exchange
	KeepAlive10 bool // HTTP/1.0 with Connection: keep-alive: goes on if the answer says so
	Expect      bool // Expect: 100-continue, in HTTP/1.1 only
	TrailersOK  bool // TE: trailers
	// Websocket says that the client asks for that upgrade: Upgrade lists
	// websocket, Connection lists upgrade, HTTP/1.1, and no body. All other
	// upgrades are as if not asked for (RFC 9110, section 7.8 leaves that to
	// the receiver).
	Websocket bool
}

// reset makes r ready for raw and keeps the memory of its table.
func (r *Request) reset(raw []byte) {
	*r = Request{Head: Head{Raw: raw, Fields: r.Fields[:0]}, Length: -1}
}
