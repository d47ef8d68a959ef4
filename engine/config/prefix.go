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
// encodes what a path does not hold, and joins slashes.
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
		case strings.IndexByte(";\\", c) >= 0 || escaped && strings.IndexByte("/%\x00", c) >= 0:
			return "", errors.New("programs disagree about ; and \\, and about % and / when they are encoded")
		case !escaped && strings.IndexByte("?#", c) >= 0:
			return "", errors.New("a prefix is a path; it has no query and no fragment")
		case c == '/' && strings.HasSuffix(b.String(), "/"):
		case c == '/' || isUnreserved(c) || !escaped && strings.IndexByte("!$&'()*+,=:@", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	for _, segment := range strings.Split(b.String(), "/") {
		if segment == "." || segment == ".." {
			return "", errors.New("a dot segment")
		}
	}
	return b.String(), nil
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
