package engine

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"millrace/engine/config"
	"millrace/engine/discovery"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// A source is what endpoints come from: an upstream as it is configured, or a member. Only who
// holds Engine.reloading touches it.
type source struct {
	upstream *config.Upstream
	name     *nameWatch                  // nil = it needs no lookup
	fixed    []foundEndpoint             // if it needs none; nil before somebody asks for them
	targets  map[string]*config.Upstream // of SRV records, by URL
}

// What dns_status is of an endpoint.
const (
	statusStatic   = "static"      // its address is written in the configuration
	statusResolved = "resolved"    // its address is one of its name's
	statusLogical  = "logical_dns" // the system chooses its address
)

// newSources begins to watch what the upstreams of c name.
func (n *names) newSources(c *config.Cluster) []*source {
	all := make([]*source, len(c.Upstreams))
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		all[i] = &source{upstream: u, name: n.watch(c.Name, u)}
	}
	return all
}

// releaseNames ends the watches that are of c alone.
func (c *cluster) releaseNames() {
	for _, s := range c.sources {
		s.name.release()
	}
}

// found are the endpoints that are known now, none of a name that has not been resolved.
func (s *source) found() []foundEndpoint {
	u := s.upstream
	if s.name == nil {
		if s.fixed == nil {
			s.fixed = []foundEndpoint{found(u, fixedAddress(u))}
		}
		return s.fixed
	}
	answer := s.name.endpoints()
	switch {
	case len(answer) == 0:
		return nil
	case u.SRV != "":
		return s.services(answer)
	case u.LogicalDNS:
		return []foundEndpoint{logical(u, answer)}
	}
	var all []foundEndpoint
	for i := range answer {
		all = append(all, resolved(u, netpoll.Addr{IP: addrPortOf(answer[i].Addr.Addr(), u.URL.Port)}))
	}
	return all
}

// fixedAddress is that of an upstream that needs no lookup.
func fixedAddress(u *config.Upstream) netpoll.Addr {
	if u.Unix != "" {
		return netpoll.Addr{Unix: u.Unix}
	}
	ip, _ := netip.ParseAddr(u.URL.Host) // that is why it needs none
	return netpoll.Addr{IP: addrPortOf(ip.Unmap(), u.URL.Port)}
}

// resolved is the endpoint of u at an address of its name.
func resolved(u *config.Upstream, a netpoll.Addr) foundEndpoint {
	f := found(u, a)
	f.dnsStatus, f.resolvedIP = statusResolved, a.IP.Addr()
	return f
}

// logical is the one endpoint of u, whatever addresses its name has.
func logical(u *config.Upstream, answer []discovery.Endpoint) foundEndpoint {
	alternates := make([]netpoll.Addr, len(answer))
	for i := range answer {
		alternates[i].IP = addrPortOf(answer[i].Addr.Addr(), u.URL.Port)
	}
	f := foundAt(u, net.JoinHostPort(u.URL.Host, strconv.Itoa(int(u.URL.Port))))
	f.address, f.alternates, f.dnsStatus = alternates[0], alternates, statusLogical
	return f
}

// services are the endpoints of SRV records. Those of a target are those of an upstream of
// its own, which stays the same while the target is there.
func (s *source) services(answer []discovery.Endpoint) []foundEndpoint {
	targets := make(map[string]*config.Upstream)
	var all []foundEndpoint
	for i := range answer {
		e := &answer[i]
		url := config.Origin(config.HTTP, e.Target, e.Addr.Port())
		u := targets[url.Text]
		if u == nil {
			u = s.targets[url.Text]
		}
		if u == nil {
			fresh := *s.upstream
			fresh.URL = url
			u = &fresh
		}
		targets[url.Text] = u
		f := resolved(u, netpoll.Addr{IP: e.Addr})
		f.options.Weight, f.options.Priority = e.Weight, e.Priority
		all = append(all, f)
	}
	s.targets = targets
	return all
}

// numbered makes the IDs differ of endpoints that are there more than once.
func numbered(all []foundEndpoint) []foundEndpoint {
	seen := make(map[string]int, len(all))
	for i := range all {
		id := &all[i].options.ID
		if seen[*id]++; seen[*id] > 1 {
			*id = fmt.Sprintf("%s-%d", *id, seen[*id])
		}
	}
	return all
}

// labels name the series of f in a cluster.
func (f *foundEndpoint) labels(c *cluster) stats.EndpointLabels {
	l := stats.EndpointLabels{ID: f.options.ID, Cluster: c.name, URL: f.upstream.URL.Text, UnixPath: f.upstream.Unix}
	if !c.config.MetricsResolvedIP {
		return l
	}
	l.DNSStatus = f.dnsStatus
	if f.resolvedIP.IsValid() {
		l.ResolvedIP = f.resolvedIP.String()
	}
	return l
}
