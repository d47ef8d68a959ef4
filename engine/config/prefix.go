package config

import (
	"errors"
	"fmt"
	"strings"
)

// checkPrefix returns an error unless s is a path prefix in normal form: what a request
// path becomes before it is compared.
func checkPrefix(s string) error {
	if !strings.HasPrefix(s, "/") {
		return fmt.Errorf("%s does not begin with a slash; write %s", shown(s), shown("/"+s))
	}
	normal, err := normalPath(s)
	if err != nil {
		return fmt.Errorf("%s cannot be matched safely: %w", shown(s), err)
	}
	if normal != s {
		return fmt.Errorf("%s is not in normal form; write %s", shown(s), shown(normal))
	}
	return nil
}

// normalPath decodes escapes of unreserved characters, writes the others in upper case,
// encodes what no request line holds, and joins slashes.
func normalPath(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return "", errors.New("a % without two hexadecimal digits")
			}
			c, escaped = unhex(s[i+1])<<4|unhex(s[i+2]), true
			i += 2
		}
		switch {
		case isAmbiguous(c, escaped):
			return "", errors.New("programs read ; and \\, and an encoded slash, percent sign or zero, in different ways")
		case !escaped && strings.IndexByte("?#", c) >= 0:
			return "", errors.New("a prefix is a path; it has no query and no fragment")
		case c == '/' && strings.HasSuffix(b.String(), "/"):
		case !isUnreserved(c) && escaped || c <= ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	for _, segment := range strings.Split(b.String(), "/") {
		if segment == "." || segment == ".." {
			return "", errors.New("a dot segment")
		}
	}
	return b.String(), nil
}

// isAmbiguous reports whether paths with c are read differently by different programs.
func isAmbiguous(c byte, escaped bool) bool {
	return c == '\\' || c == ';' || escaped && (c == '/' || c == '%' || c == 0)
}

// isUnreserved is RFC 3986, 2.3.
func isUnreserved(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~", c) >= 0 }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
