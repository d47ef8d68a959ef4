package engine

import (
	"strings"

	"millrace/engine/config"
)

// found are the endpoints of one, a member of c, as its defaults want them. reloading is held.
func (m *members) found(one *member, c *config.Cluster) []foundEndpoint {
	if one.defaults != &c.BeaconDefaults {
		u := one.upstreamOf(c)
		one.defaults, one.source = &c.BeaconDefaults, source{upstream: u, name: m.watch(one, u)}
	}
	all := one.source.found()
	for i := range all {
		all[i].member = one
		if one.secure() {
			all[i].options.Weight = 0
		}
	}
	return all
}

// watch has the name of a member followed as u wants it, instead of as before.
func (m *members) watch(one *member, u *config.Upstream) *nameWatch {
	next := m.names.watch(one.owner.name, u)
	m.mu.Lock()
	defer m.mu.Unlock()
	if one.gone {
		next.release()
		return one.name
	}
	one.name.release()
	one.name = next
	return next
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
