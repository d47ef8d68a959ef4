package config

import (
	"errors"
	"fmt"
	"strings"
)

// A HeaderRule changes one field of a head.
type HeaderRule struct {
	Op HeaderOp
	// Name is as written; it compares without regard to case.
	Name string
	// Value is empty for HeaderRemove.
	Value Template
}

// A HeaderOp is what a rule does.
type HeaderOp uint8

// The operations.
const (
	HeaderAdd    HeaderOp = iota // append a line: "+Name: value"
	HeaderRemove                 // drop every line: "-Name"
	HeaderSet                    // drop every line, then append one: "Name: value"
)

// headerRules takes a list of rules.
func headerRules(to *[]HeaderRule) form {
	return list[HeaderRule]{to: to, fresh: nothing[HeaderRule], form: func(r *HeaderRule) form {
		return scalar[HeaderRule]{to: r, kind: "a header rule in quotes", parse: parseHeaderRule, show: HeaderRule.String}.
			like("^(-" + patternToken + "|(\\+|" + patternPlain + ")" + patternToken + ":[^\r\n]*|" + patternPlain + ":[^\r\n]*)$")
	}}
}

// String returns the rule as written, but for blanks around the value.
func (r HeaderRule) String() string {
	switch {
	case r.Name == "":
		return ""
	case r.Op == HeaderRemove:
		return "-" + r.Name
	case r.Op == HeaderAdd:
		return "+" + r.Name + ": " + r.Value.Text
	}
	return r.Name + ": " + r.Value.Text
}

// parseHeaderRule never quotes the value in an error: it may be a credential.
func parseHeaderRule(s string) (HeaderRule, error) {
	rule, rest := HeaderRule{Op: HeaderSet}, s
	switch {
	case strings.HasPrefix(s, "+"):
		rule.Op, rest = HeaderAdd, s[1:]
	case strings.HasPrefix(s, "-"):
		rule.Op, rest = HeaderRemove, s[1:]
	}
	name, text, hasValue := strings.Cut(rest, ":")
	rule.Name = name
	switch {
	case rule.Op == HeaderRemove && hasValue:
		return rule, errors.New("a rule that removes has no value; write -Name")
	case rule.Op != HeaderRemove && !hasValue:
		return rule, errors.New("no colon; write +Name: value to add, Name: value to replace, or -Name to remove")
	case !isToken(name):
		return rule, errors.New("what stands before the colon is not the name of a header")
	}
	if err := checkRuleName(rule); err != nil {
		return rule, err
	}
	text = strings.Trim(text, " \t")
	if i := strings.IndexFunc(text, isForbidden); i >= 0 {
		return rule, fmt.Errorf("the value of %s holds a line end or another control character", name)
	}
	var err error
	rule.Value, err = ParseTemplate(text)
	return rule, err
}

// isForbidden reports whether no field value has r: RFC 9110, 5.5.
func isForbidden(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// checkRuleName refuses rules for fields that the proxy itself must be right about:
// those that frame a message, and those that belong to one connection (RFC 9110, 7.6.1).
func checkRuleName(r HeaderRule) error {
	name := strings.ToLower(r.Name)
	switch name {
	case "content-length", "transfer-encoding", "trailer", "te", "upgrade", "connection",
		"keep-alive", "proxy-connection", "http2-settings":
		return fmt.Errorf("%s frames the message or belongs to one connection; a rule must not change it", r.Name)
	case "host":
		if r.Op != HeaderSet {
			return errors.New("a request has exactly one Host; it can be replaced (Host: value) but not added or removed")
		}
	}
	return nil
}
