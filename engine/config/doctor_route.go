package config

import (
	"slices"
	"strings"
)

// What leads nowhere, or back to where it came from.

func clusterUnused(x *examination, c *Cluster) {
	if len(x.routes[c.Name]) == 0 {
		x.find(c.path, "no route leads to this cluster")
	}
}

func listenerUnused(x *examination) {
	for i := range x.Listeners {
		l := &x.Listeners[i]
		if !slices.ContainsFunc(x.Routes, func(r Route) bool { return r.serves(l) }) {
			x.find(l.path, "no route serves this listener: every request is answered with 404")
		}
	}
}

// serves reports whether requests of the listener can match r.
func (r *Route) serves(l *Listener) bool {
	return len(r.Listeners) == 0 || slices.Contains(r.Listeners, l.Name)
}

// routeShadowed finds routes for all listeners that are overruled on each of them by routes
// which name it.
func routeShadowed(x *examination) {
	bound := map[claim]bool{}
	for i := range x.Routes {
		r := &x.Routes[i]
		for _, listener := range r.Listeners {
			for _, host := range orAny(r.Hosts) {
				bound[claim{listener, host, r.Prefix}] = true
			}
		}
	}
	for i := range x.Routes {
		r := &x.Routes[i]
		if len(r.Listeners) > 0 {
			continue
		}
		var lost []string
		for _, host := range orAny(r.Hosts) {
			open := func(l Listener) bool { return !bound[claim{l.Name, host, r.Prefix}] }
			if !slices.ContainsFunc(x.Listeners, open) {
				lost = append(lost, shown(host+r.Prefix))
			}
		}
		if len(lost) > 0 {
			x.find(r.path, "on every listener another route, which names it, comes before this one for %s", strings.Join(lost, ", "))
		}
	}
}

// origin names the upstream in a message.
func (u *Upstream) origin() string {
	if u.Unix != "" {
		return u.Unix
	}
	return u.URL.Text
}

// reaches reports whether connections to the upstream certainly arrive at listen.
func (u *Upstream) reaches(listen Address) bool {
	if u.Unix != "" || listen.Unix != "" {
		return u.Unix == listen.Unix
	}
	return u.URL.Host != "" && reaches(Address{Host: u.URL.Host, Port: u.URL.Port}, listen)
}

// proxyLoop finds upstreams that are listeners on which the same request matches the same
// route again.
func proxyLoop(x *examination, c *Cluster, u *Upstream) {
	for i := range x.Listeners {
		if l := &x.Listeners[i]; u.reaches(l.Address) && x.loops(c, u, l) {
			x.find(u.path, "%s is this proxy itself, %s: a request goes round until a limit ends it", u.origin(), l.path)
		}
	}
}

// ownListener finds the other upstreams that are listeners of this proxy.
func ownListener(x *examination, c *Cluster, u *Upstream) {
	for i := range x.Listeners {
		if l := &x.Listeners[i]; u.reaches(l.Address) && !x.loops(c, u, l) {
			x.find(u.path, "%s is this proxy itself, %s: a request goes through it twice", u.origin(), l.path)
		}
	}
}

// loops reports whether a request that goes to u comes back by l as it was.
func (x *examination) loops(c *Cluster, u *Upstream, l *Listener) bool {
	understood := u.Secure() == (l.TLS != nil) && l.ProxyProtocol == (c.ProxyHeader != NoProxyHeader)
	renamed := slices.ContainsFunc(c.RequestHeader, func(r HeaderRule) bool { return strings.EqualFold(r.Name, "Host") })
	return understood && !renamed && slices.ContainsFunc(x.routes[c.Name], func(r *Route) bool {
		return r.serves(l) && !r.RewriteHost && (!r.StripPrefix || r.Prefix == "/")
	})
}
