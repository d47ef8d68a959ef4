package config

import (
	"fmt"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// A decoder turns one file into a Config and collects every fault on the way.
type decoder struct {
	src    *source
	faults []Fault
	// unsound holds the paths of all faults and those above them.
	unsound map[string]bool
	// folder is what relative file names in the file are relative to.
	folder string
	// lookup finds an environment variable.
	lookup func(string) (string, bool)
	// broken holds what was reported already and is not decoded.
	broken map[*yaml.Node]bool
	// expanded holds the scalars that had ${...}.
	expanded map[*yaml.Node]bool
}

// A value is a piece of the file, on its way into a form.
type value struct {
	n    *yaml.Node
	path string // in the file
	key  string // in the schema
}

func newDecoder(name string, lookup func(string) (string, bool)) *decoder {
	return &decoder{
		src:      &source{file: name, marks: map[string]mark{"": {1, 1}}},
		folder:   filepath.Dir(name),
		lookup:   lookup,
		unsound:  map[string]bool{},
		broken:   map[*yaml.Node]bool{},
		expanded: map[*yaml.Node]bool{},
	}
}

// fault reports what is wrong with the key at path.
func (d *decoder) fault(path, format string, args ...any) {
	d.add(d.src.fault(path, fmt.Sprintf(format, args...)))
}

// faultAt reports what is wrong at a place that no key marks.
func (d *decoder) faultAt(m mark, path, format string, args ...any) {
	f := Fault{File: d.src.file, Line: m.line, Column: m.column, Path: path}
	f.Message = fmt.Sprintf(format, args...)
	d.add(f)
}

func (d *decoder) add(f Fault) {
	d.faults = append(d.faults, f)
	for path := f.Path; path != ""; path = parent(path) {
		d.unsound[path] = true
	}
}

// sound reports whether nothing at path or below it is at fault.
func (d *decoder) sound(path string) bool { return !d.unsound[path] }

// note remembers that v was written, at the position of n (its key or itself).
func (d *decoder) note(v value, n *yaml.Node) {
	d.src.marks[v.path] = position(n)
	e := v.entry()
	e.expanded = d.expanded[v.n]
	d.src.written = append(d.src.written, e)
}

// entry describes v for those who ask later what was written.
func (v value) entry() entry {
	e := entry{path: v.path, key: v.key, kind: v.n.Kind, size: len(v.n.Content)}
	switch {
	case v.n.Kind == yaml.MappingNode:
		e.size /= 2
	case v.n.Kind == yaml.ScalarNode && !isNull(v.n):
		e.text = v.n.Value
	}
	return e
}

// fileName makes a file name absolute, or relative to the working directory.
func (d *decoder) fileName(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.folder, name)
}

func position(n *yaml.Node) mark { return mark{n.Line, n.Column} }

// isNull reports whether n is no value at all: null, ~, or nothing behind the colon.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// kindName says what n is, for a message.
func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	}
	return "a single value"
}
