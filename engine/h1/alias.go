package h1

// xForwarded begins the names of the fields by which proxies hand on what
// they know of the client.
const xForwarded = "x-forwarded-"

// RequestFieldIDOf returns the ID of a field name of a request in any case,
// FieldAliased and FieldXForwardedOther included. name consists of token
// bytes.
func RequestFieldIDOf(name []byte) FieldID {
	id := FieldIDOf(name)
	if id != FieldOther || len(name) == 0 {
		return id
	}
	plain := uint8(classPlain)
	for _, c := range name {
		plain &= class[c]
	}
	return classifyOther(name, plain == 0)
}

// classifyOther returns the ID of a request's field name that FieldIDOf does
// not know. odd says that it holds a byte other than letters, digits and
// hyphens.
func classifyOther(name []byte, odd bool) FieldID {
	if odd || oddHyphens(name) {
		return aliasID(name)
	}
	if len(name) > len(xForwarded) && isToken(name[:len(xForwarded)], xForwarded) {
		return FieldXForwardedOther
	}
	return FieldOther
}

// oddHyphens reports whether name has a hyphen at an end or two in a row.
func oddHyphens(name []byte) bool {
	last := len(name) - 1
	if name[0] == '-' || name[last] == '-' {
		return true
	}
	for i := 2; i < last; i += 2 {
		if name[i] == '-' && (name[i-1] == '-' || name[i+1] == '-') {
			return true
		}
	}
	return false
}

// aliasID returns FieldAliased if name becomes a name that the proxy vouches
// for once every run of bytes that are no letters or digits is read as one
// hyphen and those at the ends are left out, else FieldOther. CGI makes _ of
// each hyphen, some readers make it of other bytes too, and some drop them.
func aliasID(name []byte) FieldID {
	var folded [64]byte
	n := 0
	for _, c := range name {
		if class[c]&classPlain == 0 || c == '-' {
			if n > 0 && folded[n-1] != '-' {
				folded[n] = '-'
				n++
			}
		} else {
			folded[n] = lower[c]
			n++
		}
		if n == len(folded) {
			break
		}
	}
	if n > len(xForwarded) && string(folded[:len(xForwarded)]) == xForwarded {
		return FieldAliased
	}
	if n > 0 && folded[n-1] == '-' {
		n--
	}
	if vouched.has(FieldIDOf(folded[:n])) {
		return FieldAliased
	}
	return FieldOther
}
