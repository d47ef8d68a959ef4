package route

// safe brings path into normal form and checks it for dot segments and for what upstreams
// may decode into one. The result lies in path itself or in s.normal; its marks tell
// whether it has more than one reading. ok is false for a path that must be refused.
func (s *Scratch) safe(path []byte, m mark) (normal []byte, left mark, ok bool) {
	if m&illegal != 0 {
		return nil, 0, false
	}
	if m&(escape|doubled) != 0 {
		if s.normal, ok = appendNormal(s.normal[:0], path); !ok {
			return nil, 0, false
		}
		path = s.normal
		m = scan(path)
	}
	if m&escape != 0 && hasBadEscape(path) {
		return nil, 0, false
	}
	if m&escape != 0 && !hasSlashEscape(path) {
		m &^= escape
	}
	// Without any of these no segment starts with a dot.
	if m&(dotted|escape|back) != 0 && hasDotSegment(path) {
		return nil, 0, false
	}
	return path, m, true
}

// appendNormal appends the normal form of path to dst: escapes of unreserved characters
// decoded, the digits of other escapes in upper case, runs of slashes merged (RFC 3986
// 6.2.2). Broken escapes stay as they are; ok is false if a digit that was decoded makes
// a whole one of them, since upstreams that decode once more would see another path.
func appendNormal(dst, path []byte) (normal []byte, ok bool) {
	broken := none // where in dst the last broken escape starts
	for i, width := 0, 0; i < len(path); i += width {
		if path[i] == '/' && len(dst) > 0 && dst[len(dst)-1] == '/' {
			width = 1
			continue
		}
		dst, width = appendFirst(dst, path[i:])
		if path[i] == '%' && width == 1 {
			broken = len(dst) - 1
		} else if broken != none && mended(dst[broken:]) {
			return dst, false
		}
	}
	return dst, true
}

// appendFirst appends the normal form of the first character of p and returns how many
// octets spell it in p.
func appendFirst(dst, p []byte) (to []byte, width int) {
	if p[0] != '%' {
		return append(dst, p[0]), 1
	}
	value, whole := unescape(p)
	switch {
	case !whole:
		return append(dst, '%'), 1
	case unreserved(value):
		return append(dst, value), 3
	}
	return append(dst, '%', upperHex[value>>4], upperHex[value&15]), 3
}

// mended reports whether what starts with a percent sign has become a whole escape.
func mended(p []byte) bool {
	_, whole := unescape(p)
	return whole
}

const upperHex = "0123456789ABCDEF"

// unescape returns the octet that the escape at the start of p stands for. ok is false if
// p does not start with a whole escape.
func unescape(p []byte) (value byte, ok bool) {
	if len(p) < 3 || p[0] != '%' {
		return 0, false
	}
	high, low := fromHex(p[1]), fromHex(p[2])
	return high<<4 | low, high|low < 16
}

// fromHex returns the value of a hexadecimal digit, or 255.
func fromHex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// unreserved reports whether c means the same escaped and bare, RFC 3986 2.3.
func unreserved(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}
