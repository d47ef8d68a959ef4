package config

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// schema lets the environment stand for any value.
func (s scalar[T]) schema() object {
	if s.takes == nil {
		return object{{"type", anyScalar}}
	}
	return anyOf(append(s.takes(), fromEnvironment())...)
}

func (f fileName) schema() object {
	return append(f.scalar.schema(), member{"minLength", 1})
}

func (l logFile) schema() object {
	return append(text(&l.log.Path).schema(), member{"minLength", 1}, member{"examples", []string{Stdout, Stderr}})
}

// like returns s for text that matches a regular expression. It is one that ECMA-262 and
// RE2 read in the same way.
func (s scalar[T]) like(pattern string) scalar[T] {
	s.takes = func() []object { return []object{matching(pattern)} }
	return s
}

// matching is a schema of text. Where a number or a boolean could match it may stand
// without quotes, which is no text to JSON.
func matching(pattern string) object {
	o := object{{"type", "string"}, {"pattern", pattern}}
	if regexp.MustCompile(pattern).MatchString("1e5") {
		o[0].value = anyScalar
	}
	return o
}

// anyScalar is the type of text without quotes.
var anyScalar = []string{"string", "number", "boolean"}

// word is a schema of one out of a list. A word that YAML reads as a number is one, too.
func word(list []string) object {
	var all []any
	for _, w := range list {
		all = append(all, w)
		if isPlainNumber(w) {
			all = append(all, json.Number(w))
		}
	}
	return object{{"enum", all}}
}

// anyCase is a schema of words, with | between them, written in any case.
func anyCase(list string) object {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(list, " ", "") {
		if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
			b.WriteString("[" + string(lower) + string(upper) + "]")
		} else {
			b.WriteRune(r)
		}
	}
	return matching("^(" + b.String() + ")$")
}

// numbers is a schema of numbers.
func numbers(kind string, least, most any) object {
	return object{{"type", kind}, {"minimum", least}, {"maximum", most}}
}

// spans are schemas of durations: a number of seconds, or text with units.
func spans(least time.Duration) []object {
	const (
		either = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$|^[0-9]+(\.[0-9]+)?$`
		zero   = `^[^1-9]*$`
	)
	seconds, written := numbers("number", least.Seconds(), maxDuration.Seconds()), matching(either)
	if least > zeroAllowed {
		written = append(written, member{"not", object{{"pattern", zero}}})
	}
	if least == positive {
		seconds[1] = member{"exclusiveMinimum", 0}
	}
	return []object{written, seconds}
}

// byteCounts are schemas of sizes: a number of bytes, or text with a unit.
func byteCounts(least, most int64) []object {
	return []object{numbers("integer", least, most), matching(`^(0|[1-9][0-9]*)(KiB|MiB|GiB|TiB)?$`)}
}

// Patterns of texts. They are looser than the checks, which have better messages.
const (
	patternToken   = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
	patternPlain   = "[A-Za-z0-9!#$%&'*.^_`|~]" // begins a token that no operator begins
	patternHost    = `[A-Za-z0-9._-]+`
	patternV6      = `\[[0-9A-Fa-f:.]+\]`
	patternPort    = `:[1-9][0-9]{0,4}`
	patternOrigin  = `^[Hh][Tt][Tt][Pp][Ss]?://` + `(` + patternHost + `|` + patternV6 + `)(` + patternPort + `)?`
	patternURL     = `^[Hh][Tt][Tt][Pp][Ss]?://([^/?#@\s{}]|\{\{[^{}]*\}\})+$`
	patternTarget  = `^/[^ #]*$`
	patternAddress = `(` + patternHost + `|` + patternV6 + `)?` + patternPort
)
