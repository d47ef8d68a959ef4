package config

import "gopkg.in/yaml.v3"

// prepare reports what YAML allows and this file does not, wherever it stands: anchors,
// aliases, merge keys, tags, keys that are not text or come twice, empty list items.
// It expands the environment in scalar values. Faults in n are reported at m, where its
// key stands.
func (d *decoder) prepare(n *yaml.Node, path string, m mark) {
	if !d.plain(n, path, m) {
		d.broken[n] = true
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		d.prepareMapping(n, path)
	case yaml.SequenceNode:
		d.prepareList(n, path)
	case yaml.ScalarNode:
		d.prepareScalar(n, path, m)
	}
}

// plain reports whether n is without what refers elsewhere or changes types.
func (d *decoder) plain(n *yaml.Node, path string, m mark) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		d.faultAt(m, path, "aliases are not allowed; write the value out, or put a value that begins with * in quotes")
		return false
	case n.Anchor != "":
		d.faultAt(m, path, "anchors are not allowed; put a value that begins with & in quotes")
		return false
	case n.Style&yaml.TaggedStyle != 0:
		d.faultAt(m, path, "tags are not allowed; put a value that begins with ! in quotes")
		return false
	}
	return true
}

func (d *decoder) prepareMapping(n *yaml.Node, path string) {
	first := map[string]int{} // line of each key
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, content := n.Content[i], n.Content[i+1]
		if !d.plainKey(name, path) {
			d.broken[name] = true
			continue
		}
		at := join(path, name.Value)
		if line, twice := first[name.Value]; twice {
			d.faultAt(position(name), at, "written twice; the first is on line %d", line)
			continue
		}
		first[name.Value] = name.Line
		d.prepare(content, at, position(name))
	}
}

func (d *decoder) plainKey(n *yaml.Node, path string) bool {
	switch {
	case n.Tag == "!!merge":
		d.faultAt(position(n), path, "merge keys (<<) are not allowed; write the keys out")
		return false
	case !d.plain(n, path, position(n)):
		return false
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		d.faultAt(position(n), path, "a key that is not text; put it in quotes")
		return false
	}
	return true
}

func (d *decoder) prepareList(n *yaml.Node, path string) {
	for i, c := range n.Content {
		at := index(path, i)
		if isNull(c) && c.Anchor == "" {
			d.broken[c] = true
			d.faultAt(position(c), at, "an empty list item; give it a value or remove it")
			continue
		}
		d.prepare(c, at, position(c))
	}
}

func (d *decoder) prepareScalar(n *yaml.Node, path string, m mark) {
	text, err := expand(n.Value, d.lookup)
	if err != nil {
		d.broken[n] = true
		d.faultAt(m, path, "%v", err)
		return
	}
	if text != n.Value {
		d.expanded[n] = true
		n.Value = text
	}
}
