package stats

import "strings"

// valueEscaper writes what may not stand in a label value.
var valueEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// label is one label as it is written.
func label(name, value string) string { return name + `="` + valueEscaper.Replace(valid(value)) + `"` }

// labels joins pairs of name and value as they are written between the braces.
func labels(pairs ...string) string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, label(pairs[i], pairs[i+1]))
	}
	return strings.Join(out, ",")
}

// valid replaces what is not UTF-8, which the text format must be.
func valid(value string) string { return strings.ToValidUTF8(value, "\uFFFD") }
