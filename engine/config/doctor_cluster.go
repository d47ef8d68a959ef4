package config

import "slices"

// How clusters meet load and failures.

func keepAliveOff(x *examination, c *Cluster) {
	if !c.KeepAlive {
		x.find(join(c.path, "keepalive"), "every request makes a connection of its own, which costs time and, under load, runs out of ports")
	}
}

// retryUnlimited leaves out what at most doubles the load on a single endpoint.
func retryUnlimited(x *examination, c *Cluster) {
	if c.RetryBudget == nil && (c.RetryConnection && x.several(c) || c.MaxRetriesPerUpstream > 1) {
		x.find(join(c.path, "retry_budget"), "off: in an outage every request is tried several times, and retries bury the endpoints that are left")
	}
}

func failoverOff(x *examination, c *Cluster) {
	if !c.RetryConnection && x.several(c) {
		x.find(join(c.path, "retry_connection"), "off: a request whose endpoint refuses the connection fails, though others could serve it")
	}
}

// unchecked reports whether an endpoint of c may be without active check.
func (x *examination) unchecked(c *Cluster) bool {
	unchecked := func(u Upstream) bool { return u.ActiveCheck == nil && u.URL.Template == nil }
	return slices.ContainsFunc(c.Upstreams, unchecked) || x.filled[c.Name] && c.BeaconDefaults.ActiveCheck == nil
}

func failuresUnnoticed(x *examination, c *Cluster) {
	if c.CircuitBreaker == nil && x.several(c) && x.unchecked(c) {
		x.find(join(c.path, "circuit_breaker"), "off, and without active_check: an endpoint that is down goes on getting its share of the requests")
	}
}

func checkAbsent(x *examination, c *Cluster) {
	if c.CircuitBreaker != nil && x.several(c) && x.unchecked(c) {
		x.find(join(c.path, "upstreams"), "without active_check an endpoint that fails is noticed by the requests that it fails")
	}
}

// breakerAlone finds breakers of clusters with one endpoint: nobody else can answer while
// its circuit is open. An active check shortens that, so it is left out.
func breakerAlone(x *examination, c *Cluster) {
	if c.CircuitBreaker == nil || len(c.Upstreams) != 1 || x.filled[c.Name] {
		return
	}
	at, open := join(c.path, "circuit_breaker"), showDuration(c.CircuitBreaker.OpenDuration)
	switch u := &c.Upstreams[0]; {
	case u.URL.Template != nil:
		x.find(at, "one circuit for all that the URL stands for: while it is open (%s) all of them get 503 for the failures of one", open)
	case u.SRV == "" && (u.fixed() || u.LogicalDNS) && u.ActiveCheck == nil:
		x.find(at, "there is one endpoint: while its circuit is open (%s) every request gets 503, even if it has recovered", open)
	}
}

// weightStarved leaves out SRV names, whose weights come from DNS.
func weightStarved(x *examination, c *Cluster) {
	const rare = 1000 // one request in so many
	sums := map[int]int{}
	for i := range c.Upstreams {
		sums[c.Upstreams[i].Priority] += c.Upstreams[i].Weight
	}
	for i := range c.Upstreams {
		if u := &c.Upstreams[i]; u.SRV == "" && u.Weight*rare < sums[u.Priority] {
			x.find(join(u.path, "weight"), "%d out of %d: not one request in %d comes here", u.Weight, sums[u.Priority], rare)
		}
	}
}

func upstreamTwice(x *examination, c *Cluster) {
	first := map[string]string{}
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		identity := u.URL.Text + u.SRV + "|" + u.Unix
		if first[identity] != "" {
			x.find(u.path, "the same as %s; use weight to give one upstream more", first[identity])
			continue
		}
		first[identity] = u.path
	}
}

func tlsIgnored(x *examination, _ *Cluster, u *Upstream) {
	if tls := u.Cert + u.CA + u.ServerName; tls != "" && !u.Secure() {
		x.find(u.path, "cert, key, ca and server_name have no effect without TLS; the upstream is not https")
	}
}

func http2Ignored(x *examination, c *Cluster) {
	if c.HTTP2 && len(c.Upstreams) > 0 && !slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Secure() }) {
		x.find(join(c.path, "http2"), "has no effect: HTTP/2 is negotiated by TLS and no upstream is https; for HTTP/2 on cleartext write http2_only: true")
	}
}

func logicalDNSMixed(x *examination, _ *Cluster, u *Upstream) {
	if u.LogicalDNS && (len(u.DNSServers) > 0 || u.SRV != "") {
		x.find(join(u.path, "logical_dns"), "logical_dns leaves the choice to the system; it does not go with dns_servers and srv")
	}
}

// beaconForever leaves out members that are probed: those that are gone fail.
func beaconForever(x *examination) {
	for i := range x.Beacon.Receive {
		r := &x.Beacon.Receive[i]
		if c := x.Cluster(r.Cluster); c != nil && r.Timeout == 0 && c.BeaconDefaults.ActiveCheck == nil {
			x.find(join(r.path, "timeout"), "none: members that fall silent are never taken out, and go on getting requests")
		}
	}
}
