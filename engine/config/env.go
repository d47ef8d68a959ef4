package config

import (
	"fmt"
	"strings"
)

// expand replaces ${NAME} and ${NAME:-default} in text by what lookup finds, and $$ by a
// dollar. What comes out of a variable is not expanded again. The default also stands in
// for a variable that is set but empty.
func expand(text string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !ok:
			return b.String(), nil
		case strings.HasPrefix(after, "$"):
			b.WriteByte('$')
			text = after[1:]
		case strings.HasPrefix(after, "{"):
			inside, rest, closed := strings.Cut(after[1:], "}")
			if !closed {
				return "", fmt.Errorf("${ without its }; for a plain dollar write $$")
			}
			found, err := variableOf(inside, lookup)
			if err != nil {
				return "", err
			}
			b.WriteString(found)
			text = rest
		default:
			return "", fmt.Errorf("a dollar that begins nothing; write $$ for a plain one, or ${NAME} for an environment variable")
		}
	}
}

// variableOf returns what NAME or NAME:-default stands for.
func variableOf(inside string, lookup func(string) (string, bool)) (string, error) {
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	if !isVariableName(name) {
		return "", fmt.Errorf("${...} does not hold a name of letters, digits and _; write ${NAME} or ${NAME:-default}")
	}
	found, ok := lookup(name)
	switch {
	case hasFallback && found == "":
		return fallback, nil
	case !ok:
		return "", fmt.Errorf("environment variable %s is not set; set it or write ${%s:-default}", name, name)
	}
	return found, nil
}

func isVariableName(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && s[i] != '_' {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}
