package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A source remembers where the keys of a file were written, so that faults found after
// decoding have a position.
type source struct {
	file    string
	marks   map[string]mark // by path in the file
	written []entry         // in the order they were decoded
}

// A mark is a position, both from 1.
type mark struct {
	line, column int
}

// An entry is a key that was written.
type entry struct {
	path string // in the file: routes[0].proxy
	key  string // in the schema: clusters.*.upstreams[].url
	kind yaml.Kind
	text string // of a scalar, expanded; empty if it has no value
	size int    // elements of a list or mapping
	// expanded tells that text came, in part, from the environment or had a $$.
	expanded bool
}

// has reports whether the key at path was written.
func (s *source) has(path string) bool {
	if s == nil {
		return false
	}
	_, ok := s.marks[path]
	return ok
}

// fault makes a Fault at path, at the position of the closest key above it that was written.
func (s *source) fault(path, message string) Fault {
	if s == nil {
		return Fault{File: "configuration", Path: path, Message: message}
	}
	f := Fault{File: s.file, Path: path, Message: message}
	for at := path; ; at = parent(at) {
		if m, ok := s.marks[at]; ok {
			f.Line, f.Column = m.line, m.column
			return f
		}
		if at == "" {
			return f
		}
	}
}

// parent returns the path above path, and "" above the first key.
func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}
