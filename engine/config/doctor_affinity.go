package config

import "slices"

// What keeps a client at its endpoint, or fails to.

func affinityKey(x *examination, c *Cluster) {
	if c.Affinity == nil {
		return
	}
	at := join(join(c.Affinity.path, "hash"), "variable")
	switch v := c.Affinity.Hash; v.Kind {
	case RequestMethod, RequestScheme, RequestVersion, ServerIP, ServerPort:
		x.find(at, "%s has few values: nearly all requests go to one endpoint", v)
	case RequestID:
		x.find(at, "%s is another for every request: nothing stays together", v)
	case RemotePort:
		x.find(at, "%s is another for every connection: a client does not stay where it was", v)
	}
}

func cookieSecret(x *examination, c *Cluster) {
	if a := c.cookie(); a != nil && a.SecretFile == "" {
		x.find(join(a.path, "secret_file"), "absent: the secret is random, so after a restart, and at every other proxy, cookies are void and clients go elsewhere")
	}
}

func cookieSameSite(x *examination, c *Cluster) {
	if a := c.cookie(); a != nil && a.SameSite == SameSiteNone && !a.Secure {
		x.find(join(a.path, "samesite"), "browsers drop a cookie with samesite none that is not secure")
	}
}

// cookieCleartext looks at clusters that are served over TLS alone.
func cookieCleartext(x *examination, c *Cluster) {
	a := c.cookie()
	if a == nil || a.Secure || a.SameSite == SameSiteNone || len(x.routes[c.Name]) == 0 {
		return
	}
	clear := func(l Listener) bool {
		return l.TLS == nil && slices.ContainsFunc(x.routes[c.Name], func(r *Route) bool { return r.serves(&l) })
	}
	if !slices.ContainsFunc(x.Listeners, clear) {
		x.find(join(a.path, "secure"), "the cluster is served over TLS alone, but browsers would send the cookie over cleartext, too")
	}
}

// cookie returns the cookie of c, or nil.
func (c *Cluster) cookie() *CookieAffinity {
	if c.Affinity == nil {
		return nil
	}
	return c.Affinity.Cookie
}
