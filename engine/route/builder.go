package route

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A RuleError is one fault of one rule.
type RuleError struct {
	Index  int    // of the rule
	Field  string // what is at fault: "prefix", "hosts[1]", "listeners[0]"; empty for the rule as a whole
	First  int    // of the earlier rule that this one collides with; -1 for other faults
	Reason string // what is wrong and what would be right
}

// Error returns the fault with the rule's index.
func (e *RuleError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("route %d: %s", e.Index, e.Reason)
	}
	return fmt.Sprintf("route %d: %s: %s", e.Index, e.Field, e.Reason)
}

// maxListener bounds the indexes of listeners, since the table has slots for them.
const maxListener = 1 << 12

// A builder fills an index and collects the faults of the rules.
type builder struct {
	index  *index
	faults []error
}

func newBuilder() *builder {
	return &builder{index: &index{exact: map[string]*prefixes{}, wild: map[string]*prefixes{}}}
}

// add enters rule id under each of its hosts.
func (b *builder) add(id int, hosts []string, listeners []int, prefix string) {
	before := len(b.faults)
	if err := CheckPrefix(prefix); err != nil {
		b.fault(id, "prefix", err.Error())
	}
	for i, n := range listeners {
		if n < 0 || n >= maxListener {
			b.fault(id, fmt.Sprintf("listeners[%d]", i), fmt.Sprintf("is %d, must be from 0 to %d", n, maxListener-1))
		}
	}
	for i, h := range hosts {
		if err := CheckHost(h); err != nil {
			b.fault(id, fmt.Sprintf("hosts[%d]", i), err.Error())
		}
	}
	if len(b.faults) > before {
		return
	}
	b.enter(id, hosts, listeners, prefix)
}

// enter adds a rule without faults of its own.
func (b *builder) enter(id int, hosts []string, listeners []int, prefix string) {
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	for i, h := range hosts {
		pattern := canonicalHost(h)
		if slices.ContainsFunc(hosts[:i], func(other string) bool { return canonicalHost(other) == pattern }) {
			b.fault(id, fmt.Sprintf("hosts[%d]", i), fmt.Sprintf("%q is in the list twice", h))
			continue
		}
		c := b.prefixes(pattern).candidates(prefix)
		if first := c.claim(id, listeners); first != none {
			b.collision(id, first, pattern, prefix)
		}
	}
}

// prefixes returns the rules of a host pattern in canonical form.
func (b *builder) prefixes(pattern string) *prefixes {
	if pattern == "" {
		if b.index.any == nil {
			b.index.any = newPrefixes()
		}
		return b.index.any
	}
	in := b.index.exact
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
		in, pattern = b.index.wild, suffix
	}
	if in[pattern] == nil {
		in[pattern] = newPrefixes()
	}
	return in[pattern]
}

func newPrefixes() *prefixes {
	return &prefixes{rules: map[string]*candidates{}}
}

// candidates returns the rules of a prefix.
func (p *prefixes) candidates(prefix string) *candidates {
	if p.rules[prefix] == nil {
		p.rules[prefix] = &candidates{all: none}
	}
	return p.rules[prefix]
}

// claim takes the places of the listeners for rule id. It returns the rule that holds
// one of them already, or none.
func (c *candidates) claim(id int, listeners []int) (holder int) {
	if len(listeners) == 0 {
		if c.all != none {
			return c.all
		}
		c.all = id
		return none
	}
	for _, n := range listeners {
		for len(c.bound) <= n {
			c.bound = append(c.bound, none)
		}
		if c.bound[n] != none && c.bound[n] != id {
			return c.bound[n]
		}
		c.bound[n] = id
	}
	return none
}

func (b *builder) fault(id int, field, reason string) {
	b.faults = append(b.faults, &RuleError{Index: id, Field: field, First: none, Reason: reason})
}

func (b *builder) collision(id, first int, pattern, prefix string) {
	host := "any host"
	if pattern != "" {
		host = "host " + pattern
	}
	b.faults = append(b.faults, &RuleError{Index: id, First: first,
		Reason: fmt.Sprintf("route %d has the same prefix %s for %s on the same listener", first, prefix, host)})
}

// finish completes the index.
func (b *builder) finish() error {
	if len(b.faults) > 0 {
		return errors.Join(b.faults...)
	}
	x := b.index
	x.wildLengths = lengths(x.wild)
	for _, in := range []map[string]*prefixes{x.exact, x.wild} {
		for _, p := range in {
			p.finish()
		}
	}
	if x.any != nil {
		x.any.finish()
	}
	return nil
}

// finish sets apart what look-ups treat apart.
func (p *prefixes) finish() {
	p.root = p.rules["/"]
	delete(p.rules, "/")
	if len(p.rules) == 0 {
		p.rules = nil // a table of many hosts has as many of these
	}
	p.lengths = lengths(p.rules)
}

// lengths returns the different lengths of the keys, longest first.
func lengths[V any](m map[string]V) []int {
	var all []int
	for key := range m {
		all = append(all, len(key))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}
