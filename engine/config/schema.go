package config

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Schema returns a JSON Schema (2020-12) of the file, for editors and pipelines. It is
// made of the descriptions that decode the file. Whatever Parse accepts is valid by it;
// what only Parse can know, such as that a name is defined elsewhere, it lets through.
func Schema() ([]byte, error) {
	top := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "millrace configuration"},
	}
	top = append(top, mapping{keys: defaultConfig().keys()}.schema()...)
	cluster := defaultCluster("")
	top = append(top, member{"$defs", object{
		{"environment", object{
			{"description", "Text with ${NAME}, ${NAME:-default} or $$, whose value is known when the file is loaded."},
			{"type", "string"},
			{"pattern", `\$[${]`},
		}},
		{"cluster", mapping{keys: cluster.keys()}.schema()},
	}})
	text, err := top.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, err
	}
	return append(out.Bytes(), '\n'), nil
}

// ref refers to a schema under $defs.
func ref(def string) object { return object{{"$ref", "#/$defs/" + def}} }

// anyOf is a schema met by what meets one of the given. Alternatives of alternatives
// become one list.
func anyOf(schemas ...object) object {
	var all []object
	for _, s := range schemas {
		if inner, ok := s.alternatives(); ok {
			all = append(all, inner...)
		} else {
			all = append(all, s)
		}
	}
	return object{{"anyOf", all}}
}

func (o object) alternatives() ([]object, bool) {
	if len(o) != 1 || o[0].name != "anyOf" {
		return nil, false
	}
	all, ok := o[0].value.([]object)
	return all, ok
}

// exactlyOne says that one of the keys is written and no other of them.
func exactlyOne(names ...string) object {
	alternatives := make([]object, len(names))
	for i, n := range names {
		alternatives[i] = object{{"required", []string{n}}}
	}
	return object{{"oneOf", alternatives}}
}

// needs says that the key name is not written without the other.
func needs(name, other string) member { return member{name, []string{other}} }

// property is the schema of a key.
func (f field) property() object {
	o := object{{"description", strings.ReplaceAll(f.doc, "`", "")}}
	if v := f.defaultValue(); v != nil {
		o = append(o, member{"default", v})
	}
	s := f.form.schema()
	if f.required && len(s) > 0 && s[0].value == "array" {
		s = append(s, member{"minItems", 1}) // check refuses required lists that are empty
	}
	return append(o, s...)
}

// defaultValue is the default as a value for JSON, or nil if there is none.
func (f field) defaultValue() any {
	switch text := f.form.shape().value; text {
	case "":
		return nil
	case "true", "false", "[]", "{}", `""`:
		return json.RawMessage(text)
	}
	return effectiveOf(f.form)
}
