package discovery

import (
	"net/netip"
	"strings"
)

// A Query says what is to be found.
type Query struct {
	// Name is a host name or IP literal or, with SRV, a service name such as
	// _http._tcp.app.example. A final dot keeps the search list of the system away from it.
	Name string
	// SRV asks for the service: targets, ports, weights and priorities come from the DNS.
	SRV bool
	// Logical leaves the lookup to the resolver of the Go library, which reads the system's
	// settings. Not with SRV or Servers, which it ignores.
	Logical bool
	// Servers are asked instead of those of the system. With them there is no search list.
	Servers []netip.AddrPort
	// Port is that of every endpoint; without meaning for SRV.
	Port uint16
	// Weight, at least 1, is that of every endpoint, or multiplies the weights of SRV records.
	Weight int
	// Priority is that of every endpoint, or is added to the priorities of SRV records.
	Priority int
}

// A Status is what the last lookup of a name came to.
type Status uint8

const (
	Pending  Status = iota // no lookup has ended yet
	Resolved               // there was an answer
	NXDomain               // the name, or records of the type, do not exist
	Failed                 // no name server gave an answer that is of use
	Static                 // the name is an IP literal
)

var statusNames = [...]string{Pending: "pending", Resolved: "resolved", NXDomain: "nxdomain", Failed: "dns_error", Static: "static"}

// String is the status as metrics and logs have it.
func (s Status) String() string { return statusNames[s] }

// An Endpoint is one address to use.
type Endpoint struct {
	Addr     netip.AddrPort
	Weight   int    // 1 to MaxWeight
	Priority int    // lower comes first
	Target   string // of the SRV record, in lower case, without final dot; else empty
}

// MaxWeight is the largest weight of an endpoint. Where products are larger, all weights of
// the priority are made smaller alike.
const MaxWeight = 1_000_000

// An Answer is what is known of a Query.
type Answer struct {
	Status Status
	// Endpoints are those to use, sorted. They are the last good ones while Status is
	// NXDomain or Failed. With Logical they are the addresses of one endpoint, in the order
	// in which to try them. Not to be changed.
	Endpoints []Endpoint
	// Changed tells that Endpoints are others than the caller has been told before.
	Changed bool
}

// A kind is what is asked about a name.
type kind uint8

const (
	hostKind    kind = iota // A and AAAA
	serviceKind             // SRV
	logicalKind             // whatever the Go library says
)

// A key is what makes two lookups the same.
type key struct {
	kind    kind
	name    string // lower case, with a final dot only if it was written
	sources string // the name servers to ask, empty for those of the system
}

func (q *Query) key() key {
	k := key{kind: hostKind, name: strings.ToLower(q.Name), sources: sourceText(q.Servers)}
	switch {
	case q.Logical && !q.SRV:
		k.kind, k.sources = logicalKind, ""
	case q.SRV:
		k.kind = serviceKind
	}
	return k
}

func sourceText(addrs []netip.AddrPort) string {
	parts := make([]string, len(addrs))
	for i, a := range addrs {
		parts[i] = a.String()
	}
	return strings.Join(parts, " ")
}
