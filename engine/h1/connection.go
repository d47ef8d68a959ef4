package h1

// maxConnectionOptions bounds the members of Connection, each of which is
// looked for among all lines.
const maxConnectionOptions = 64

// An option is something that Connection says about the connection itself.
type option uint8

const (
	optionClose option = 1 << iota
	optionKeepAlive
	optionUpgrade
	optionField // any other: the name of a field
)

// readConnection marks the lines that Connection names to be dropped, except
// protected ones, and returns what else it says. All lines with that name are
// one list (RFC 9110, section 7.6.1).
func (h *Head) readConnection() (option, *Error) {
	var found option
	members := 0
	for i := h.Find(FieldConnection); i >= 0; i = h.FindNext(FieldConnection, i+1) {
		for list := h.Value(i); list != nil; {
			var m []byte
			if m, list = nextMember(list); len(m) == 0 {
				continue
			}
			if members++; members > maxConnectionOptions {
				return 0, errConnection
			}
			o := optionOf(m)
			if found |= o; o == optionField {
				h.drop(m)
			}
		}
	}
	return found, nil
}

func optionOf(m []byte) option {
	switch {
	case isWord(m, "keep-alive"):
		return optionKeepAlive
	case isWord(m, "close"):
		return optionClose
	case isWord(m, "upgrade"):
		return optionUpgrade
	}
	return optionField
}

// drop marks all lines called name, unless they are protected.
func (h *Head) drop(name []byte) {
	for i := range h.Fields {
		f := &h.Fields[i]
		if !f.Drop && !protected.has(f.ID) && equalFold(h.Name(i), name) {
			f.Drop = true
		}
	}
}
