package discovery

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// A lookup keeps what is known of one key fresh, for all who watch it. It is one goroutine.
type lookup struct {
	key     key
	sources []netip.AddrPort
	cancel  context.CancelFunc
	wake    chan struct{} // has room for one: look up now

	memory  memory   // guarded by Resolver.mu
	watches []*Watch // guarded by Resolver.mu
}

// hurry has the next lookup made now.
func (l *lookup) hurry() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// subscribe returns the lookup of k with w among those who watch it, begun if there was none.
// mu is held.
func (r *Resolver) subscribe(w *Watch, k key, sources []netip.AddrPort) *lookup {
	l := r.lookups[k]
	if l == nil {
		l = r.begin(k, sources)
	} else if l.memory.known && time.Now().Before(l.memory.expires) {
		r.counts.hits++
	}
	l.watches = append(l.watches, w)
	return l
}

// begin makes a lookup. mu is held.
func (r *Resolver) begin(k key, sources []netip.AddrPort) *lookup {
	ctx, cancel := context.WithCancel(r.context)
	l := &lookup{key: k, sources: slices.Clone(sources), cancel: cancel, wake: make(chan struct{}, 1)}
	l.memory = r.takeSeed(k)
	r.lookups[k] = l
	if !r.closed {
		r.running.Go(func() { r.keep(ctx, l) })
	}
	return l
}

// unsubscribe takes w from those who watch l, which ends with the last. mu is held.
func (r *Resolver) unsubscribe(w *Watch, l *lookup) {
	l.watches = slices.DeleteFunc(l.watches, func(x *Watch) bool { return x == w })
	if len(l.watches) == 0 && r.lookups[l.key] == l {
		delete(r.lookups, l.key)
		l.cancel()
	}
}

// keep looks up again and again until ctx ends.
func (r *Resolver) keep(ctx context.Context, l *lookup) {
	for {
		r.mu.Lock()
		before := l.memory.content
		r.mu.Unlock()
		found := r.finder.find(ctx, l.key, l.sources, before)
		if ctx.Err() != nil {
			return
		}
		timer := time.NewTimer(r.take(l, found))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-l.wake:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// take makes the outcome of a lookup current and returns the time to the next.
func (r *Resolver) take(l *lookup, found round) time.Duration {
	r.mu.Lock()
	was := l.memory.status
	l.memory = l.memory.after(found, time.Now())
	status := l.memory.status
	switch found.status {
	case NXDomain:
		r.counts.nxdomain++
	case Failed:
		r.counts.failed++
	}
	for _, w := range slices.Clone(l.watches) {
		w.update()
	}
	least, most := l.memory.wait(found)
	r.mu.Unlock()
	r.report(strings.TrimSuffix(l.key.name, "."), was, status, found.err)
	return between(least, most, r.random())
}

// report logs the beginning and the end of an outage.
func (r *Resolver) report(name string, was, is Status, err error) {
	bad := func(s Status) bool { return s == NXDomain || s == Failed }
	switch {
	case bad(is) && !bad(was):
		attrs := []any{slog.String("dns.name", name), slog.String("dns_status", is.String())}
		if err != nil {
			attrs = append(attrs, slog.String("error.message", err.Error()))
		}
		r.log.Warn("dns lookup failed", attrs...)
	case bad(was) && !bad(is):
		r.log.Info("dns recovered", slog.String("dns.name", name), slog.String("dns_status", is.String()))
	}
}
