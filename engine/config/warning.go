package config

import (
	"fmt"
	"slices"
	"strings"
)

// Warnings returns what is valid but dangerous, or has no effect.
func Warnings(c *Config) []Fault {
	w := &warner{src: c.src}
	w.trust(c)
	used := map[string]bool{}
	for i := range c.Routes {
		used[c.Routes[i].Cluster] = true
	}
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if !used[cl.Name] {
			w.warn(cl.path, "no route leads to this cluster")
		}
		w.cluster(cl)
	}
	sortFaults(w.faults)
	return w.faults
}

type warner struct {
	src    *source
	faults []Fault
}

func (w *warner) warn(path, format string, args ...any) {
	w.faults = append(w.faults, w.src.fault(path, fmt.Sprintf(format, args...)))
}

// trust warns where too many are believed, or nobody is.
func (w *warner) trust(c *Config) {
	for i, p := range c.TrustedProxies {
		if p.Bits() == 0 {
			w.warn(index("trusted_proxies", i), "%s trusts everybody: any client can choose the address it appears under", p)
		}
	}
	if len(c.TrustedProxies) > 0 {
		return
	}
	if c.ClientIPFromHeader != FromConnection {
		w.warn("client_ip_from_header", "has no effect while trusted_proxies is empty")
	}
	for i := range c.Listeners {
		if l := &c.Listeners[i]; l.ProxyProtocol {
			w.warn(join(l.path, "proxy_protocol"), "every connection is closed while trusted_proxies is empty")
		}
	}
}

func (w *warner) cluster(c *Cluster) {
	if a := c.Affinity; a != nil && a.Cookie != nil && a.Cookie.SameSite == SameSiteNone && !a.Cookie.Secure {
		w.warn(join(a.Cookie.path, "samesite"), "browsers drop a cookie with samesite none that is not secure")
	}
	if c.HTTP2 && len(c.Upstreams) > 0 && !slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Secure() }) {
		w.warn(join(c.path, "http2"), "has no effect: HTTP/2 is negotiated by TLS and no upstream is https; for HTTP/2 on cleartext write http2_only: true")
	}
	first := map[string]string{}
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		w.upstream(u)
		identity := u.URL.Text + u.SRV + "|" + u.Unix
		if first[identity] != "" {
			w.warn(u.path, "the same as %s; use weight to give one upstream more", first[identity])
			continue
		}
		first[identity] = u.path
	}
}

func (w *warner) upstream(u *Upstream) {
	if t := u.URL.Template; t != nil {
		if chosen := chosenByClient(*t); chosen != "" {
			w.warn(u.path, "SSRF: %s lets a client choose where requests are sent, inside your network too", chosen)
		}
	}
	if tls := u.Cert + u.CA + u.ServerName; tls != "" && !u.Secure() {
		w.warn(u.path, "cert, key, ca and server_name have no effect without TLS; the upstream is not https")
	}
	if u.LogicalDNS && (len(u.DNSServers) > 0 || u.SRV != "") {
		w.warn(join(u.path, "logical_dns"), "logical_dns leaves the choice to the system; it does not go with dns_servers and srv")
	}
}

// chosenByClient names the variables of t that a client sets as it likes.
func chosenByClient(t Template) string {
	var names []string
	for _, p := range t.Parts {
		switch p.Variable.Kind {
		case RequestHeader, RequestHost, RequestURI, RequestURIPath, RequestURIQuery:
			names = append(names, p.Variable.String())
		}
	}
	return strings.Join(names, ", ")
}
