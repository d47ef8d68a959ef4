package discovery

import (
	"net/netip"
	"slices"
)

// A Watch is somebody's interest in a Query. Its methods are safe for concurrent use.
type Watch struct {
	resolver *Resolver
	query    Query
	onChange func(Answer)

	// All that follows is guarded by Resolver.mu.
	lookup  *lookup // nil for an IP literal, and after Stop
	service *service
	answer  Answer // now; Changed is not set
	told    Answer // before
	queued  bool   // in Resolver.queue
}

// Watch begins to watch q. Its answer is there at once: what is known already, else Pending.
//
// onChange is called for each later change of status or endpoints, from a goroutine of the
// resolver, maybe before Watch has returned, and one call at a time for all watches; what
// changes during a call is told in one call after it. It may call the resolver. It may also
// wait for a lock that is held while others call the resolver: no method waits for onChange.
//
// To replace a watch by another on the same query, begin the new one before stopping the old
// one: what is known then stays known.
func (r *Resolver) Watch(q Query, onChange func(Answer)) *Watch {
	q.Servers = slices.Clone(q.Servers)
	w := &Watch{resolver: r, query: q, onChange: onChange}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, err := netip.ParseAddr(q.Name); err == nil && !q.SRV {
		w.answer = Answer{Status: Static, Endpoints: w.endpoints([]netip.Addr{a.Unmap()})}
		return w
	}
	if q.SRV {
		w.service = &service{targets: map[string]*lookup{}}
	}
	w.lookup = r.subscribe(w, q.key(), q.Servers)
	w.update()
	w.told = w.answer
	return w
}

// Answer returns what is known now, without waiting. Its Changed is not set.
func (w *Watch) Answer() Answer {
	w.resolver.mu.Lock()
	defer w.resolver.mu.Unlock()
	return w.answer
}

// Stop ends the watch and does not wait: a call of onChange that is under way, or about to be,
// still comes. The answer stays as it was. A second call has no effect.
func (w *Watch) Stop() {
	r := w.resolver
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.lookup == nil {
		return
	}
	r.unsubscribe(w, w.lookup)
	if w.service != nil {
		w.service.stop(w)
	}
	w.lookup = nil
}

// update derives the answer from the lookups and has it told if it is another. mu is held.
func (w *Watch) update() {
	if w.lookup == nil {
		return
	}
	m := &w.lookup.memory
	next := Answer{Status: m.status}
	if w.service != nil {
		next = w.service.update(w, m)
	} else {
		next.Endpoints = w.endpoints(m.content.addrs)
	}
	if next.Status != w.answer.Status || !slices.Equal(next.Endpoints, w.answer.Endpoints) {
		w.answer = next
		w.resolver.enqueue(w)
	}
}

// news returns what is to be told, if it is not what was told last. mu is held.
func (w *Watch) news() (a Answer, ok bool) {
	w.queued = false
	a = w.answer
	a.Changed = !slices.Equal(a.Endpoints, w.told.Endpoints)
	ok = w.lookup != nil && (a.Changed || a.Status != w.told.Status)
	w.told = a
	return a, ok
}

// endpoints are those of a host.
func (w *Watch) endpoints(addrs []netip.Addr) []Endpoint {
	var all []Endpoint
	for _, a := range addrs {
		all = append(all, Endpoint{
			Addr:     netip.AddrPortFrom(a, w.query.Port),
			Weight:   min(max(w.query.Weight, 1), MaxWeight),
			Priority: w.query.Priority,
		})
	}
	return all
}
