package h1

// A Response is a parsed response head. It is filled by ParseResponse, any
// number of times; its slices are parts of Raw.
type Response struct {
	Head
	Status  int    // 100 to 999
	Minor   uint8  // of HTTP/1.Minor: 0 or 1
	Reason  []byte // as received, may be empty
	Length  int64  // of Content-Length, -1 if there is none; see Body
	Chunked bool   // Transfer-Encoding: chunked; see Body
	// Close says that the connection cannot be used again: Connection: close,
	// or HTTP/1.0 without keep-alive.
	Close bool
	// Websocket says that Upgrade lists websocket and Connection upgrade.
	Websocket bool
	// NamesFields says that Connection names fields, which go no further in trailers either
	// (RFC 9110, section 7.6.1).
	NamesFields bool
}

// statusBytes is the length of a status line before the reason.
const statusBytes = len("HTTP/1.1 200 ")

// ParseResponse fills r from raw, one complete head as FindResponseHead
// delimited it. raw must stay as it is while r is used. Any error means that
// the connection is of no further use (RFC 9110, section 15.6.3).
func ParseResponse(r *Response, raw []byte, lim *Limits) *Error {
	*r = Response{Head: Head{Raw: raw, Fields: r.Fields[:0]}, Length: -1}
	if err := checkBounds(raw, lim); err != nil {
		return err
	}
	pos, err := r.parseLine()
	if err != nil {
		return err
	}
	var s scan
	if err := r.scanFields(pos, len(raw)-2, lim.FieldCount, &s); err != nil {
		return err
	}
	f, err := r.readFraming(&s, r.Minor)
	if err != nil {
		return err
	}
	if f.chunked && r.Status < 200 {
		return errCodingBare
	}
	r.Length, r.Chunked = f.length, f.chunked
	var o option
	if s.seen.has(FieldConnection) {
		if o, err = r.readConnection(); err != nil {
			return err
		}
	}
	r.Close = o&optionClose != 0 || r.Minor == 0 && o&optionKeepAlive == 0
	r.NamesFields = o&optionField != 0
	r.Websocket = o&optionUpgrade != 0 && s.seen.has(FieldUpgrade) && r.lists(FieldUpgrade, "websocket")
	return nil
}

// parseLine reads the status line at the start of Raw and returns its length.
// The blank before the reason must be there even if that is empty (RFC 9112,
// section 4).
func (r *Response) parseLine() (int, *Error) {
	b := r.Raw
	if len(b) < statusBytes || string(b[:7]) != "HTTP/1." || b[7]&^1 != '0' || b[8] != ' ' || b[12] != ' ' {
		return 0, errStatusLine
	}
	for _, c := range b[9:12] {
		if class[c]&classDigit == 0 {
			return 0, errStatusLine
		}
		r.Status = r.Status*10 + int(c-'0')
	}
	end := valueEnd(b, statusBytes)
	if r.Status < 100 || end+1 >= len(b) || b[end] != '\r' || b[end+1] != '\n' {
		return 0, errStatusLine
	}
	r.Minor = b[7] - '0'
	r.Reason = b[statusBytes:end]
	return end + 2, nil
}

// Body tells how the body of r is delimited if it answers a request of method
// m (RFC 9112, section 6.3). Nothing but this decides whether there is one.
func (r *Response) Body(m MethodID) BodyKind {
	switch {
	case m == MethodHead, r.Status < 200, r.Status == 204, r.Status == 304,
		m == MethodConnect && r.Status < 300:
		return BodyNone
	case r.Chunked:
		return BodyChunked
	case r.Length >= 0:
		return BodyLength
	}
	return BodyClose
}
