package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A mapping takes the keys it lists and no others.
type mapping struct {
	keys keys
	// path, if not nil, gets the path of a mapping that could be read.
	path *string
	// also are JSON Schema keywords for rules between the keys, which check holds too.
	also object
}

func (m mapping) shape() shape { return shape{kind: "mapping", keys: m.keys} }

func (m mapping) read(d *decoder, v value) {
	if v.n.Kind != yaml.MappingNode {
		d.fault(v.path, "%s where a mapping is expected, with keys out of %s", kindName(v.n), strings.Join(m.keys.names(), ", "))
		return
	}
	m.setPath(v.path)
	seen := map[string]bool{}
	for i := 0; i+1 < len(v.n.Content); i += 2 {
		name, content := v.n.Content[i], v.n.Content[i+1]
		if !d.broken[name] && !seen[name.Value] {
			seen[name.Value] = true
			m.readKey(d, v, name, content)
		}
	}
	for _, f := range m.keys {
		if f.required && !seen[f.name] {
			d.fault(v.path, "%s is required", f.name)
		}
	}
}

func (m mapping) setPath(path string) {
	if m.path != nil {
		*m.path = path
	}
}

func (m mapping) readKey(d *decoder, v value, name, content *yaml.Node) {
	f, ok := m.keys.find(name.Value)
	if !ok {
		d.faultAt(position(name), join(v.path, name.Value), "unknown key%s", hint(name.Value, m.keys.names()))
		return
	}
	child := value{n: content, path: join(v.path, f.name), key: join(v.key, f.name)}
	d.note(child, name)
	if !d.broken[content] {
		f.form.read(d, child)
	}
}

// A section is a mapping that may be left empty: all its keys have defaults.
type section struct{ mapping }

func (s section) read(d *decoder, v value) {
	if isNull(v.n) {
		s.setPath(v.path)
		return
	}
	s.mapping.read(d, v)
}

// switched takes true, false or a mapping, which implies true.
type switched[T any] struct {
	to    **T
	fresh func() *T // what true stands for
	form  func(*T) form
}

func (s switched[T]) shape() shape {
	sh := s.form(s.fresh()).shape()
	sh.kind = "true, false or a mapping"
	sh.value = "false"
	if *s.to != nil {
		sh.value = "true"
	}
	return sh
}

func (s switched[T]) read(d *decoder, v value) {
	if v.n.Kind == yaml.MappingNode {
		*s.to = s.fresh()
		s.form(*s.to).read(d, v)
		return
	}
	on, err := parseBool(v.n.Value)
	if err != nil || v.n.Kind != yaml.ScalarNode || isQuoted(v.n) && !d.expanded[v.n] {
		d.fault(v.path, "%s where true, false or a mapping is expected", kindName(v.n))
		return
	}
	*s.to = nil
	if on {
		*s.to = s.fresh()
	}
}

// present takes a mapping, whose being there switches something on.
type present[T any] struct {
	to    **T
	fresh func() *T
	form  func(*T) form
}

func (p present[T]) shape() shape { return p.form(p.fresh()).shape() }

func (p present[T]) read(d *decoder, v value) {
	t := p.fresh()
	p.form(t).read(d, v)
	*p.to = t
}

// named takes a mapping from names of the user's choice, in order.
type named[T any] struct {
	to    *[]T
	fresh func(name string) T
	check func(name string) error
	form  func(*T) form
	// def is where the JSON Schema of an item is, and names is that of a name.
	def   string
	names object
}

func (m named[T]) shape() shape {
	t := m.fresh("")
	return shape{kind: "mapping of names", keys: m.form(&t).shape().keys, item: ".*"}
}

func (m named[T]) read(d *decoder, v value) {
	if isNull(v.n) {
		return
	}
	if v.n.Kind != yaml.MappingNode {
		d.fault(v.path, "%s where a mapping of names is expected", kindName(v.n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(v.n.Content); i += 2 {
		name, content := v.n.Content[i], v.n.Content[i+1]
		if d.broken[name] || seen[name.Value] {
			continue
		}
		seen[name.Value] = true
		child := value{n: content, path: join(v.path, name.Value), key: v.key + ".*"}
		d.note(child, name)
		m.readItem(d, child, name.Value)
	}
}

func (m named[T]) readItem(d *decoder, v value, name string) {
	if err := m.check(name); err != nil {
		d.fault(v.path, "%v", err)
	}
	t := m.fresh(name)
	if !d.broken[v.n] {
		m.form(&t).read(d, v)
	}
	*m.to = append(*m.to, t)
}
