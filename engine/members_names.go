package engine

import (
	"log/slog"
	"net/netip"
	"sync"

	"millrace/engine/discovery"
)

// names finds the addresses of members that announce a name. The resolver is made for the
// first of them.
type names struct {
	log      *slog.Logger
	once     sync.Once
	resolver *discovery.Resolver // nil before
}

// A nameWatch follows the addresses of one host.
type nameWatch struct {
	fixed []netip.Addr     // of a host that is an address
	watch *discovery.Watch // of one that is a name
}

// watch begins to follow a host, which never waits. changed is called when it has other
// addresses than before.
func (n *names) watch(host string, changed func()) nameWatch {
	if ip, err := netip.ParseAddr(host); err == nil {
		return nameWatch{fixed: []netip.Addr{ip.Unmap()}}
	}
	n.once.Do(func() { n.resolver = discovery.New(discovery.Options{Log: n.log}) })
	if n.resolver == nil {
		return nameWatch{} // it is too late
	}
	return nameWatch{watch: n.resolver.Watch(discovery.Query{Name: host}, func(a discovery.Answer) {
		if a.Changed {
			changed()
		}
	})}
}

// addresses are those that are known now.
func (w *nameWatch) addresses() []netip.Addr {
	if w.watch == nil {
		return w.fixed
	}
	var all []netip.Addr
	for _, e := range w.watch.Answer().Endpoints {
		all = append(all, e.Addr.Addr())
	}
	return all
}

// stop ends the watch. What is known stays so.
func (w *nameWatch) stop() {
	if w.watch != nil {
		w.watch.Stop()
	}
}

// close ends all watches. None begins any more.
func (n *names) close() {
	n.once.Do(func() {})
	if n.resolver != nil {
		n.resolver.Close()
	}
}
