package route

// A mark says that a path holds a certain octet, or two next to each other.
type mark uint8

const (
	slash   mark = 1 << iota // '/'
	dot                      // '.'
	escape                   // '%'
	param                    // ';'
	back                     // '\'
	illegal                  // an octet that ends a path or has no place in a target
	doubled                  // "//"
	dotted                   // "/.", the start of what may be a dot segment
)

// behindSlash is the shift that makes doubled of slash and dotted of dot.
const behindSlash = 6

const (
	// suspicious marks call for more than one look-up.
	suspicious = escape | param | back | illegal | doubled | dotted
	// ambiguous marks are those of a path in normal form that has more than one reading.
	ambiguous = escape | param | back
)

// marks is the mark of each octet.
var marks = func() (t [256]mark) {
	for c := range t {
		if c <= ' ' || c >= 0x7f || c == '?' || c == '#' {
			t[c] = illegal
		}
	}
	t['/'], t['.'], t['%'], t[';'], t['\\'] = slash, dot, escape, param, back
	return t
}()

// scan returns all marks of a path. A path that does not start with a slash is illegal.
func scan(path []byte) mark {
	if len(path) == 0 || path[0] != '/' {
		return illegal
	}
	var all, last mark
	for _, c := range path {
		m := marks[c]
		// -(last & slash) has all bits set behind a slash and none elsewhere.
		all |= m | (m&(slash|dot)&-(last&slash))<<behindSlash
		last = m
	}
	return all
}
