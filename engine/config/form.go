package config

// A form says what the value of a key looks like and where it goes. Forms are bound to
// the variable they fill; its value before is the default.
type form interface {
	// read stores v, or reports why it cannot.
	read(d *decoder, v value)
	// shape describes what read takes.
	shape() shape
	// schema says the same as JSON Schema, as far as that can. It never refuses what
	// read takes.
	schema() object
}

// A shape describes a form for the list of keys.
type shape struct {
	kind  string // in words: duration, list of text
	value string // the default as it would be written; empty if there is none
	keys  keys   // of a mapping, or of the items of a list
	item  string // what stands between a key and keys: "", "[]" or ".*"
}

// keys are those of a mapping.
type keys []field

// A field is a key of a mapping.
type field struct {
	name     string
	form     form
	required bool
	doc      string // what it means, with code in backquotes
}

func (k keys) find(name string) (field, bool) {
	for _, f := range k {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (k keys) names() []string {
	names := make([]string, len(k))
	for i, f := range k {
		names[i] = f.name
	}
	return names
}

// optional wraps a form whose default is that nothing is set: no value is fine with it.
type optional struct{ form }

func (o optional) shape() shape {
	s := o.form.shape()
	s.value = ""
	return s
}

func (o optional) read(d *decoder, v value) {
	if !isNull(v.n) {
		o.form.read(d, v)
	}
}
