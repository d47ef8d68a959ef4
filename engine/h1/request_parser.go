package h1

import "bytes"

// A RequestParser parses request heads. It belongs to one worker and is not
// for concurrent use; between calls it keeps only memory.
type RequestParser struct {
	second secondReading
}

// NewRequestParser returns a parser.
func NewRequestParser() *RequestParser { return new(RequestParser) }

// Parse fills r from raw, one complete head as FindRequestHead delimited it.
// raw must stay as it is while r is used. If an error is returned r holds
// what was read before it, for logs only.
func (p *RequestParser) Parse(r *Request, raw []byte, lim *Limits) *Error {
	s, err := r.scanHead(raw, lim)
	if err != nil {
		return err
	}
	return p.second.confirm(r, &s)
}

// scanHead is the package's own reading of raw.
func (r *Request) scanHead(raw []byte, lim *Limits) (scan, *Error) {
	s := scan{request: true}
	r.reset(raw)
	if err := checkBounds(raw, lim); err != nil {
		return s, err
	}
	pos, err := r.parseLine(lim.TargetBytes)
	if err != nil {
		return s, err
	}
	if err := r.scanFields(pos, len(raw)-2, lim.FieldCount, &s); err != nil {
		return s, err
	}
	return s, r.parseFields(&s)
}

// checkBounds makes sure that raw is within the limit and ends as a head does.
func checkBounds(raw []byte, lim *Limits) *Error {
	if len(raw) > lim.HeadBytes {
		return errHeadLong
	}
	if !bytes.HasSuffix(raw, []byte("\r\n\r\n")) {
		return errHeadEnd
	}
	return nil
}

// parseFields reads what the field lines say about the message.
func (r *Request) parseFields(s *scan) *Error {
	f, err := r.readFraming(s, r.Minor)
	if err != nil {
		return err
	}
	switch {
	case f.chunked:
		r.Body = BodyChunked
	case f.length >= 0:
		r.Body, r.Length = BodyLength, f.length
	}
	if err := r.readHost(s); err != nil {
		return err
	}
	var o option
	if s.seen.has(FieldConnection) {
		if o, err = r.readConnection(); err != nil {
			return err
		}
	}
	r.KeepAlive10 = r.Minor == 0 && o&(optionKeepAlive|optionClose) == optionKeepAlive
	r.Close = o&optionClose != 0 || r.Minor == 0 && !r.KeepAlive10
	r.Expect = s.seen.has(FieldExpect) && r.Minor == 1 && r.lists(FieldExpect, "100-continue")
	r.TrailersOK = s.seen.has(FieldTE) && r.lists(FieldTE, "trailers")
	r.Websocket = o&optionUpgrade != 0 && r.Minor == 1 && r.Length <= 0 && !f.chunked &&
		s.seen.has(FieldUpgrade) && r.lists(FieldUpgrade, "websocket")
	return nil
}

// readHost finds the authority in force. HTTP/1.1 needs one Host line, even
// beside an absolute-form target (RFC 9112, section 3.2), whose value is then
// ignored (section 3.2.2).
func (r *Request) readHost(s *scan) *Error {
	if s.repeated.has(FieldHost) {
		return errHostRepeated
	}
	if !s.seen.has(FieldHost) {
		if r.Minor == 0 {
			return nil
		}
		return errHostMissing
	}
	if r.Form == AbsoluteForm {
		return nil
	}
	if r.Host = r.Value(r.Find(FieldHost)); !ValidAuthority(r.Host) {
		return errHost
	}
	return nil
}
