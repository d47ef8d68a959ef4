package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// A Listener is an address on which clients are served.
type Listener struct {
	// Name is how routes call it; the address as written unless given.
	Name    string
	Address Address
	// HTTP2 admits HTTP/2: by prior knowledge on cleartext, by ALPN with TLS.
	HTTP2 bool
	// ProxyProtocol requires a PROXY header, v1 or v2, from a trusted proxy;
	// connections of others are closed.
	ProxyProtocol bool
	// TLS is nil on a cleartext listener.
	TLS *ListenerTLS

	path string
}

func (l *Listener) form() form {
	return shorthand{name: "address", mapping: mapping{path: &l.path, keys: keys{
		{name: "address", form: listenAddress(&l.Address), required: true,
			doc: "`host:port`, `[v6]:port`, `:port` for every address of the machine, or `unix:/path`"},
		{name: "name", form: optional{textThat(&l.Name, "text", checkListenerName)},
			doc: "What routes and metrics call it. Empty or absent: the address as written"},
		{name: "http2", form: boolean(&l.HTTP2),
			doc: "Whether clients may speak HTTP/2: by prior knowledge on cleartext, by ALPN with TLS"},
		{name: "proxy_protocol", form: boolean(&l.ProxyProtocol),
			doc: "Require a PROXY header, v1 or v2. Only `trusted_proxies` may send one; other connections are closed"},
		{name: "tls", form: present[ListenerTLS]{&l.TLS, defaultListenerTLS, (*ListenerTLS).form},
			doc: "TLS settings. Absent: cleartext"},
	}}}
}

func checkListenerName(s string) error {
	const most = 128 // it is a label value of metrics
	if len(s) > most {
		return fmt.Errorf("longer than %d bytes", most)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		return errors.New("holds a character that cannot be shown")
	}
	return nil
}

// ListenerTLS is how a listener speaks TLS.
type ListenerTLS struct {
	// Certificates has at least one element. The name the client asks for chooses;
	// the first is the default.
	Certificates []Certificate
	MinVersion   TLSVersion
	// ClientCA is a PEM file of roots for client certificates; empty asks for none.
	ClientCA string
	// ClientAuth has a meaning only with ClientCA.
	ClientAuth ClientAuth
}

func (t *ListenerTLS) form() form {
	return mapping{also: object{{"dependentRequired", object{needs("client_auth", "client_ca")}}}, keys: keys{
		{name: "certificates", form: list[Certificate]{&t.Certificates, nothing[Certificate], (*Certificate).form}, required: true,
			doc: "At least one. The name that the client asks for (SNI) chooses; the first is the default"},
		{name: "min_version", form: oneOf(&t.MinVersion, TLS12, TLS13),
			doc: "The lowest version that is spoken"},
		{name: "client_ca", form: optional{file(&t.ClientCA)},
			doc: "PEM roots of client certificates. Set: clients must show one"},
		{name: "client_auth", form: oneOf(&t.ClientAuth, RequireCertificate, OptionalCertificate),
			doc: "`optional` admits clients without a certificate; one that is shown must be valid. Needs `client_ca`"},
	}}
}

// A Certificate is a pair of PEM files.
type Certificate struct {
	Cert string // chain, leaf first
	Key  string

	path string
}

func (c *Certificate) form() form {
	return mapping{path: &c.path, keys: keys{
		{name: "cert", form: file(&c.Cert), required: true,
			doc: "PEM chain, leaf first"},
		{name: "key", form: file(&c.Key), required: true,
			doc: "PEM private key of the leaf"},
	}}
}

// A TLSVersion is the lowest version that is spoken.
type TLSVersion string

// The TLS versions.
const (
	TLS12 TLSVersion = "1.2"
	TLS13 TLSVersion = "1.3"
)

// ClientAuth says whether a client must show a certificate.
type ClientAuth string

// A certificate that is shown must be valid in either case.
const (
	RequireCertificate  ClientAuth = "require"
	OptionalCertificate ClientAuth = "optional"
)
