package engine

import (
	"net/netip"
	"strings"
	"time"

	"millrace/lb"
	"millrace/netpoll"
)

// A ClusterView is what operators see of a cluster.
type ClusterView struct {
	Name      string
	Algorithm string         // as in the configuration
	Endpoints []EndpointView // in the order of the configuration
}

// An EndpointView is what operators see of an endpoint at one moment.
type EndpointView struct {
	ID       string  // opaque; unique in its cluster, the same after a reload and a restart
	URL      string  // canonical origin
	Address  string  // ip:port, or unix: and a path
	Origin   string  // how the address came to be known
	State    string  // what operators said
	Health   string  // what active checks say
	Circuit  string  // of its breaker
	Weight   int     // in force
	Priority int     // of its tier
	Active   int64   // attempts in flight
	EWMA     float64 // of its latency, in milliseconds; 0 = not measured
	Requests int64   // attempts that got a response
	Failures int64   // attempts that failed by its fault
}

// Where an address comes from.
const (
	originStatic = "static" // it is written in the configuration
	originDNS    = "dns"    // of a name that was resolved
	originSRV    = "srv"    // of the target of an SRV record
	originBeacon = "beacon" // it announces itself
)

// Clusters returns the clusters of the current configuration in its order. The caller may
// keep and change what it gets.
func (e *Engine) Clusters() []ClusterView {
	var all []ClusterView
	for _, c := range e.current.Load().clusters {
		all = append(all, c.view())
	}
	return all
}

func (c *cluster) view() ClusterView {
	v := ClusterView{Name: c.name, Algorithm: c.balance.Algorithm().String()}
	for _, b := range c.balance.Endpoints() {
		v.Endpoints = append(v.Endpoints, c.endpoints[b.Index()].view(b))
	}
	return v
}

func (ep *endpoint) view(b *lb.Endpoint) EndpointView {
	return EndpointView{
		ID:       b.ID(),
		URL:      b.URL(),
		Address:  ep.next(ep.state.turn.Load()).String(),
		Origin:   ep.origin(),
		State:    b.State().String(),
		Health:   b.Health().String(),
		Circuit:  b.Circuit().String(),
		EWMA:     float64(b.EWMA()) / float64(time.Millisecond),
		Weight:   b.Weight(),
		Priority: ep.priority,
		Active:   b.Active(),
		Requests: ep.stats.Answers(),
		Failures: ep.stats.Failures(),
	}
}

// origin tells how the address came to be known.
func (ep *endpoint) origin() string {
	if ep.member != nil {
		return originBeacon
	}
	if ep.upstream.SRV != "" {
		return originSRV
	}
	return originOf(ep.authority, ep.address)
}

// originOf tells how the address of a URL's authority was found.
func originOf(authority string, address netpoll.Addr) string {
	if address.Unix != "" || isLiteral(authority) {
		return originStatic
	}
	return originDNS
}

// isLiteral reports whether an authority has an IP address for a host.
func isLiteral(authority string) bool {
	if _, err := netip.ParseAddrPort(authority); err == nil {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(authority, "[]"))
	return err == nil
}
