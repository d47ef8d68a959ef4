package engine

import (
	"strings"

	"millrace/engine/config"
	"millrace/engine/h1"
)

// rules are a cluster's rules for the fields of one direction, compiled: which names never
// come through, and which lines are added. A nil *rules does nothing.
type rules struct {
	dropped []string // lower case
	lines   []ruleLine
}

// A ruleLine is a field that is added, with its value made for each request.
type ruleLine struct {
	name  string
	parts []config.Part
}

// newRules folds the rules, which act in order, into one pass: removing a name takes away
// what the message brings and what an earlier rule added.
func newRules(in []config.HeaderRule) *rules {
	if len(in) == 0 {
		return nil
	}
	r := &rules{}
	for _, rule := range in {
		if rule.Op != config.HeaderAdd {
			r.remove(strings.ToLower(rule.Name))
		}
		if rule.Op != config.HeaderRemove {
			r.lines = append(r.lines, ruleLine{rule.Name, rule.Value.Parts})
		}
	}
	return r
}

func (r *rules) remove(name string) {
	kept := r.lines[:0]
	for _, l := range r.lines {
		if !strings.EqualFold(l.name, name) {
			kept = append(kept, l)
		}
	}
	r.lines = kept
	if !r.names(name) {
		r.dropped = append(r.dropped, name)
	}
}

// names reports whether the rules say all there is about a field. name is in lower case.
func (r *rules) names(name string) bool {
	if r == nil {
		return false
	}
	for _, d := range r.dropped {
		if d == name {
			return true
		}
	}
	return false
}

// drops reports whether line i of h does not come through.
func (r *rules) drops(h *h1.Head, i int) bool {
	if r == nil {
		return false
	}
	name := h.Name(i)
	for _, d := range r.dropped {
		if equalFold(name, d) {
			return true
		}
	}
	return false
}

// appendTo writes the added lines.
func (r *rules) appendTo(dst []byte, x *exchange) []byte {
	if r == nil {
		return dst
	}
	for i := range r.lines {
		l := &r.lines[i]
		dst = append(append(dst, l.name...), ": "...)
		dst = x.appendParts(dst, l.parts)
		dst = append(dst, "\r\n"...)
	}
	return dst
}

// equalFold reports whether name is lower, which is in lower case, without regard to case.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
