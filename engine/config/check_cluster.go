package config

import "strings"

// checkCluster checks c; filled tells that a beacon may add members to it.
func (d *decoder) checkCluster(c *Cluster, filled bool) {
	if c.path == "" {
		return // reported already
	}
	if at := join(c.path, "upstreams"); len(c.Upstreams) == 0 && !filled && d.sound(c.path) {
		message := "no upstreams, and no beacon.receive fills the cluster"
		if c.Inline {
			message = "no upstreams"
		}
		if !d.src.has(at) {
			at = c.path
		}
		d.fault(at, "%s", message)
	}
	d.checkProtocols(c)
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		if u.path != "" && d.sound(u.path) {
			d.checkUpstream(u)
		}
		if c.HTTP2Only && u.Unix != "" {
			d.fault(join(c.path, "http2_only"), "http2_only does not go with unix, which %s has", u.path)
		}
		if c.Affinity != nil && u.URL.Template != nil {
			d.fault(c.Affinity.path, "affinity does not go with a URL that is made for each request, which %s has", u.path)
		}
	}
	d.checkSettings(join(c.path, "beacon_defaults"), &c.BeaconDefaults)
}

// checkProtocols reports ways to speak to upstreams that exclude each other.
func (d *decoder) checkProtocols(c *Cluster) {
	const (
		whole   = "HTTP/2 connections are shared"
		ordered = "pipelining is HTTP/1.1 on a connection that is kept"
		bound   = "such a connection belongs to one client"
	)
	h2, h2only, noKeep := option{"http2", c.HTTP2}, option{"http2_only", c.HTTP2Only}, option{"keepalive: false", !c.KeepAlive}
	pipeline, header := option{"pipeline", c.Pipeline > 0}, option{"proxy_header", c.ProxyHeader != NoProxyHeader}
	d.exclude(c, h2only, whole, noKeep)
	d.exclude(c, header, bound, h2, h2only, pipeline)
	d.exclude(c, pipeline, ordered, h2, h2only, noKeep)
}

// An option is a key of a cluster, and whether it asks for something.
type option struct {
	name string
	on   bool
}

// exclude reports each of the others that is on together with o.
func (d *decoder) exclude(c *Cluster, o option, reason string, others ...option) {
	for _, other := range others {
		if o.on && other.on {
			d.fault(join(c.path, o.name), "%s does not go with %s: %s", o.name, other.name, reason)
		}
	}
}

func (d *decoder) checkUpstream(u *Upstream) {
	made := u.URL.Template != nil
	switch {
	case u.URL.Text == "" && u.SRV == "":
		d.fault(u.path, "an upstream needs url or srv")
	case u.URL.Text != "" && u.SRV != "":
		d.fault(u.path, "an upstream has url or srv, not both")
	case u.SRV != "" && u.Unix != "":
		d.fault(join(u.path, "unix"), "unix does not go with srv, which finds addresses itself")
	case made && u.ActiveCheck != nil:
		d.fault(join(u.path, "active_check"), "active_check does not go with a URL that is made for each request")
	}
	d.checkSettings(u.path, &u.UpstreamSettings)
}

func (d *decoder) checkSettings(path string, s *UpstreamSettings) {
	switch {
	case !d.sound(path):
	case s.Cert != "" && s.Key == "":
		d.fault(join(path, "cert"), "cert needs key, the file with its private key")
	case s.Key != "" && s.Cert == "":
		d.fault(join(path, "key"), "key needs cert, the file with its certificate")
	}
	if a := s.ActiveCheck; a != nil && a.BodyMatch != "" && strings.EqualFold(a.Method, "HEAD") {
		d.fault(join(a.path, "body_match"), "body_match needs method GET; the answer to HEAD has no body")
	}
}
