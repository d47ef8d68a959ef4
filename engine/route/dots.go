package route

import "bytes"

// hasDotSegment reports whether a path holds a segment . or .. in a spelling that some
// upstream resolves: dots may be escaped, slashes may be escaped or be backslashes, and
// parameters may follow (their semicolon escaped too).
func hasDotSegment(path []byte) bool {
	s := segment{}
	for i := 0; i < len(path); {
		c, width := decoded(path[i:])
		if s.step(c) {
			return true
		}
		i += width
	}
	return s.step('/')
}

// A segment is what is known of the part of a path behind the last slash.
type segment struct {
	dots   int  // how many dots it starts with
	other  bool // something other follows them
	params bool // a semicolon has come: the rest is no part of the name
}

// step takes the next character. It reports whether that ends a dot segment.
func (s *segment) step(c byte) bool {
	switch {
	case c == '/' || c == '\\':
		found := !s.other && (s.dots == 1 || s.dots == 2)
		*s = segment{}
		return found
	case c == ';':
		s.params = true
	case s.params:
	case c == '.':
		s.dots++
	default:
		s.other = true
	}
	return false
}

// decoded returns the first character of p, unescaped if it is one that gives a path its
// shape, and how many octets spell it.
func decoded(p []byte) (c byte, width int) {
	if value, ok := unescape(p); ok {
		switch value {
		case '/', '\\', '.', ';':
			return value, 3
		}
	}
	return p[0], 1
}

// hasBadEscape reports whether a path holds an escape that no sound client sends and that
// upstreams disagree on: an encoded NUL, the %u form, or a dot, slash or backslash encoded
// twice or more often.
func hasBadEscape(path []byte) bool {
	for {
		i := bytes.IndexByte(path, '%')
		if i < 0 {
			return false
		}
		path = path[i+1:]
		if len(path) == 0 {
			return false
		}
		if path[0] == 'u' || path[0] == 'U' || bytes.HasPrefix(path, []byte("00")) || encodedTwice(path) {
			return true
		}
	}
}

// encodedTwice reports whether p, what follows a percent sign, is that of an encoded
// percent sign which makes an escape of a dot, slash or backslash with what follows it.
func encodedTwice(p []byte) bool {
	times := 0
	for bytes.HasPrefix(p, []byte("25")) {
		p = p[2:]
		times++
	}
	if times == 0 || len(p) < 2 {
		return false
	}
	value := fromHex(p[0])<<4 | fromHex(p[1])
	return value == '.' || value == '/' || value == '\\'
}
