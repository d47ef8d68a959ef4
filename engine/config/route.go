package config

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Route sends the requests it matches to a cluster, or answers them itself.
type Route struct {
	// Name is what metrics and logs call it: the first host, if any, and the prefix.
	Name string
	// Hosts are lower-case names, IP literals (v6 in brackets) and wildcards like
	// *.a.example; empty matches any host.
	Hosts []string
	// Listeners are names of listeners; empty stands for all.
	Listeners []string
	// Prefix starts with a slash and is in normal form.
	Prefix string
	// StripPrefix removes Prefix from the path that is forwarded.
	StripPrefix bool
	// RewriteHost sends the upstream's own authority as Host instead of the client's.
	RewriteHost bool
	// Local is the answer of a route without cluster, else nil.
	Local *Local
	// Cluster is the name of a cluster in Config.Clusters; empty with Local.
	Cluster string

	inline *Cluster // written under proxy; moved to Config.Clusters
	path   string
}

func (r *Route) form() form {
	return mapping{path: &r.path, also: exactlyOne("proxy", "cluster", "local"), keys: keys{
		{name: "host", form: hosts{oneOrMore[string]{list[string]{&r.Hosts, nothing[string], hostPattern}}},
			doc: "A name, `*.a.example` for any name below it, an IP address (v6 in brackets), or a list of these. Case, a port and a final dot in the request do not matter. Empty: any host"},
		{name: "listeners", form: list[string]{&r.Listeners, nothing[string], anyText},
			doc: "Names of the listeners the route serves. Empty: all"},
		{name: "prefix", form: textThat(&r.Prefix, "a path", checkPrefix).like(`^/[^?#;\\]*$`),
			doc: "Begins with a slash. Matched on whole segments: `/a` matches `/a` and `/a/x`, not `/ab`; `/a/` does not match `/a`. It must be in normal form; an error shows that form"},
		{name: "strip_prefix", form: boolean(&r.StripPrefix),
			doc: "Forward the path without the prefix, and tell it in `X-Forwarded-Prefix`"},
		{name: "rewrite_host", form: boolean(&r.RewriteHost),
			doc: "Send the upstream's own authority as `Host` instead of the client's"},
		{name: "local", form: present[Local]{&r.Local, defaultLocal, (*Local).form},
			doc: "An answer without an upstream"},
		{name: "cluster", form: text(&r.Cluster),
			doc: "The name of a cluster"},
		{name: "proxy", form: inline{&r.inline},
			doc: "An inline cluster: a URL, a list of URLs, or a mapping with the keys of `clusters.*`. It is called like its route (and `~2` is appended where two routes on different listeners have one name)"},
	}}
}

func anyText(s *string) form { return text(s) }

// name is what a route is called: by its first host, if any, and its prefix.
func (r *Route) name() string {
	if len(r.Hosts) == 0 {
		return r.Prefix
	}
	return r.Hosts[0] + r.Prefix
}

// Local is an answer given without an upstream.
type Local struct {
	Status int // 200 to 599
	Body   string
}

func (l *Local) form() form {
	return mapping{keys: keys{
		{name: "status", form: integer(&l.Status, 200, 599),
			doc: "200 to 599"},
		{name: "body", form: text(&l.Body),
			doc: "Sent as `text/plain`. Not with 204, 205 and 304, which have none"},
	}}
}

// hasNoBody reports whether answers with the status never carry one: RFC 9110, 15.3.5,
// 15.3.6 and 15.4.5.
func (l *Local) hasNoBody() bool { return l.Status == 204 || l.Status == 205 || l.Status == 304 }

// hosts takes a pattern or a list of them; empty text is any host.
type hosts struct{ oneOrMore[string] }

func (h hosts) shape() shape {
	s := h.oneOrMore.shape()
	s.value = `""`
	return s
}

func (h hosts) read(d *decoder, v value) {
	if v.n.Kind == yaml.ScalarNode && !isNull(v.n) && v.n.Value == "" {
		*h.to = nil
		return
	}
	h.oneOrMore.read(d, v)
}

// hostPattern takes a name, *.name or an IP address, and stores it as hosts are compared.
func hostPattern(to *string) form {
	s := text(to)
	s.kind = "a host"
	s.parse = parseHostPattern
	return s.like(`^((\*\.)?` + patternHost + "|" + patternV6 + ")$")
}

func parseHostPattern(s string) (string, error) {
	if strings.HasPrefix(s, "[") {
		host, _, hasPort, err := splitPort(s)
		if hasPort {
			err = fmt.Errorf("%s has a port; routes are chosen without it", shown(s))
		}
		return bracketed(strings.ToLower(host)), err
	}
	if strings.Contains(s, ":") {
		return "", fmt.Errorf("%s has a colon; a host has no port, and an IPv6 address is in brackets", shown(s))
	}
	name := strings.TrimSuffix(strings.ToLower(s), ".")
	labels, wild := strings.CutPrefix(name, "*.")
	if strings.Contains(labels, "*") {
		return "", fmt.Errorf("%s: a * stands only for the first labels, as in *.a.example; leave host out for any", shown(s))
	}
	if strings.HasSuffix(labels, ".") {
		return "", fmt.Errorf("%s ends in more than one dot", shown(s))
	}
	if wild && strings.Trim(labels, "0123456789.") == "" {
		return "", fmt.Errorf("%s: a wildcard stands before a name", shown(s))
	}
	return name, checkHostName(labels)
}
