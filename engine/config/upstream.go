package config

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// An Upstream is one line of a cluster. Exactly one of URL and SRV is set.
// It resolves to endpoints.
type Upstream struct {
	// URL is the origin; its zero value with SRV.
	URL URL
	// SRV is a DNS service name, such as _http._tcp.app.example.
	SRV string
	// Unix is the absolute path of a socket to connect to; URL still gives scheme and Host.
	Unix string
	UpstreamSettings

	path string
}

func (u *Upstream) form() form {
	k := keys{
		{name: "url", form: upstreamURL(&u.URL),
			doc: "`http://` or `https://`, a host, and a port unless it is 80 or 443. No path, query or userinfo. Behind the scheme it may have variables: then it is one endpoint, made anew for each request, and a client that can choose it can reach your network (SSRF) – `check` warns"},
		{name: "srv", form: textThat(&u.SRV, "a DNS service name", checkSRV).like(`^_[A-Za-z0-9_-]+\._[A-Za-z0-9_-]+\.` + patternHost + `$`),
			doc: "`_http._tcp.app.example`: targets, ports, weights and priorities come from DNS. A name that begins with `_https.` is spoken to over TLS. Not with `unix`"},
		{name: "unix", form: optional{textThat(&u.Unix, "a path", checkSocketPath).like("^/")},
			doc: "Connect to this socket (absolute path). The URL still gives scheme and `Host`"},
	}
	return shorthand{name: "url", mapping: mapping{path: &u.path, keys: append(k, u.keys()...), also: append(exactlyOne("url", "srv"), certWithKey()...)}}
}

// Secure reports whether the upstream is spoken to over TLS: an https URL, or an
// SRV name whose service is _https.
func (u *Upstream) Secure() bool {
	return u.URL.Scheme == HTTPS || strings.HasPrefix(strings.ToLower(u.SRV), "_https.")
}

// UpstreamSettings are what an upstream and a beacon member have in common.
type UpstreamSettings struct {
	// Weight is 1 to 1000000. It multiplies the weight of an SRV record.
	Weight int
	// Priority is the tier; the lowest is tried first. It is added to that of an SRV record.
	Priority int
	// Limit is the most concurrent connections to each endpoint; 0 is no limit.
	Limit int
	// IdleTimeout is how long an unused connection is kept.
	IdleTimeout time.Duration
	// ConnectionTimeout is the most time for a connection to be made; 0 is no limit
	// (written as false).
	ConnectionTimeout time.Duration
	// Cert and Key are PEM files of a client certificate: both or none.
	Cert, Key string
	// CA is a PEM file of roots that replace those of the system.
	CA string
	// ServerName is sent as SNI and verified; empty stands for the host of the URL.
	ServerName string
	// LogicalDNS makes one endpoint of a name and leaves its addresses to the system.
	LogicalDNS bool
	// DNSServers replace those of the system; port 53 unless written.
	DNSServers []netip.AddrPort
	// ActiveCheck is nil if endpoints are not probed.
	ActiveCheck *ActiveCheck
}

// MaxWeight is the largest weight of an upstream, in the file or by the admin listener.
const MaxWeight = 1_000_000

func (s *UpstreamSettings) keys() keys {
	const (
		maxPriority = 65535 // of an SRV record
		maxLimit    = 1_000_000
	)
	return keys{
		{name: "weight", form: integer(&s.Weight, 1, MaxWeight),
			doc: "Share of the load, 1 to 1000000. Multiplies the weights of SRV records"},
		{name: "priority", form: integer(&s.Priority, 0, maxPriority),
			doc: "Tier, 0 to 65535. Only the lowest tier with an endpoint that works is used. Added to the priorities of SRV records"},
		{name: "limit", form: integer(&s.Limit, 0, maxLimit),
			doc: "The most connections to each endpoint. 0 is no limit"},
		{name: "idle_timeout", form: duration(&s.IdleTimeout, positive),
			doc: "How long an unused connection is kept"},
		{name: "connection_timeout", form: durationOrFalse(&s.ConnectionTimeout),
			doc: "How long a connection may take to be made. `false` is no limit"},
		{name: "cert", form: optional{file(&s.Cert)},
			doc: "PEM client certificate for https upstreams; needs `key`"},
		{name: "key", form: optional{file(&s.Key)},
			doc: "Its private key; needs `cert`"},
		{name: "ca", form: optional{file(&s.CA)},
			doc: "PEM roots for this upstream, instead of the system's"},
		{name: "server_name", form: optional{serverName(&s.ServerName)},
			doc: "The name sent as SNI and verified. Empty or absent: the host of the URL"},
		{name: "logical_dns", form: boolean(&s.LogicalDNS),
			doc: "Treat a name as one endpoint and let the system choose its address. Otherwise each address is an endpoint"},
		{name: "dns_servers", form: resolvers(&s.DNSServers),
			doc: "DNS servers to ask, with a port unless it is 53. Empty: those of the system"},
		{name: "active_check", form: switched[ActiveCheck]{&s.ActiveCheck, defaultActiveCheck, (*ActiveCheck).form},
			doc: "Probe endpoints. Not with a URL made of variables"},
	}
}

// serverName takes a host name, or nothing for that of the URL.
func serverName(to *string) scalar[string] {
	return textThat(to, "a host name", func(s string) error {
		if s == "" {
			return nil
		}
		return checkHostName(s)
	}).like("^(" + patternHost + ")?$")
}

// checkSRV returns an error unless s looks like _service._proto.name: RFC 2782.
func checkSRV(s string) error {
	labels := strings.SplitN(s, ".", 3)
	if len(labels) < 3 || !strings.HasPrefix(labels[0], "_") || !strings.HasPrefix(labels[1], "_") {
		return fmt.Errorf("%s is not a DNS service name; write it like _http._tcp.app.example", shown(s))
	}
	return checkHostName(s)
}

// beaconDefaults takes the settings of an upstream.
type beaconDefaults struct{ to *UpstreamSettings }

func (b beaconDefaults) shape() shape { return shape{kind: "mapping of upstream keys", value: "{}"} }

func (b beaconDefaults) read(d *decoder, v value) {
	section{b.settings()}.read(d, v)
}

func (b beaconDefaults) settings() mapping {
	return mapping{keys: b.to.keys(), also: certWithKey()}
}

// certWithKey says that a certificate comes with its key.
func certWithKey() object {
	return object{{"dependentRequired", object{needs("cert", "key"), needs("key", "cert")}}}
}
