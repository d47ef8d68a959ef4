package config

import (
	"slices"
	"strings"
)

// Who is believed, and who can choose what.

// clientChosenURL finds upstream URLs with variables that a client sets as it likes.
func clientChosenURL(x *examination, c *Cluster, u *Upstream) {
	if t := u.URL.Template; t != nil {
		if chosen := chosenByClient(*t, hostsAreListed(x.routes[c.Name])); chosen != "" {
			x.find(u.path, "SSRF: %s lets a client choose where requests are sent, inside your network too", chosen)
		}
	}
}

// chosenByClient names the variables of t that a client sets as it likes. Where hosts are
// listed it cannot choose the host, and not the port either if one is written behind it.
func chosenByClient(t Template, listed bool) string {
	var names []string
	for i, p := range t.Parts {
		switch p.Variable.Kind {
		case RequestHost:
			if listed && i+1 < len(t.Parts) && strings.HasPrefix(t.Parts[i+1].Literal, ":") {
				continue
			}
		case RequestMethod, RequestHeader, RequestURI, RequestURIPath, RequestURIQuery, RemotePort:
		default:
			continue
		}
		names = append(names, p.Variable.String())
	}
	return strings.Join(names, ", ")
}

// hostsAreListed reports whether the routes match whole names only.
func hostsAreListed(routes []*Route) bool {
	open := func(r *Route) bool {
		return len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(h string) bool { return strings.HasPrefix(h, "*") })
	}
	return len(routes) > 0 && !slices.ContainsFunc(routes, open)
}

func trustEverybody(x *examination) {
	for i, p := range x.TrustedProxies {
		if p.Bits() == 0 {
			x.find(index("trusted_proxies", i), "%s trusts everybody: any client can choose the address it appears under", p)
		}
	}
}

func proxyProtocolClosed(x *examination) {
	if len(x.TrustedProxies) > 0 {
		return
	}
	for i := range x.Listeners {
		if l := &x.Listeners[i]; l.ProxyProtocol {
			x.find(join(l.path, "proxy_protocol"), "every connection is closed while trusted_proxies is empty")
		}
	}
}

func clientIPIgnored(x *examination) {
	if x.ClientIPFromHeader != FromConnection && len(x.TrustedProxies) == 0 {
		x.find("client_ip_from_header", "has no effect while trusted_proxies is empty")
	}
}

// hidesClients reports whether a proxy in front stands for its clients: nothing says who
// they are.
func (x *examination) hidesClients() bool {
	plain := func(l Listener) bool { return !l.ProxyProtocol && l.Address.Unix == "" }
	return len(x.TrustedProxies) > 0 && x.ClientIPFromHeader == FromConnection && slices.ContainsFunc(x.Listeners, plain)
}

func clientIPUnset(x *examination) {
	if x.hidesClients() {
		x.find("client_ip_from_header", "unset: remote.ip, X-Real-IP and the logs show the address of the proxy in front")
	}
}

func affinityByProxy(x *examination, c *Cluster) {
	if a := c.Affinity; a != nil && (a.IP || a.Hash.Kind == RemoteIP) && x.hidesClients() {
		x.find(a.path, "client_ip_from_header is unset: all clients of the proxy in front have its address, and go to one endpoint")
	}
}

// forwardedCopied finds rules that pass on what a client says of itself, in fields that
// upstreams believe.
func forwardedCopied(x *examination, c *Cluster) {
	believed := []string{"forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto", "x-real-ip"}
	for i, r := range c.RequestHeader {
		copied := r.Value.Uses(func(v Variable) bool { return v.Kind == RequestHeader })
		if copied && slices.Contains(believed, strings.ToLower(r.Name)) {
			x.find(index(join(c.path, "request_header"), i), "%s gets what the client says, and upstreams take it for the truth", r.Name)
		}
	}
}

func noVerification(x *examination, c *Cluster) {
	if !c.NoVerification {
		return
	}
	secure := x.filled[c.Name] || slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Secure() })
	message := "any certificate is accepted: whoever is on the way to an upstream can read and change what is sent"
	if !secure {
		message = "has no effect on cleartext, but any certificate will be accepted once an upstream is https"
	}
	x.find(join(c.path, "no_verification"), "%s", message)
}

func checkNoVerification(x *examination, a *ActiveCheck) {
	if a.NoVerification {
		x.find(join(a.path, "no_verification"), "probes accept any certificate: what nobody should talk to counts as healthy")
	}
}

func traceTrusted(x *examination) {
	if x.Trace.TrustRequest && x.Trace.OTLPEndpoint != "" {
		x.find("trace.trust_request", "any client can have its requests sampled, and spans made at your cost")
	}
}

func clientCertificateVisible(x *examination) {
	for i := range x.Listeners {
		if l := &x.Listeners[i]; l.TLS != nil && l.TLS.ClientCA != "" && l.TLS.MinVersion == TLS12 {
			x.find(join(join(l.path, "tls"), "min_version"), "TLS 1.2 sends the certificates of clients readable for those on the way")
		}
	}
}
