package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Scheme is that of an upstream URL.
type Scheme string

// The schemes.
const (
	HTTP  Scheme = "http"
	HTTPS Scheme = "https"
)

// A URL is the origin of an upstream in canonical form: lower case, no default port.
type URL struct {
	// Text is the canonical origin, scheme://authority; as written if Template is set.
	Text   string
	Scheme Scheme
	// Host is a name or an IP literal without brackets; empty if Template is set.
	Host string
	// Port is that of the scheme unless written; 0 if Template is set.
	Port uint16
	// Authority is what Host carries: the port only if it is not the scheme's, IPv6 in
	// brackets. Empty if Template is set.
	Authority string
	// Template, if not nil, makes host[:port] for each request.
	Template *Template
}

// String returns Text.
func (u URL) String() string { return u.Text }

// upstreamURL takes an origin, which may have variables behind the scheme.
func upstreamURL(to *URL) scalar[URL] {
	return scalar[URL]{to: to, kind: "a URL", parse: parseURL, show: URL.String}.like(patternURL)
}

// origin takes an origin without variables and stores its canonical text.
func origin(to *string) scalar[string] {
	s := text(to)
	s.kind = "a URL"
	s.parse = func(text string) (string, error) {
		u, err := parseOrigin(strings.TrimSuffix(text, "/"))
		return u.Text, err
	}
	return s.like(patternOrigin + "/?$")
}

func parseURL(s string) (URL, error) {
	if !strings.Contains(s, "{{") {
		return parseOrigin(s)
	}
	scheme, rest, err := splitScheme(s)
	if err != nil {
		return URL{}, err
	}
	t, err := ParseTemplate(rest)
	if err != nil {
		return URL{}, err
	}
	for _, p := range t.Parts {
		if err := checkAuthority(p.Literal); err != nil {
			return URL{}, err
		}
		if !isAuthorityText(p.Literal) {
			return URL{}, fmt.Errorf("%s holds a character that no host and port have", shown(p.Literal))
		}
	}
	return URL{Text: s, Scheme: scheme, Template: &t}, nil
}

func parseOrigin(s string) (URL, error) {
	scheme, rest, err := splitScheme(s)
	if err != nil {
		return URL{}, err
	}
	if err := checkAuthority(rest); err != nil {
		return URL{}, err
	}
	host, port, hasPort, err := splitPort(rest)
	if err != nil {
		return URL{}, err
	}
	if !strings.Contains(host, ":") {
		err = checkHostName(host)
	}
	if err != nil {
		return URL{}, err
	}
	number := scheme.port()
	if hasPort {
		if number, err = parsePort(port); err != nil {
			return URL{}, err
		}
	}
	return Origin(scheme, strings.ToLower(host), number), nil
}

// Origin is the URL of a host: a name in lower case, or an IP literal without brackets.
func Origin(scheme Scheme, host string, port uint16) URL {
	u := URL{Scheme: scheme, Host: host, Port: port, Authority: bracketed(host)}
	if port != scheme.port() {
		u.Authority += ":" + strconv.Itoa(int(port))
	}
	u.Text = string(scheme) + "://" + u.Authority
	return u
}

func (s Scheme) port() uint16 {
	if s == HTTPS {
		return 443
	}
	return 80
}

func splitScheme(s string) (Scheme, string, error) {
	name, rest, ok := strings.Cut(s, "://")
	scheme := Scheme(strings.ToLower(name))
	switch {
	case !ok:
		return "", "", errors.New("no scheme; write http://host:port or https://host:port")
	case scheme != HTTP && scheme != HTTPS:
		return "", "", fmt.Errorf("the scheme %s is not spoken; http or https", shown(name))
	}
	return scheme, rest, nil
}

// isAuthorityText reports whether s could be a part of host:port.
func isAuthorityText(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("-._:[]", s[i]) < 0 {
			return false
		}
	}
	return true
}

// checkAuthority returns an error if more than host and port stands behind a scheme.
// Userinfo is a secret: nothing of the text is quoted.
func checkAuthority(s string) error {
	switch i := strings.IndexAny(s, "@/?#"); {
	case i < 0:
		return nil
	case strings.Contains(s, "@"):
		return errors.New("userinfo (user:password@) is not allowed in this URL; set a header instead")
	case s[i] == '/' && i == len(s)-1:
		return errors.New("a path is not allowed in this URL; remove the final /")
	case s[i] == '/':
		return errors.New("a path is not allowed in this URL; write scheme://host:port")
	case s[i] == '?':
		return errors.New("a query is not allowed in this URL; write scheme://host:port")
	}
	return errors.New("a fragment is not allowed in this URL; write scheme://host:port")
}
