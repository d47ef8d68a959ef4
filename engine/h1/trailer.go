package h1

// Trailer returns the trailer section, field lines with their CRLF and without
// the final empty line. It is owned by d and valid until Reset.
func (d *Chunked) Trailer() []byte { return d.trailer }

// AppendTrailers appends the lines of a trailer section that may be relayed
// to dst. Left out is all that frames, routes, authenticates or steers a
// message (RFC 9110, section 6.5.1): hop-by-hop fields and those that a
// Connection line among the trailers names, Host, Content-*, X-Forwarded-*
// and its like, credentials, cookies and conditions. A malformed section is
// left out whole.
func AppendTrailers(dst, trailer []byte) []byte {
	var none Head
	return none.AppendTrailers(dst, trailer)
}

// AppendTrailers is the function of that name, and leaves out as well what
// the Connection lines of h name. h is the head of the message.
func (h *Head) AppendTrailers(dst, trailer []byte) []byte {
	found, ok := scanTrailer(trailer)
	if !ok {
		return dst
	}
	var f Field
	for pos := 0; pos < len(trailer); pos = int(f.End) {
		if scanLine(trailer, pos, &f, true) != nil {
			return dst
		}
		name := trailer[f.Start:f.NameEnd]
		if !relayable(name, f.ID) || h.names(name) || found.has(FieldConnection) && trailerNames(trailer, name) {
			continue
		}
		dst = append(dst, trailer[f.Start:f.End]...)
	}
	return dst
}

// scanTrailer returns the fields in a trailer section and whether it is sound.
func scanTrailer(trailer []byte) (found fieldSet, ok bool) {
	var f Field
	for pos := 0; pos < len(trailer); pos = int(f.End) {
		if scanLine(trailer, pos, &f, true) != nil {
			return 0, false
		}
		found |= 1 << f.ID
	}
	return found, true
}

// relayable reports whether a trailer may go on by its name.
func relayable(name []byte, id FieldID) bool {
	return !noTrailer.has(id) && !hasPrefix(name, "content-") && !hasPrefix(name, "if-")
}

// hasPrefix reports whether name begins with prefix, which is in lower case.
func hasPrefix(name []byte, prefix string) bool {
	return len(name) >= len(prefix) && isWord(name[:len(prefix)], prefix)
}

// trailerNames reports whether a Connection line of trailer lists name.
func trailerNames(trailer, name []byte) bool {
	var f Field
	for pos := 0; pos < len(trailer); pos = int(f.End) {
		if scanLine(trailer, pos, &f, true) != nil {
			return false
		}
		if f.ID == FieldConnection && hasMember(trailer[f.ValueStart:f.ValueEnd], name) {
			return true
		}
	}
	return false
}

// names reports whether a Connection line of h lists name.
func (h *Head) names(name []byte) bool {
	for i := h.Find(FieldConnection); i >= 0; i = h.FindNext(FieldConnection, i+1) {
		if hasMember(h.Value(i), name) {
			return true
		}
	}
	return false
}

// hasMember reports whether list has the member name, in any case.
func hasMember(list, name []byte) bool {
	for list != nil {
		var m []byte
		if m, list = nextMember(list); equalFold(m, name) {
			return true
		}
	}
	return false
}
