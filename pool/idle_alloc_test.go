//go:build !race

package pool

import "testing"

func TestAllocations(t *testing.T) {
	var l Idle[*conn]
	a, b := newConn('A'), newConn('B')
	p := NewPermits(2)
	if n := testing.AllocsPerRun(1000, func() {
		l.Put(&a.Entry, 1)
		l.Put(&b.Entry, 2)
		l.Remove(l.Oldest())
		l.Get()
		if p.TryAcquire() {
			p.Release()
		}
	}); n != 0 {
		t.Errorf("Put, Remove, Get, TryAcquire and Release allocate %v times, want 0", n)
	}
}
