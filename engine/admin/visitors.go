package admin

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// mostVisitors is how many connections are open at once. The process keeps few descriptors
// for anything but traffic, and operators and probes need fewer.
const mostVisitors = 32

// visitors are the open connections. One more than there may be closes the one that has
// been silent, or has taken its time over a head, for longest: whoever asks at once is
// served even while somebody opens connections and says nothing. Its methods are safe for
// concurrent use.
type visitors struct {
	mu   sync.Mutex
	last uint64              // number given out
	open map[net.Conn]uint64 // numbers grow with the time since when each waits; 0 = it is being served
}

type visitorKey struct{}

// known has the requests of c tell whose they are.
func (v *visitors) known(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, visitorKey{}, c)
}

// follow takes what becomes of c.
func (v *visitors) follow(c net.Conn, state http.ConnState) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch state {
	case http.StateNew:
		v.waits(c)
		if len(v.open) > mostVisitors {
			v.dismiss()
		}
	case http.StateIdle:
		if _, ok := v.open[c]; ok {
			v.waits(c)
		}
	case http.StateClosed, http.StateHijacked:
		delete(v.open, c)
	}
}

// count is how many there are.
func (v *visitors) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.open)
}

func (v *visitors) waits(c net.Conn) {
	v.last++
	v.open[c] = v.last
}

// dismiss closes the connection that has waited for longest. The newest waits, so there is
// one.
func (v *visitors) dismiss() {
	var longest net.Conn
	for c, since := range v.open {
		if since > 0 && (longest == nil || since < v.open[longest]) {
			longest = c
		}
	}
	delete(v.open, longest)
	_ = longest.Close() // it is gone either way
}

// serving spares the connection of r until it is silent again.
func (v *visitors) serving(r *http.Request) {
	if c, ok := r.Context().Value(visitorKey{}).(net.Conn); ok {
		v.spare(c)
	}
}

func (v *visitors) spare(c net.Conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.open[c]; ok {
		v.open[c] = 0
	}
}
