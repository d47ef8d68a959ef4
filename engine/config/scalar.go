package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A scalar takes a single value, which parse understands.
type scalar[T any] struct {
	to    *T
	kind  string // "an integer"
	parse func(text string) (T, error)
	show  func(T) string
	// bare refuses quotes, unless the environment is asked: a quoted number is text.
	bare bool
	// takes returns JSON Schemas, one of which a value meets; nil if any text will do.
	// Decoding does not ask for them.
	takes func() []object
}

func (s scalar[T]) shape() shape {
	return shape{kind: strings.TrimPrefix(strings.TrimPrefix(s.kind, "an "), "a "), value: s.show(*s.to)}
}

func (s scalar[T]) read(d *decoder, v value) {
	switch {
	case isNull(v.n):
		instead := ""
		if known := s.show(*s.to); known != "" {
			instead = "; leave the key out for the default, " + known
		}
		d.fault(v.path, "no value where %s is expected%s", s.kind, instead)
	case v.n.Kind != yaml.ScalarNode:
		d.fault(v.path, "%s where %s is expected", kindName(v.n), s.kind)
	default:
		s.readText(d, v)
	}
}

// readText stores the text of v, which is a scalar, and reports whether it could.
func (s scalar[T]) readText(d *decoder, v value) bool {
	if s.bare && isQuoted(v.n) && !d.expanded[v.n] {
		d.fault(v.path, "text where %s is expected; remove the quotes", s.kind)
		return false
	}
	t, err := s.parse(v.n.Value)
	if err != nil {
		d.fault(v.path, "%v", err)
		return false
	}
	*s.to = t
	return true
}

// isQuoted reports whether n is written so that it can only be text.
func isQuoted(n *yaml.Node) bool {
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quotes != 0
}

// text takes any text.
func text[T ~string](to *T) scalar[T] {
	return textThat(to, "text", func(string) error { return nil })
}

// textThat takes text for which check has no error.
func textThat[T ~string](to *T, kind string, check func(string) error) scalar[T] {
	return scalar[T]{
		to:    to,
		kind:  kind,
		parse: func(s string) (T, error) { return T(s), check(s) },
		show:  func(t T) string { return string(t) },
	}
}

// oneOf takes one of a list of words.
func oneOf[T ~string](to *T, words ...T) scalar[T] {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	s := textThat(to, strings.Join(known, " | "), func(s string) error {
		if slices.Contains(known, s) {
			return nil
		}
		return fmt.Errorf("unknown value %s; one of %s", shown(s), strings.Join(known, ", "))
	})
	s.takes = func() []object { return []object{word(known)} }
	return s
}

// boolean takes true and false.
func boolean(to *bool) scalar[bool] {
	return scalar[bool]{to: to, kind: "true or false", parse: parseBool, show: strconv.FormatBool, bare: true, takes: func() []object { return []object{onOff()} }}
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%s is not a boolean; write true or false", shown(s))
}

// integer takes a whole number from least to most, both included.
func integer(to *int, least, most int) scalar[int] {
	return scalar[int]{
		to:    to,
		kind:  "an integer",
		parse: func(s string) (int, error) { return parseInt(s, least, most) },
		show:  strconv.Itoa,
		bare:  true,
		takes: func() []object { return []object{numbers("integer", least, most)} },
	}
}

func parseInt(s string, least, most int) (int, error) {
	if !isWholeNumber(strings.TrimPrefix(s, "-")) {
		return 0, fmt.Errorf("%s is not an integer; write a whole number from %d to %d", shown(s), least, most)
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is out of range; %d to %d", shown(s), least, most)
	}
	return n, nil
}

// decimal takes a number from least to most, both included.
func decimal(to *float64, least, most float64) scalar[float64] {
	return scalar[float64]{
		to:    to,
		kind:  "a number",
		parse: func(s string) (float64, error) { return parseDecimal(s, least, most) },
		show:  showDecimal,
		bare:  true,
		takes: func() []object { return []object{numbers("number", least, most)} },
	}
}

func parseDecimal(s string, least, most float64) (float64, error) {
	if !isPlainNumber(strings.TrimPrefix(s, "-")) {
		return 0, fmt.Errorf("%s is not a number; write one from %s to %s", shown(s), showDecimal(least), showDecimal(most))
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < least || f > most {
		return 0, fmt.Errorf("%s is out of range; %s to %s", shown(s), showDecimal(least), showDecimal(most))
	}
	return f, nil
}

func showDecimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// isWholeNumber reports whether s is decimal digits that mean the same to everyone:
// no sign, no leading zero, no separators.
func isWholeNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}

// isPlainNumber is isWholeNumber with an optional decimal fraction.
func isPlainNumber(s string) bool {
	whole, fraction, ok := strings.Cut(s, ".")
	return isWholeNumber(whole) && (!ok || fraction != "" && strings.Trim(fraction, "0123456789") == "")
}

// shown quotes text for a message, cut to a length a line can take.
func shown(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

var errEmpty = errors.New("must not be empty")
