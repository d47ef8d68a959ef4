package h1

// A Field is one field line, as offsets into the Raw of its Head.
// It holds no pointers, so tables of them cost the garbage collector nothing.
type Field struct {
	Start      uint32 // of the line, and so of the name
	NameEnd    uint32 // of the name: the colon
	ValueStart uint32 // of the value, behind blanks
	ValueEnd   uint32 // of the value, before blanks
	End        uint32 // of the line, behind its CRLF
	ID         FieldID
	// Drop says that the line must not go on to the next hop: it is
	// hop-by-hop by nature, named by Connection, or an alias.
	Drop bool
}

// A Head is the table of the field lines of a parsed head, in their order.
// Its slices are parts of Raw.
type Head struct {
	Raw    []byte // the whole head, start line and final empty line included
	Fields []Field
}

// Name returns the name of line i as it was received.
func (h *Head) Name(i int) []byte {
	f := &h.Fields[i]
	return h.Raw[f.Start:f.NameEnd]
}

// Value returns the value of line i without blanks around it.
func (h *Head) Value(i int) []byte {
	f := &h.Fields[i]
	return h.Raw[f.ValueStart:f.ValueEnd]
}

// Line returns the bytes of line i with its CRLF. It is always safe to
// forward: a name of token bytes, a colon, and a value without controls.
func (h *Head) Line(i int) []byte {
	f := &h.Fields[i]
	return h.Raw[f.Start:f.End]
}

// Find returns the index of the first line with id, or -1.
func (h *Head) Find(id FieldID) int { return h.FindNext(id, 0) }

// FindNext returns the index of the first line with id from line i on, or -1.
func (h *Head) FindNext(id FieldID, i int) int {
	for ; i < len(h.Fields); i++ {
		if h.Fields[i].ID == id {
			return i
		}
	}
	return -1
}

// Lookup returns the index of the first line called name, in any case, or -1.
func (h *Head) Lookup(name string) int {
	for i := range h.Fields {
		f := &h.Fields[i]
		if int(f.NameEnd-f.Start) == len(name) && foldsTo(h.Raw[f.Start:f.NameEnd], name) {
			return i
		}
	}
	return -1
}

// LookupBytes is Lookup for a byte slice.
func (h *Head) LookupBytes(name []byte) int {
	for i := range h.Fields {
		if equalFold(h.Name(i), name) {
			return i
		}
	}
	return -1
}

// foldsTo reports whether a, of the length of b, is b without regard to the
// case of letters.
func foldsTo(a []byte, b string) bool {
	for i, c := range a {
		if lower[c] != lower[b[i]] {
			return false
		}
	}
	return true
}

// lists reports whether member stands in the list that the lines with id make
// up together (RFC 9110, section 5.3). member is in lower case.
func (h *Head) lists(id FieldID, member string) bool {
	for i := h.Find(id); i >= 0; i = h.FindNext(id, i+1) {
		for list := h.Value(i); list != nil; {
			var m []byte
			if m, list = nextMember(list); isWord(m, member) {
				return true
			}
		}
	}
	return false
}

// ValidFieldName reports whether b may be the name of a field.
func ValidFieldName(b []byte) bool { return isTokens(b) }

// ValidFieldValue reports whether b may be the value of a field: no control
// bytes but tabs, and no blanks at its ends, which a reader would take off.
func ValidFieldValue(b []byte) bool {
	return valueEnd(b, 0) == len(b) && len(trimBlanks(b)) == len(b)
}

// A scan says what the field lines of a head are and how they are read.
type scan struct {
	request  bool     // names may be aliases, and request fields are dropped
	seen     fieldSet // IDs that occur
	repeated fieldSet // IDs that occur on several lines
}

// scanFields fills Fields from the lines of Raw[pos:end], of which there may be
// most. An empty line among them is an error.
func (h *Head) scanFields(pos, end, most int, s *scan) *Error {
	drop := hopByHop
	if s.request {
		drop = requestDrop
	}
	fields := h.Fields[:0]
	for pos < end {
		n := len(fields)
		if n == most {
			h.Fields = fields
			return errFieldCount
		}
		if n < cap(fields) {
			fields = fields[:n+1]
		} else {
			fields = append(fields, Field{})
		}
		f := &fields[n]
		if err := scanLine(h.Raw, pos, f, s.request); err != nil {
			h.Fields = fields[:n]
			return err
		}
		f.Drop = drop.has(f.ID)
		s.repeated |= s.seen & (1 << f.ID)
		s.seen |= 1 << f.ID
		pos = int(f.End)
	}
	h.Fields = fields
	return nil
}

// scanLine reads the field line at start, of which there is at least a byte,
// and sets all of f but Drop.
func scanLine(b []byte, start int, f *Field, request bool) *Error {
	line := b[start:]
	i, plain := 0, uint8(classPlain)
	for i < len(line) {
		c := class[line[i]]
		if c&classToken == 0 {
			break
		}
		plain &= c
		i++
	}
	if i == len(line) || i == 0 || line[i] != ':' {
		return nameError(line)
	}
	f.Start, f.NameEnd = uint32(start), uint32(start+i)
	if f.ID = FieldIDOf(line[:i]); f.ID == FieldOther && request {
		f.ID = classifyOther(line[:i], plain == 0)
	}
	i++
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	f.ValueStart = uint32(start + i)
	end := valueEnd(line, i)
	if end+1 >= len(line) || line[end] != '\r' || line[end+1] != '\n' {
		return valueError(line[end:])
	}
	f.End = uint32(start + end + 2)
	for end > i && isBlank(line[end-1]) {
		end--
	}
	f.ValueEnd = uint32(start + end)
	return nil
}

// nameError tells what is wrong with the name of a line.
func nameError(line []byte) *Error {
	if isBlank(line[0]) {
		return errFold
	}
	return errFieldName
}

// valueError tells what is wrong with a value that stops before rest.
func valueError(rest []byte) *Error {
	if len(rest) > 0 && rest[0] == '\n' {
		return errBareLF
	}
	return errFieldValue
}
