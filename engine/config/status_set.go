package config

import (
	"fmt"
	"strings"
)

// A StatusSet is a set of HTTP status codes. The zero value is empty.
type StatusSet struct {
	text string
	bits [10]uint64
}

// Contains reports whether code is in the set.
func (s *StatusSet) Contains(code int) bool {
	return code >= 0 && code < 64*len(s.bits) && s.bits[code/64]>>(code%64)&1 == 1
}

// String returns the set as written, such as 2xx,3xx.
func (s StatusSet) String() string { return s.text }

func (s *StatusSet) add(first, last int) {
	for code := first; code <= last; code++ {
		s.bits[code/64] |= 1 << (code % 64)
	}
}

func statusSet(to *StatusSet) scalar[StatusSet] {
	const one = `\s*[1-5](xx|[0-9]{2}(-[1-5][0-9]{2})?)\s*`
	s := scalar[StatusSet]{to: to, kind: "a list of status codes", parse: parseStatusSet, show: StatusSet.String}
	s.takes = func() []object {
		return []object{matching("^" + one + "(," + one + ")*$"), numbers("integer", 100, 599)}
	}
	return s
}

// parseStatusSet reads classes (2xx), codes (204) and ranges (200-299), with commas between.
func parseStatusSet(text string) (StatusSet, error) {
	s := StatusSet{text: text}
	for _, word := range strings.Split(text, ",") {
		first, last, ok := statusRange(strings.TrimSpace(word))
		if !ok {
			return StatusSet{}, fmt.Errorf("%s is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between", shown(text))
		}
		s.add(first, last)
	}
	return s, nil
}

func statusRange(word string) (first, last int, ok bool) {
	if class, isClass := strings.CutSuffix(word, "xx"); isClass {
		n, err := parseInt(class, 1, 5)
		return n * 100, n*100 + 99, err == nil
	}
	low, high, isRange := strings.Cut(word, "-")
	if !isRange {
		high = low
	}
	first, err := parseInt(low, 100, 599)
	if err != nil {
		return 0, 0, false
	}
	last, err = parseInt(high, 100, 599)
	return first, last, err == nil && first <= last
}
