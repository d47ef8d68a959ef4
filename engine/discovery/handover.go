package discovery

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// A Record is one answer as it goes from a process to its successor.
type Record struct {
	Kind     string        `json:"kind"` // host, service or logical
	Name     string        `json:"name"`
	Sources  string        `json:"sources,omitempty"` // the name servers it was asked of
	Owner    string        `json:"owner,omitempty"`   // the full name that it was found under
	Addrs    []netip.Addr  `json:"addrs,omitempty"`
	Services []Service     `json:"services,omitempty"`
	TTL      time.Duration `json:"ttl"` // that is left, in nanoseconds
}

var kindNames = [...]string{hostKind: "host", serviceKind: "service", logicalKind: "logical"}

// Export returns the answers that there are, sorted.
func (r *Resolver) Export() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Record
	for k, l := range r.lookups {
		if m := &l.memory; m.known {
			all = append(all, Record{
				Kind: kindNames[k.kind], Name: k.name, Sources: k.sources, Owner: m.content.owner,
				Addrs: m.content.addrs, Services: m.content.services, TTL: max(time.Until(m.expires), 0),
			})
		}
	}
	slices.SortFunc(all, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Sources, b.Sources))
	})
	return all
}

// A seed is what a lookup knows when it begins.
type seed struct {
	content content
	expires time.Time
}

// Import takes over what another process exported. It is for before the first Watch: a name
// begins with its answer, and is looked up at once all the same. A record that makes no sense
// is left aside.
func (r *Resolver) Import(records []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seeds, r.imported = make(map[key]seed, len(records)), time.Now()
	for _, record := range records {
		at := slices.Index(kindNames[:], record.Kind)
		bad := slices.ContainsFunc(record.Addrs, func(a netip.Addr) bool { return !usable(a) }) ||
			slices.ContainsFunc(record.Services, func(s Service) bool { return !isName(s.Target) || s.Port == 0 })
		if at < 0 || bad {
			continue
		}
		r.seeds[key{kind: kind(at), name: record.Name, sources: record.Sources}] = seed{
			content: content{owner: record.Owner, addrs: record.Addrs, services: record.Services},
			expires: time.Now().Add(min(max(record.TTL, 0), ceiling)),
		}
	}
}

// takeSeed returns what a lookup of k begins with. What other servers said of the name will do
// while nothing better is known. mu is held.
func (r *Resolver) takeSeed(k key) memory {
	s, ok := r.seeds[k]
	if !ok {
		s, ok = r.similarSeed(k)
	}
	if !ok {
		return memory{}
	}
	delete(r.seeds, k)
	return memory{status: Resolved, known: true, content: s.content, expires: s.expires}
}

// similarSeed is the newest one of the same name from other servers, for as long as a TTL can be
// after Import. mu is held.
func (r *Resolver) similarSeed(k key) (found seed, ok bool) {
	if time.Since(r.imported) > ceiling {
		return found, false
	}
	for other, s := range r.seeds {
		if other.kind == k.kind && other.name == k.name && s.expires.After(found.expires) {
			found, ok = s, true
		}
	}
	return found, ok
}

// Record is the answer to q, of a name that is no service, as it goes to a successor from a
// process that has it from elsewhere.
func (q *Query) Record(known []Endpoint) Record {
	k := q.key()
	r := Record{Kind: kindNames[k.kind], Name: k.name, Sources: k.sources}
	for i := range known {
		r.Addrs = append(r.Addrs, known[i].Addr.Addr())
	}
	return r
}
