package netpoll_test

import (
	"net"
	"os"
	"sync/atomic"
	"testing"

	"millrace/netpoll"
)

// Within one batch, the connection b is closed and the loop accepts another, between
// reports of the waker; a report for b stands behind them. The number of b must not be
// the new connection's yet, or it gets what was meant for b.
func TestNumberIsNotReusedWithinABatch(t *testing.T) {
	r := newRig(t)
	var b *netpoll.Conn
	_, otherA := r.pair(&handler{readable: func(*netpoll.Conn) { b.Close() }})
	told := make(chan struct{}, 1)
	var over atomic.Bool
	b, otherB := r.pair(&handler{})
	l := r.listen(&acceptor{accept: func(c *netpoll.Conn) {
		c.SetHandler(&handler{readable: func(*netpoll.Conn) {
			if !over.Load() {
				t.Error("a new connection was told of the old one's bytes")
			}
		}})
		if c.FD() == b.FD() {
			t.Error("a number was used again within the batch")
		}
		told <- struct{}{}
	}}, loopback)

	r.allClosed()
	plugBelow(t, b.FD())
	var client net.Conn
	r.do(func() { // the reports come in this order
		_, _ = otherA.Write([]byte("x"))
		r.loop.RunLater(later(func() {}))
		client, _ = net.Dial("tcp", l.Addr().IP.String())
		_, _ = otherB.Write([]byte("x"))
	})
	wait(t, told)
	r.do(func() {}) // behind the whole batch
	over.Store(true)
	if client != nil {
		_ = client.Close()
	}
	r.allClosed()
}

// allClosed waits until the loop has closed what it is to close.
func (r *rig) allClosed() {
	r.t.Helper()
	eventually(r.t, func() (none bool) {
		r.do(func() { none = len(r.loop.Closing()) == 0 })
		return none
	})
}

// plugBelow leaves no hole below fd, so that it is the next number to be handed out once
// it is free.
func plugBelow(t *testing.T, fd int) {
	t.Helper()
	for highest := -1; highest < fd; {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		highest = int(f.Fd())
	}
}

// Closing very many at once takes a few turns, not one for each.
func TestManyClosedAtOnce(t *testing.T) {
	r := newRig(t)
	var conns []*netpoll.Conn
	for range 50 {
		c, _ := r.pair(&handler{})
		conns = append(conns, c)
	}
	turns := 0
	done := make(chan struct{})
	r.do(func() {
		for _, c := range conns {
			c.Close()
			c.Close()
		}
		if n := len(r.loop.Closing()); n != len(conns) {
			t.Errorf("%d descriptors wait to be closed, want %d", n, len(conns))
		}
		var step later
		step = func() {
			if turns++; len(r.loop.Closing()) == 0 {
				close(done)
				return
			}
			r.loop.RunLater(step)
		}
		r.loop.RunLater(step)
	})
	wait(t, done)
	if turns > 3 {
		t.Errorf("closing took %d turns", turns)
	}
}
