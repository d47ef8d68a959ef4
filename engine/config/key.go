package config

// A Key is one key of the file, for documentation and schemas.
type Key struct {
	// Path is where it stands: [] for any item of a list, * for any name.
	// The keys of an inline cluster are those of clusters.*, and the keys of
	// beacon_defaults are those of upstreams.
	Path string
	// Type says what it takes, in words.
	Type string
	// Default is the value that stands for the key if it is left out; empty if there is none.
	Default string
	// Required tells that it cannot be left out.
	Required bool
	// Meaning is what documentation and editors say of it, with code in backquotes.
	Meaning string
}

// Keys returns every key in the order of the file's description.
func Keys() []Key { return describe(nil, "", defaultConfig().keys()) }

func describe(out []Key, path string, k keys) []Key {
	for _, f := range k {
		s := f.form.shape()
		at := join(path, f.name)
		out = append(out, Key{Path: at, Type: s.kind, Default: s.value, Required: f.required, Meaning: f.doc})
		out = describe(out, at+s.item, s.keys)
	}
	return out
}
