package discovery

import "strings"

// Bounds of a name: RFC 1035, 2.3.4, in text without the final dot.
const (
	mostName  = 253
	mostLabel = 63
)

// isName reports whether s, without final dot, is a name that may stand in a URL: letters,
// digits, hyphens and underscores in labels. What a DNS server sends can be anything.
func isName(s string) bool {
	if s == "" || len(s) > mostName {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > mostLabel || strings.ContainsFunc(label, isStrange) {
			return false
		}
	}
	return true
}

func isStrange(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}
