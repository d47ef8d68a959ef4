package config

import "net/netip"

// The operators' side.

// exposed reports whether other machines can reach the admin listener.
func (x *examination) exposed() bool {
	if x.Admin == nil {
		return false
	}
	host := x.Admin.Address.Host
	ip, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !ip.IsLoopback())
}

func adminUnguarded(x *examination) {
	if x.exposed() && x.Admin.TokenFile == "" {
		x.find("admin.address", "other machines can reach %s: anybody there can read, and without token_file nobody can change anything", x.Admin.Address)
	}
}

func adminReadable(x *examination) {
	if x.exposed() && x.Admin.TokenFile != "" {
		x.find("admin.address", "other machines can reach %s: reading metrics, clusters and configuration needs no token", x.Admin.Address)
	}
}

func adminOff(x *examination) {
	if x.Admin == nil {
		x.find("admin", "off: no metrics, no readiness for what is in front, and no API")
	}
}

// adminProxied finds upstreams that are our admin listener. To it, whom we proxy is a
// caller from this machine.
func adminProxied(x *examination, c *Cluster, u *Upstream) {
	if x.Admin == nil || len(x.routes[c.Name]) == 0 || !u.reaches(x.Admin.Address) {
		return
	}
	what := "clients could change what operators change"
	if x.Admin.TokenFile != "" {
		what = "clients could read what operators read"
	}
	x.find(u.path, "%s is the admin listener, to which callers through this proxy come from this machine: %s", u.origin(), what)
}

func accessLogAbsent(x *examination) {
	if x.AccessLog == nil {
		x.find("access_log", "absent: nothing tells afterwards what a request met")
	}
}

func drainAbrupt(x *examination) {
	if len(x.TrustedProxies) > 0 && x.ShutdownDelay == 0 {
		x.find("shutdown_delay", "none: at the end the listeners close before the proxy in front has seen /readyz fail, and what it sends until then is refused")
	}
}

func metricsCardinality(x *examination, c *Cluster) {
	if !c.MetricsResolvedIP {
		return
	}
	changing := x.filled[c.Name]
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		changing = changing || u.SRV != "" || !u.fixed()
	}
	if changing {
		x.find(join(c.path, "metrics_resolved_ip"), "every address that a name ever has makes series of its own, which the collector of metrics keeps")
	}
}

// fixed reports whether the upstream is one endpoint for sure, whose address does not
// change.
func (u *Upstream) fixed() bool {
	_, err := netip.ParseAddr(u.URL.Host)
	return u.Unix != "" || err == nil
}
