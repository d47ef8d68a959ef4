package engine

import (
	"strings"

	"millrace/engine/config"
	"millrace/netpoll"
)

// found are the endpoints of a member of c, as its defaults want them. reloading is held.
func (m *member) found(c *config.Cluster) []foundEndpoint {
	if m.defaults != &c.BeaconDefaults {
		m.defaults, m.upstream, m.fixed = &c.BeaconDefaults, m.upstreamOf(c), nil
	}
	if m.fixed != nil {
		return m.fixed
	}
	var all []foundEndpoint
	for _, ip := range m.name.addresses() {
		f := found(m.upstream, netpoll.Addr{IP: addrPortOf(ip, m.origin.Port)})
		f.member = m
		if m.secure() {
			f.options.Weight = 0
		}
		all = append(all, f)
	}
	if m.name.watch == nil {
		m.fixed = all
	}
	return all
}

// upstreamOf is what m would be as a line of the configuration.
func (m *member) upstreamOf(c *config.Cluster) *config.Upstream {
	_, authority, _ := strings.Cut(m.origin.URL, "://")
	u := &config.Upstream{
		URL: config.URL{
			Text: m.origin.URL, Scheme: config.Scheme(m.origin.Scheme), Host: m.origin.Host,
			Port: m.origin.Port, Authority: authority,
		},
		UpstreamSettings: c.BeaconDefaults,
	}
	if m.secure() {
		u.ActiveCheck = nil // a probe in the clear would find it down
	}
	return u
}

// secure reports whether m is spoken to over TLS alone. Such a member is known but gets
// nothing: in the clear it must not be spoken to.
func (m *member) secure() bool { return m.origin.Scheme == string(config.HTTPS) }
