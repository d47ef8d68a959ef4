package engine

import (
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"

	"millrace/engine/config"
	"millrace/engine/discovery"
	"millrace/engine/stats"
)

// names are the watches over the names of upstreams and members. The resolver is made for the
// first of them. No method waits for a lookup.
type names struct {
	log     *slog.Logger
	changed func(cluster string)
	before  []discovery.Record // what the process before knew

	mu       sync.Mutex // guards the rest
	closed   bool
	resolver *discovery.Resolver // nil before the first name
	watches  map[nameKey]*nameWatch
}

// A nameKey is what makes two watches the same.
type nameKey struct {
	cluster, name, servers string
	srv, logical           bool
	weight, priority       int // of an SRV name
}

// A nameWatch follows one name for one cluster, from one configuration to the next. Nil is that
// of an address that needs no lookup.
type nameWatch struct {
	names    *names
	key      nameKey
	query    discovery.Query
	watch    *discovery.Watch     // nil = it is too late for one
	resolved atomic.Bool          // there has been an answer
	heir     []discovery.Endpoint // what another watch over the name knew; good until there is an answer
	users    int                  // guarded by names.mu
}

// watch begins to follow what u names for a cluster, or gives the watch that does so already.
// The caller owes a release.
func (n *names) watch(cluster string, u *config.Upstream) *nameWatch {
	q, ok := queryOf(u)
	if !ok {
		return nil
	}
	key := nameKey{
		cluster: cluster, name: q.Name, servers: fmt.Sprint(q.Servers), srv: q.SRV, logical: q.Logical,
		weight: q.Weight, priority: q.Priority,
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.watches[key]
	if w == nil {
		w = &nameWatch{names: n, key: key, query: q}
		n.begin(w, q)
	}
	w.users++
	return w
}

// begin makes the watch of w. mu is held.
func (n *names) begin(w *nameWatch, q discovery.Query) {
	if n.closed {
		return
	}
	if n.resolver == nil {
		n.resolver = discovery.New(discovery.Options{Log: n.log})
		n.resolver.Import(n.before)
		n.watches = make(map[nameKey]*nameWatch)
	}
	w.heir = n.knownOf(&w.key)
	n.watches[w.key] = w
	w.watch = n.resolver.Watch(q, func(a discovery.Answer) {
		first := a.Status == discovery.Resolved && !w.resolved.Swap(true)
		// That there is none is an answer too, which nobody needs to wait for.
		if a.Changed || first || len(w.heir) > 0 && !w.resolved.Load() {
			n.changed(w.key.cluster)
		}
	})
}

// knownOf is what is known of a name that a cluster has looked up in another way so far: with
// other servers, say. mu is held.
func (n *names) knownOf(key *nameKey) []discovery.Endpoint {
	for other, w := range n.watches {
		if other.cluster == key.cluster && other.name == key.name && other.srv == key.srv {
			if known := w.endpoints(); len(known) > 0 {
				return known
			}
		}
	}
	return nil
}

// queryOf is how what u names is looked up; ok is false if it needs no lookup.
func queryOf(u *config.Upstream) (q discovery.Query, ok bool) {
	if u.SRV != "" {
		return discovery.Query{Name: u.SRV, SRV: true, Servers: u.DNSServers, Weight: u.Weight, Priority: u.Priority}, true
	}
	if _, err := netip.ParseAddr(u.URL.Host); err == nil || u.Unix != "" {
		return q, false
	}
	if u.LogicalDNS {
		return discovery.Query{Name: u.URL.Host, Logical: true}, true
	}
	return discovery.Query{Name: u.URL.Host, Servers: u.DNSServers}, true
}

// release ends the watch if nobody else has it. What is known stays so.
func (w *nameWatch) release() {
	if w == nil {
		return
	}
	n := w.names
	n.mu.Lock()
	defer n.mu.Unlock()
	if w.users--; w.users > 0 || w.watch == nil {
		return
	}
	delete(n.watches, w.key)
	w.watch.Stop()
}

// endpoints are those that are known now.
func (w *nameWatch) endpoints() []discovery.Endpoint {
	if w.watch == nil {
		return nil
	}
	a := w.watch.Answer()
	if a.Status == discovery.Resolved {
		w.resolved.Store(true)
	}
	if w.inherits(a.Status) {
		return w.heir
	}
	return a.Endpoints
}

// inherits reports whether another watch has told all that is known so far.
func (w *nameWatch) inherits(is discovery.Status) bool {
	return !w.resolved.Load() && is != discovery.Resolved && is != discovery.NXDomain
}

// export is what a process that follows begins with.
func (n *names) export() []discovery.Record {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.resolver == nil {
		return nil
	}
	all := n.resolver.Export()
	for _, w := range n.watches {
		if !w.key.srv && len(w.heir) > 0 && w.inherits(w.watch.Answer().Status) {
			all = append(all, w.query.Record(w.heir))
		}
	}
	return all
}

// counters is what the families of the DNS show.
func (n *names) counters() stats.DNS {
	n.mu.Lock()
	r := n.resolver
	n.mu.Unlock()
	if r == nil {
		return stats.DNS{}
	}
	return stats.DNS(r.Cache())
}

// close ends all watches. None begins any more.
func (n *names) close() {
	n.mu.Lock()
	n.closed = true
	r := n.resolver
	n.mu.Unlock()
	if r != nil {
		r.Close()
	}
}
