package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong, or worth a warning, in a configuration.
type Fault struct {
	File    string
	Line    int    // from 1; 0 if unknown
	Column  int    // from 1, in characters; 0 if unknown
	Path    string // of the key, as routes[2].proxy.algorithm; empty for the file as a whole
	Message string
}

// Error returns file:line:column: path: message, without the parts that are unknown.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Column > 0 {
		fmt.Fprintf(&b, ":%d", f.Column)
	}
	if f.Path != "" {
		b.WriteString(": " + f.Path)
	}
	b.WriteString(": " + f.Message)
	return b.String()
}

// Errors is every fault of a configuration, in the order of the file. It has at least one.
type Errors struct {
	Faults []Fault
}

// Error returns a line for each fault.
func (e *Errors) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults as errors.
func (e *Errors) Unwrap() []error {
	out := make([]error, len(e.Faults))
	for i, f := range e.Faults {
		out[i] = f
	}
	return out
}

func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
