package config

import "gopkg.in/yaml.v3"

// A list takes any number of items.
type list[T any] struct {
	to    *[]T
	fresh func() T
	form  func(*T) form
}

func (l list[T]) shape() shape {
	t := l.fresh()
	item := l.form(&t).shape()
	s := shape{kind: "list (" + item.kind + ")", keys: item.keys, item: "[]"}
	if len(*l.to) == 0 {
		s.value = "[]"
	}
	return s
}

func (l list[T]) read(d *decoder, v value) {
	if v.n.Kind != yaml.SequenceNode {
		d.fault(v.path, "%s where a list is expected", kindName(v.n))
		return
	}
	*l.to = nil
	for i, c := range v.n.Content {
		item := value{n: c, path: index(v.path, i), key: v.key + "[]"}
		d.note(item, c)
		if d.broken[c] {
			continue
		}
		t := l.fresh()
		l.form(&t).read(d, item)
		*l.to = append(*l.to, t)
	}
}

// oneOrMore takes a single item or a list.
type oneOrMore[T any] struct{ list[T] }

func (o oneOrMore[T]) shape() shape {
	s := o.list.shape()
	s.kind = "one or a " + s.kind
	return s
}

func (o oneOrMore[T]) read(d *decoder, v value) {
	if v.n.Kind != yaml.ScalarNode {
		o.list.read(d, v)
		return
	}
	t := o.fresh()
	o.form(&t).read(d, v)
	*o.to = []T{t}
}

// shorthand takes a mapping, or in its place the text of one of its keys.
type shorthand struct {
	mapping
	name string // of the key
}

func (s shorthand) shape() shape {
	sh := s.mapping.shape()
	sh.kind = "text or mapping"
	return sh
}

func (s shorthand) read(d *decoder, v value) {
	if v.n.Kind != yaml.ScalarNode || isNull(v.n) {
		s.mapping.read(d, v)
		return
	}
	*s.path = v.path
	f, _ := s.keys.find(s.name)
	v.key = join(v.key, s.name)
	d.src.written = append(d.src.written, v.entry())
	f.form.read(d, v)
}

func nothing[T any]() T {
	var zero T
	return zero
}
