package admin

import (
	"net/http"
	"net/netip"
	"strings"
)

// isOwnHost reports whether a Host is one that no other site can have: an IP
// literal, localhost, or own, the host of the configuration.
func isOwnHost(host, own string) bool {
	if inside, ok := strings.CutPrefix(host, "["); ok {
		literal, port, closed := strings.Cut(inside, "]")
		a, err := netip.ParseAddr(literal)
		return closed && err == nil && a.Is6() && (port == "" || port[0] == ':' && isDigits(port[1:]))
	}
	name, port, _ := strings.Cut(host, ":")
	if name == "" || !isDigits(port) {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || strings.EqualFold(name, own)
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// isCrossSite reports whether a browser says that a page of another origin made
// the request.
func isCrossSite(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !isOriginOf(origin, r.Host) {
			return true
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return true
		}
	}
	return false
}

// isOriginOf reports whether an origin has the authority of a Host. Their
// schemes may differ: whoever adds TLS in front of us leaves the Host alone.
func isOriginOf(origin, host string) bool {
	scheme, authority, ok := strings.Cut(origin, "://")
	if !ok || authority == "" {
		return false
	}
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	return strings.EqualFold(strings.TrimSuffix(authority, port), strings.TrimSuffix(host, port))
}
