package config

// file takes the name of a file. A relative one is relative to the folder of the
// configuration.
func file(to *string) fileName { return fileName{text(to)} }

type fileName struct{ scalar[string] }

func (f fileName) shape() shape { return shape{kind: "file", value: *f.to} }

func (f fileName) read(d *decoder, v value) {
	f.kind = "the name of a file"
	f.parse = func(s string) (string, error) {
		if s == "" {
			return "", errEmpty
		}
		return d.fileName(s), nil
	}
	f.scalar.read(d, v)
}
