package route

import (
	"errors"
	"fmt"
)

var (
	errPrefixEmpty  = errors.New("is empty; write / for all paths")
	errPrefixBroken = errors.New("holds a percent sign that starts no escape; write %25 for the sign itself")
	errPrefixParam  = errors.New("holds a semicolon; parameters are no part of a route, leave them out")
	errPrefixSlash  = errors.New(`holds a backslash or an escaped slash; write / between segments`)
	errPrefixBad    = errors.New("can never match, since paths with dot segments, encoded NULs, %u escapes or encodings of encodings are refused")
	errPrefixQuery  = errors.New("holds ? or #; write the path alone")
)

// CheckPrefix returns nil for a prefix that a rule may have: it starts with a slash and is
// in the normal form that paths are matched in. The error says what would be right.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return errPrefixEmpty
	}
	if prefix[0] != '/' {
		return fmt.Errorf("does not start with a slash; write /%s", prefix)
	}
	for i := range len(prefix) {
		if c := prefix[i]; c == '?' || c == '#' {
			return errPrefixQuery
		}
	}
	if hasBrokenEscape(prefix) {
		return errPrefixBroken
	}
	encoded := encodeIllegal(prefix)
	normal, _ := appendNormal(nil, encoded)
	if err := checkNormal(normal); err != nil {
		return err
	}
	if string(normal) != prefix {
		return fmt.Errorf("not in normal form; write %s", normal)
	}
	return nil
}

// checkNormal refuses what a prefix in normal form must not hold.
func checkNormal(normal []byte) error {
	m := scan(normal)
	switch {
	case m&param != 0:
		return errPrefixParam
	case hasBadEscape(normal) || hasDotSegment(normal):
		return errPrefixBad
	case m&back != 0 || hasSlashEscape(normal):
		return errPrefixSlash
	}
	return nil
}

// hasBrokenEscape reports whether a percent sign is not followed by two digits.
func hasBrokenEscape(s string) bool {
	for i := range len(s) {
		if s[i] != '%' {
			continue
		}
		if _, whole := unescape([]byte(s[i:])); !whole {
			return true
		}
	}
	return false
}

// encodeIllegal escapes the octets that no path may hold.
func encodeIllegal(s string) []byte {
	var out []byte
	for i := range len(s) {
		c := s[i]
		if marks[c]&illegal == 0 {
			out = append(out, c)
			continue
		}
		out = append(out, '%', upperHex[c>>4], upperHex[c&15])
	}
	return out
}
