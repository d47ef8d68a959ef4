package discovery

import (
	"context"
	"net/netip"
	"time"

	"github.com/miekg/dns"
)

const (
	lookupTime  = 20 * time.Second // a lookup takes at most
	grace       = time.Second      // for the rest once a part of an answer is here
	partialTTL  = 30 * time.Second // of an answer in which one family failed, at most
	mostService = 256              // services of one name that are used
)

// A finder makes lookups. It is safe for concurrent use.
type finder struct {
	client  *client
	files   *files
	library libraryLookup // for logicalKind
	asked   func()        // called for each lookup that needs a name server
}

// find makes one lookup. before is what the last good one found.
func (f *finder) find(ctx context.Context, k key, sources []netip.AddrPort, before content) round {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	switch {
	case k.kind == logicalKind:
		return f.askLibrary(ctx, k.name, before)
	case k.kind == hostKind:
		if addrs := f.files.names.Load().find(k.name); addrs != nil {
			return round{status: Resolved, content: content{addrs: addrs}, ttl: ceiling} // a change of the file is noticed
		}
	}
	f.asked()
	s := f.files.settings.Load()
	if len(sources) > 0 {
		own := standard()
		own.sources = sources
		s = &own
	}
	return f.search(ctx, k, s, before)
}

// search looks the candidates of a name up until there is an answer. Once the name was found
// under one of them, those behind it are left alone: requests would go to another name because
// of an outage.
func (f *finder) search(ctx context.Context, k key, s *settings, before content) round {
	none := round{status: NXDomain}
	var failed *round
	for _, name := range s.candidates(k.name) {
		var r round
		if k.kind == serviceKind {
			r = f.services(ctx, name, s)
		} else {
			r = f.addresses(ctx, name, s, before)
		}
		switch {
		case r.status == Resolved, name == before.owner:
			return r
		case r.status == Failed && failed == nil:
			failed = &r
		case r.status == NXDomain:
			none = r
		}
	}
	if failed != nil {
		return *failed
	}
	return none
}

func (f *finder) services(ctx context.Context, name string, s *settings) round {
	g := f.ask(ctx, question{name, dns.TypeSRV}, s)
	r := g.round()
	if g.status == Resolved {
		all := servicesIn(g.records)
		r.content = content{owner: name, services: all[:min(len(all), mostService)]}
	}
	return r
}

// addresses asks for both families at once. When one is there, the other has little time left.
func (f *finder) addresses(ctx context.Context, name string, s *settings, before content) round {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v4, v6 := make(chan given, 1), make(chan given, 1)
	go func() { v4 <- f.ask(ctx, question{name, dns.TypeA}, s) }()
	go func() { v6 <- f.ask(ctx, question{name, dns.TypeAAAA}, s) }()
	var a, aaaa given
	select {
	case a = <-v4:
		defer cutOff(a, cancel)()
		aaaa = <-v6
	case aaaa = <-v6:
		defer cutOff(aaaa, cancel)()
		a = <-v4
	}
	return merge(name, a, aaaa, before)
}

// cutOff ends the wait for the other family a little after the first had an answer.
func cutOff(first given, cancel context.CancelFunc) (stop func() bool) {
	if first.status != Resolved {
		return func() bool { return true }
	}
	return time.AfterFunc(grace, cancel).Stop
}

// merge makes one answer of both families. One that failed keeps its addresses, so that an
// outage of half of the answer does not remove endpoints.
func merge(name string, a, aaaa given, before content) round {
	if a.status != Resolved && aaaa.status != Resolved {
		if aaaa.status == Failed {
			return aaaa.round()
		}
		r := a.round()
		if r.ttl == 0 || aaaa.ttl > 0 && aaaa.ttl < r.ttl {
			r.ttl = aaaa.ttl
		}
		return r
	}
	r := round{status: Resolved, ttl: ceiling}
	var all []netip.Addr
	for _, g := range [...]given{a, aaaa} {
		switch g.status {
		case Resolved:
			all = append(all, addressesIn(g.records)...)
			r.ttl = min(r.ttl, g.ttl)
		case Failed:
			r.ttl = min(r.ttl, partialTTL)
			if before.owner == name {
				all = append(all, ofFamily(before.addrs, g.qtype == dns.TypeA)...)
			}
		}
	}
	all = tidy(all)
	r.content = content{owner: name, addrs: all[:min(len(all), mostAddresses)]}
	return r
}
