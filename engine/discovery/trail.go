package discovery

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// mostAliases is how many aliases lead from a name to its records.
const mostAliases = 16

var errAliases = errors.New("too many aliases, or a loop of them")

// A trail is what the answers of one message say of a name: the records at the end of its
// aliases. Records of other names are left aside (RFC 5452, 6).
type trail struct {
	end     string // last name, in lower case
	records []dns.RR
	ttl     uint32 // seconds; the least on the way
	aliases int
}

// follow goes from name along the aliases to records of the type, over at most so many.
func follow(answers []dns.RR, name string, qtype uint16, most int) (trail, error) {
	t := trail{end: dns.CanonicalName(name), ttl: math.MaxUint32}
	for {
		for _, rr := range answers {
			if isFor(rr, t.end, qtype) {
				t.records = append(t.records, rr)
				t.ttl = min(t.ttl, ttlOf(rr))
			}
		}
		alias := aliasOf(answers, t.end)
		if len(t.records) > 0 || alias == nil {
			return t, nil
		}
		if t.aliases++; t.aliases > most {
			return t, errAliases
		}
		t.end = dns.CanonicalName(alias.Target)
		t.ttl = min(t.ttl, ttlOf(alias))
	}
}

func aliasOf(answers []dns.RR, name string) *dns.CNAME {
	for _, rr := range answers {
		if alias, ok := rr.(*dns.CNAME); ok && isFor(rr, name, dns.TypeCNAME) {
			return alias
		}
	}
	return nil
}

func isFor(rr dns.RR, name string, qtype uint16) bool {
	h := rr.Header()
	return h.Rrtype == qtype && h.Class == dns.ClassINET && dns.CanonicalName(h.Name) == name
}

// ttlOf is the TTL of a record; one with the highest bit set is 0: RFC 2181, 8.
func ttlOf(rr dns.RR) uint32 {
	if ttl := rr.Header().Ttl; ttl <= math.MaxInt32 {
		return ttl
	}
	return 0
}

// absence is how long the records may be taken not to exist (RFC 2308, 5); 0 is not told.
func absence(reply *dns.Msg) time.Duration {
	if soa := authority(reply); soa != nil {
		return seconds(min(ttlOf(soa), soa.Minttl))
	}
	return 0
}

// authority returns the SOA record of an answer without records, or nil.
func authority(reply *dns.Msg) *dns.SOA {
	for _, rr := range reply.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			return soa
		}
	}
	return nil
}

func seconds(n uint32) time.Duration { return time.Duration(n) * time.Second }

// addressesIn returns the addresses that can be used, sorted.
func addressesIn(records []dns.RR) []netip.Addr {
	var out []netip.Addr
	for _, rr := range records {
		var a netip.Addr
		switch rr := rr.(type) {
		case *dns.A:
			a, _ = netip.AddrFromSlice(rr.A)
		case *dns.AAAA:
			a, _ = netip.AddrFromSlice(rr.AAAA)
		}
		if a = a.Unmap(); usable(a) {
			out = append(out, a)
		}
	}
	return tidy(out)
}

// servicesIn returns the services that can be used, sorted. None is what remains of the
// target ".", which says that there is no such service.
func servicesIn(records []dns.RR) []Service {
	var out []Service
	for _, rr := range records {
		srv, ok := rr.(*dns.SRV)
		if !ok {
			continue
		}
		target := strings.ToLower(strings.TrimSuffix(srv.Target, "."))
		if isName(target) && srv.Port != 0 {
			out = append(out, Service{Target: target, Port: srv.Port, Priority: srv.Priority, Weight: srv.Weight})
		}
	}
	slices.SortFunc(out, Service.compare)
	return slices.Compact(out)
}
