package config

import (
	"fmt"
	"os"
)

// Load reads and parses the file at path. If its content is at fault the error is *Errors.
func Load(path string) (*Config, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	return Parse(path, text)
}

// Parse decodes and checks a configuration. name is what faults call the file; file names
// in it are relative to the folder of name. The environment is that of the process.
// An error is always *Errors and has every fault; the Config is then nil.
func Parse(name string, text []byte) (*Config, error) {
	return parse(name, text, os.LookupEnv)
}

func parse(name string, text []byte, lookup func(string) (string, bool)) (*Config, error) {
	d := newDecoder(name, lookup)
	c := defaultConfig()
	c.src = d.src
	if n := d.document(text); n != nil {
		d.prepare(n, "", mark{1, 1})
		mapping{keys: c.keys()}.read(d, value{n: n})
		d.complete(c)
		d.check(c)
	}
	if len(d.faults) > 0 {
		sortFaults(d.faults)
		return nil, &Errors{Faults: d.faults}
	}
	return c, nil
}

// complete gives names to what has none, moves inline clusters to the others, and indexes
// them.
func (d *decoder) complete(c *Config) {
	for i := range c.Listeners {
		if l := &c.Listeners[i]; l.Name == "" {
			l.Name = l.Address.Text
		}
	}
	if c.Admin != nil && c.Admin.Address == (Address{}) {
		c.Admin = nil
	}
	taken := map[string]bool{}
	for i := range c.Routes {
		r := &c.Routes[i]
		r.Name = r.name()
		if r.inline == nil {
			continue
		}
		r.inline.Name = free(r.Name, taken)
		taken[r.inline.Name] = true
		if !d.src.has(join(r.path, "cluster")) {
			r.Cluster = r.inline.Name
		}
		c.Clusters = append(c.Clusters, *r.inline)
		r.inline = nil
	}
	c.byName = make(map[string]int, len(c.Clusters))
	for i := range c.Clusters {
		c.byName[c.Clusters[i].Name] = i
	}
}

// free returns name, or name with a number where it is taken.
func free(name string, taken map[string]bool) string {
	for n, try := 2, name; ; n++ {
		if !taken[try] {
			return try
		}
		try = fmt.Sprintf("%s~%d", name, n)
	}
}
