package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Effective returns c as JSON: the keys and their order are those of the file, with the
// defaults filled in. Durations and sizes are text with units; keys without a value are
// left out. A secret, and the value of a header rule whose name tells of one, is "***".
func Effective(c *Config) ([]byte, error) {
	return json.Marshal(effectiveOf(mapping{keys: asWritten(c).keys()}))
}

// asWritten returns a copy of c whose inline clusters are inside of their routes.
func asWritten(c *Config) *Config {
	out := *c
	out.Routes = slices.Clone(c.Routes)
	for i := range out.Routes {
		r := &out.Routes[i]
		if cl := c.Cluster(r.Cluster); cl != nil && cl.Inline {
			r.inline, r.Cluster = cl, ""
		}
	}
	out.Clusters = slices.DeleteFunc(slices.Clone(c.Clusters), func(cl Cluster) bool { return cl.Inline })
	return &out
}

// An effective form can say what is in the variable that it is bound to, as a value for
// JSON. Without a value it says nil.
type effective interface{ effective() any }

// effectiveOf returns the value of f. Every form has one; a test holds it.
func effectiveOf(f form) any {
	if e, ok := f.(effective); ok {
		return e.effective()
	}
	return nil
}

// An object is a JSON object in the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

func (m mapping) effective() any {
	o := object{}
	for _, f := range m.keys {
		if v := effectiveOf(f.form); v != nil {
			o = append(o, member{f.name, v})
		}
	}
	return o
}

// effective gives what the file would have: true and false, a number, or text.
func (s scalar[T]) effective() any {
	shown := s.show(*s.to)
	switch v := any(*s.to).(type) {
	case bool:
		return v
	case int:
		if shown == strconv.Itoa(v) {
			return v
		}
	case float64:
		return json.Number(shown)
	case time.Duration:
		if _, err := s.parse("false"); v == 0 && err == nil {
			return false
		}
	case Secret:
		if v != "" {
			return mask
		}
	case HeaderRule:
		return v.masked()
	}
	if shown == "" {
		return nil
	}
	return shown
}

func (s scalar[T]) unset() bool { return reflect.ValueOf(*s.to).IsZero() }

func (o optional) effective() any {
	if s, ok := o.form.(interface{ unset() bool }); ok && s.unset() {
		return nil
	}
	return effectiveOf(o.form)
}

func (l list[T]) effective() any {
	items := make([]any, len(*l.to))
	for i := range *l.to {
		items[i] = effectiveOf(l.form(&(*l.to)[i]))
	}
	return items
}

func (m named[T]) effective() any {
	o := object{}
	for i := range *m.to {
		t := &(*m.to)[i]
		o = append(o, member{any(t).(interface{ called() string }).called(), effectiveOf(m.form(t))})
	}
	return o
}

func (c *Cluster) called() string { return c.Name }

func (s switched[T]) effective() any {
	if *s.to == nil {
		return false
	}
	return effectiveOf(s.form(*s.to))
}

func (p present[T]) effective() any {
	if *p.to == nil {
		return nil
	}
	return effectiveOf(p.form(*p.to))
}

func (i inline) effective() any {
	if *i.to == nil {
		return nil
	}
	return effectiveOf((*i.to).form())
}

func (b beaconDefaults) effective() any { return mapping{keys: b.to.keys()}.effective() }

func (l logFile) effective() any { return l.log.Path }

// effective gives the one key that is set.
func (a affinity) effective() any {
	t := *a.to
	if t == nil {
		return nil
	}
	set := "ip"
	switch {
	case t.Cookie != nil:
		set = "cookie"
	case t.Header != "":
		set = "header"
	case t.Hash.Kind != NoVariable:
		set = "hash"
	}
	f, _ := t.keys().find(set)
	return object{{set, effectiveOf(f.form)}}
}

func (b byIP) effective() any { return object{} }

// masked returns the rule with the mask for a value that may be a credential.
func (r HeaderRule) masked() string {
	if r.Op != HeaderRemove && tellsOfSecret(r.Name) {
		r.Value.Text = mask
	}
	return r.String()
}

// tellsOfSecret reports whether a field of that name is likely to carry a credential.
func tellsOfSecret(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "authorization", "proxy-authorization", "cookie":
		return true
	}
	for _, word := range []string{"key", "token", "secret"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
