package route

// agree reports whether the other readings of a path in normal form choose rule id too.
//
// Two of them stand for all. Prefixes hold neither parameters nor escaped slashes, so a
// prefix that matches still matches when either is resolved in the rest. The rules that
// match can thus only become more from the normal form to the flat one and on to that
// without parameters, and likewise in the other order; if the last choice is the first,
// so is the one between.
func (x *index) agree(r request, path []byte, id int, s *Scratch) bool {
	s.reading = appendFlat(s.reading[:0], path)
	if x.lookup(r, dropParams(s.reading)) != id {
		return false
	}
	bare := dropParams(append(s.reading[:0], path...))
	return x.lookup(r, appendFlat(bare[:0], bare)) == id
}

// appendFlat appends path to dst with backslashes and escaped slashes and backslashes as
// slashes, and merges runs of slashes. path is in normal form. dst may be path[:0], since
// the result is never ahead of what was read.
func appendFlat(dst, path []byte) []byte {
	for i := 0; i < len(path); {
		c, width := flattened(path[i:])
		if c != '/' || len(dst) == 0 || dst[len(dst)-1] != '/' {
			dst = append(dst, c)
		}
		i += width
	}
	return dst
}

// flattened returns the first character of p and how many octets spell it.
func flattened(p []byte) (c byte, width int) {
	switch {
	case p[0] == '\\':
		return '/', 1
	case slashEscape(p):
		return '/', 3
	}
	return p[0], 1
}

// slashEscape reports whether p, in normal form, starts with an escaped slash or
// backslash.
func slashEscape(p []byte) bool {
	if len(p) < 3 || p[0] != '%' {
		return false
	}
	return p[1] == '2' && p[2] == 'F' || p[1] == '5' && p[2] == 'C'
}

// hasSlashEscape reports whether a path in normal form holds one.
func hasSlashEscape(path []byte) bool {
	for i := range path {
		if path[i] == '%' && slashEscape(path[i:]) {
			return true
		}
	}
	return false
}

// dropParams removes what lies between a semicolon and the next slash, in place, and
// merges runs of slashes.
func dropParams(path []byte) []byte {
	kept, skip := path[:0], false
	for _, c := range path {
		if c == '/' {
			skip = false
		}
		skip = skip || c == ';'
		if skip || c == '/' && len(kept) > 0 && kept[len(kept)-1] == '/' {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}
