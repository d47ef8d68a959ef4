package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Affinity ties requests that share a key to one endpoint. Exactly one field is set.
type Affinity struct {
	Cookie *CookieAffinity
	// Header is the name of a request field.
	Header string
	// Hash is the variable that is the key; NoVariable if another field is set.
	Hash Variable
	// IP uses the address of the client.
	IP bool

	path string
}

// affinity takes ip, or a mapping with exactly one key.
type affinity struct{ to **Affinity }

func (a affinity) shape() shape {
	return shape{kind: "ip, or a mapping with one key", keys: defaultAffinity().keys()}
}

func (a affinity) read(d *decoder, v value) {
	t := defaultAffinity()
	*a.to = t
	t.path = v.path
	switch {
	case v.n.Kind == yaml.ScalarNode && v.n.Value == "ip":
		t.IP = true
	case v.n.Kind != yaml.MappingNode:
		d.fault(v.path, "affinity is ip, or a mapping with one of cookie, header, hash, ip")
	default:
		mapping{keys: t.keys()}.read(d, v)
		if len(v.n.Content) != 2 {
			d.fault(v.path, "affinity has exactly one of cookie, header, hash, ip")
		}
	}
}

func (a *Affinity) keys() keys {
	return keys{
		{name: "cookie", form: present[CookieAffinity]{&a.Cookie, defaultCookieAffinity, (*CookieAffinity).form},
			doc: "A cookie set by the proxy remembers the endpoint"},
		{name: "header", doc: "The value of a request header is the key", form: mapping{keys: keys{
			{name: "name", form: textThat(&a.Header, "the name of a header", checkToken).like("^" + patternToken + "$"), required: true,
				doc: "A request without this header is an ordinary one"},
		}}},
		{name: "hash", doc: "The value of a variable is the key", form: mapping{keys: keys{
			{name: "variable", form: variable(&a.Hash), required: true,
				doc: "Without braces: `request.header.x-tenant-id`"},
		}}},
		{name: "ip", form: byIP{&a.IP},
			doc: "The client's address is the key"},
	}
}

// byIP takes a mapping that has no keys yet, or nothing.
type byIP struct{ on *bool }

func (b byIP) shape() shape { return shape{kind: "mapping without keys"} }

func (b byIP) read(d *decoder, v value) {
	*b.on = true
	if v.n.Kind == yaml.MappingNode && len(v.n.Content) == 0 || isNull(v.n) {
		return
	}
	d.fault(v.path, "affinity by ip has no settings; write ip: {}")
}

// variable takes the name of a variable, without braces.
func variable(to *Variable) scalar[Variable] {
	s := scalar[Variable]{to: to, kind: "a variable", show: Variable.String, parse: func(s string) (Variable, error) {
		if strings.Contains(s, "{{") {
			return Variable{}, errors.New("a variable is written without braces here")
		}
		return ParseVariable(s)
	}}
	s.takes = func() []object {
		return []object{word(plainVariables()), matching(`^request\.header\.` + patternToken + "$")}
	}
	return s
}

func checkToken(s string) error {
	if !isToken(s) {
		return fmt.Errorf("%s is not a name; letters, digits and !#$%%&'*+-.^_`|~ only", shown(s))
	}
	return nil
}

// CookieAffinity is a cookie set by the proxy that remembers an endpoint.
type CookieAffinity struct {
	Name string
	// SecretFile holds 32 bytes or more with which tokens are authenticated;
	// empty makes a random secret for the process.
	SecretFile string
	// TTL is the cookie's lifetime; 0 is the browser's session.
	TTL      time.Duration
	Path     string
	Domain   string // empty sets no Domain attribute
	Secure   bool
	HTTPOnly bool
	SameSite SameSite

	path string
}

func (c *CookieAffinity) form() form {
	return section{mapping{path: &c.path, keys: keys{
		{name: "name", form: textThat(&c.Name, "the name of a cookie", checkToken).like("^" + patternToken + "$"),
			doc: "What the cookie is called"},
		{name: "secret_file", form: optional{file(&c.SecretFile)},
			doc: "32 bytes or more that make cookies valid at every proxy with the same file, and after a restart. Absent: a random secret of the process"},
		{name: "ttl", form: optional{duration(&c.TTL, time.Second)},
			doc: "Lifetime, at least 1s. Absent: until the browser closes"},
		{name: "path", form: textThat(&c.Path, "a path", checkCookiePath).like(`^/[^ #;]*$`),
			doc: "The attribute Path"},
		{name: "domain", form: optional{serverName(&c.Domain)},
			doc: "The attribute Domain. Absent: the host of the request alone"},
		{name: "secure", form: boolean(&c.Secure),
			doc: "Only over https"},
		{name: "httponly", form: boolean(&c.HTTPOnly),
			doc: "Not for scripts"},
		{name: "samesite", form: oneOf(&c.SameSite, SameSiteStrict, SameSiteLax, SameSiteNone),
			doc: "Browsers take `none` only with `secure`"},
	}}}
}

func checkCookiePath(s string) error {
	if strings.Contains(s, ";") {
		return fmt.Errorf("%s holds a semicolon, which ends a cookie's attribute", shown(s))
	}
	return checkTarget(s)
}

// SameSite is the attribute of that name.
type SameSite string

// The values of SameSite.
const (
	SameSiteStrict SameSite = "strict"
	SameSiteLax    SameSite = "lax"
	SameSiteNone   SameSite = "none"
)
