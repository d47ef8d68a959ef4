package engine

// trim returns b without blanks and tabs at its ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// cutLast cuts the last element off a comma-separated list without quoted parts.
func cutLast(list []byte) (last, rest []byte) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == ',' {
			return trim(list[i+1:]), list[:i]
		}
	}
	return trim(list), nil
}
