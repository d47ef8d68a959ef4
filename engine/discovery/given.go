package discovery

import (
	"context"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// given is what the name servers say of a question.
type given struct {
	qtype   uint16
	status  Status        // Resolved, NXDomain or Failed
	records []dns.RR      // if Resolved, at least one
	ttl     time.Duration // of the records and the aliases to them, or of their absence
	err     error
}

func (g *given) round() round { return round{status: g.status, ttl: g.ttl, err: g.err} }

// ask follows aliases from one reply to the next, until there are records or none.
func (f *finder) ask(ctx context.Context, q question, s *settings) given {
	g := given{qtype: q.qtype, status: Failed, ttl: ceiling}
	for left := mostAliases; ; {
		reply, err := f.client.ask(ctx, q, s)
		if err != nil {
			g.err = err
			return g
		}
		t, err := follow(reply.Answer, q.name, q.qtype, left)
		if err != nil {
			g.err = err
			return g
		}
		left -= t.aliases
		if t.aliases > 0 || len(t.records) > 0 {
			g.ttl = min(g.ttl, seconds(t.ttl))
		}
		switch {
		case g.use(t.records):
			return g
		case reply.Rcode == dns.RcodeNameError, t.aliases == 0, authority(reply) != nil:
			g.status, g.ttl = NXDomain, absence(reply)
			return g
		}
		q.name = t.end // the server leaves the rest of the way to us
	}
}

// use takes the records for the answer, if there is anything in them to use. That a service
// is not there is an answer too: RFC 2782, "Target".
func (g *given) use(records []dns.RR) bool {
	switch g.qtype {
	case dns.TypeSRV:
		if len(servicesIn(records)) == 0 && !slices.ContainsFunc(records, isNoService) {
			return false
		}
	default:
		if len(addressesIn(records)) == 0 {
			return false
		}
	}
	g.status, g.records = Resolved, records
	return true
}

func isNoService(rr dns.RR) bool {
	srv, ok := rr.(*dns.SRV)
	return ok && srv.Target == "."
}
