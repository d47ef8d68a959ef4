package h1

import "math"

// A BodyKind says how the end of a body is known (RFC 9112, section 6.3).
type BodyKind uint8

const (
	BodyNone    BodyKind = iota // there is no body
	BodyLength                  // as long as Content-Length says, which may be 0
	BodyChunked                 // ends with its last chunk and trailers
	BodyClose                   // ends with the connection; responses only
)

// framing is what the fields say about the body.
type framing struct {
	length  int64 // Content-Length, or -1
	chunked bool
}

// readFraming reads Content-Length and Transfer-Encoding. More than one line
// of either, or one of each, is an error even where RFC 9112, section 6.3
// would allow a repair: no sender that means well does it.
func (h *Head) readFraming(s *scan, minor uint8) (framing, *Error) {
	f := framing{length: -1}
	const both = 1<<FieldContentLength | 1<<FieldTransferEncoding
	switch {
	case s.seen&both == 0:
		return f, nil
	case s.seen&both == both:
		return f, errBothFramings
	case s.repeated.has(FieldContentLength):
		return f, errLengths
	case s.repeated.has(FieldTransferEncoding):
		return f, errCodings
	case s.seen.has(FieldContentLength):
		var ok bool
		if f.length, ok = parseLength(h.Value(h.Find(FieldContentLength))); !ok {
			return f, errLength
		}
		return f, nil
	case minor == 0:
		return f, errCodingOld
	}
	f.chunked = true
	return f, checkCoding(h.Value(h.Find(FieldTransferEncoding)))
}

// parseLength reads a Content-Length: digits, leading zeros included, up to
// the largest int64.
func parseLength(b []byte) (int64, bool) {
	if len(b) == 0 {
		return -1, false
	}
	var n int64
	for _, c := range b {
		d := int64(c) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return -1, false
		}
		n = n*10 + d
	}
	return n, true
}

// checkCoding accepts exactly one coding, chunked. A list of other codings is
// sound but not supported, which RFC 9112, section 6.1 answers with 501;
// chunked beside others is refused the same way if it comes last, once.
func checkCoding(value []byte) *Error {
	if isWord(value, "chunked") {
		return nil
	}
	for list := value; list != nil; {
		var coding []byte
		if coding, list = nextMember(list); !isTokens(coding) {
			return errCoding
		}
		if isWord(coding, "chunked") && list != nil {
			return errCoding
		}
	}
	return errCodingOther
}

// isTokens reports whether b is a token.
func isTokens(b []byte) bool {
	for _, c := range b {
		if class[c]&classToken == 0 {
			return false
		}
	}
	return len(b) > 0
}
