package beacon

// quoted returns b as one line of visible ASCII, escaped like httpd escapes what it logs.
func quoted(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c == '\\' || c == '"':
			out = append(out, '\\', c)
		case c >= 0x20 && c < 0x7f:
			out = append(out, c)
		case c >= '\b' && c <= '\r' && c != '\f':
			out = append(out, '\\', "btnv-r"[c-'\b'])
		default:
			out = append(out, '\\', 'x', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}
