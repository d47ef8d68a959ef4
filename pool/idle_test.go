package pool

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type conn struct {
	Entry[*conn]
	name byte
}

func newConn(name byte) *conn {
	c := &conn{name: name}
	c.Value = c
	return c
}

// names lists l from the newest to the oldest, and checks that both directions agree.
func names(t *testing.T, l *Idle[*conn]) string {
	t.Helper()
	var down, up []byte
	for e := l.newest; e != nil; e = e.older {
		down = append(down, e.Value.name)
	}
	for e := l.oldest; e != nil; e = e.newer {
		up = append(up, e.Value.name)
	}
	slices.Reverse(up)
	if string(down) != string(up) {
		t.Fatalf("from the newest %q, from the oldest reversed %q", down, up)
	}
	if l.Len() != len(down) {
		t.Fatalf("Len() = %d with %q in the list", l.Len(), down)
	}
	return string(down)
}

// A step is an upper-case letter to Put that connection, a lower-case one to Remove it, '-' to
// Get.
func TestIdle(t *testing.T) {
	f := func(steps, want string) {
		t.Helper()
		var l Idle[*conn]
		conns := map[byte]*conn{}
		for _, name := range []byte("ABCD") {
			conns[name] = newConn(name)
		}
		for i, step := range []byte(steps) {
			switch {
			case step == '-':
				l.Get()
			case step >= 'a':
				l.Remove(&conns[step-'a'+'A'].Entry)
			default:
				l.Put(&conns[step].Entry, int64(i))
			}
		}
		if got := names(t, &l); got != want {
			t.Errorf("after %q the list is %q, want %q", steps, got, want)
		}
	}
	f("", "")
	f("A", "A")
	f("ABC", "CBA")
	f("-", "")
	f("A-", "")
	f("A--", "")
	f("ABC-", "BA")
	f("ABC--", "A")
	f("ABCa", "CB")
	f("ABCb", "CA")
	f("ABCc", "BA")
	f("Aa", "")
	f("AaA", "A")
	f("ABd", "BA")
	f("ABaa", "B")
	f("AB-bC", "CA")
	f("ABA", "AB")
	f("AA", "A")
	f("ABCabcD", "D")
}

func TestIdleReportsMembership(t *testing.T) {
	var l, other Idle[*conn]
	c := newConn('A')
	if c.Idle() || l.Get() != nil || l.Oldest() != nil {
		t.Fatal("something is idle before the first Put")
	}
	l.Put(&c.Entry, 7)
	if !c.Idle() || c.Since != 7 || l.Oldest() != &c.Entry {
		t.Fatalf("after Put: Idle %v, Since %d, Oldest %p", c.Idle(), c.Since, l.Oldest())
	}
	other.Remove(&c.Entry)
	if !c.Idle() || l.Len() != 1 || other.Len() != 0 {
		t.Fatal("Remove from another list had an effect")
	}
	other.Put(&c.Entry, 8)
	if l.Len() != 0 || other.Len() != 1 || l.Oldest() != nil {
		t.Fatal("Put left the entry in its old list")
	}
	if got := other.Get(); got.Value != c || c.Idle() {
		t.Fatal("Get did not take the connection out")
	}
}

func TestIdleEvictsOldestFirst(t *testing.T) {
	var l Idle[*conn]
	for i := range 5 {
		l.Put(&newConn(byte('A'+i)).Entry, int64(10*i))
	}
	var evicted []byte
	const now, timeout = 45, 25
	for e := l.Oldest(); e != nil && now-e.Since >= timeout; e = l.Oldest() {
		l.Remove(e)
		evicted = append(evicted, e.Value.name)
	}
	if string(evicted) != "ABC" || names(t, &l) != "ED" {
		t.Errorf("evicted %q and kept %q, want \"ABC\" and \"ED\"", evicted, names(t, &l))
	}
}

// TestIdleModel compares with a slice over random steps.
func TestIdleModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var l Idle[*conn]
	var model []byte // newest last
	conns := make([]*conn, 12)
	for i := range conns {
		conns[i] = newConn(byte('A' + i))
	}
	for step := range 20_000 {
		c := conns[rng.IntN(len(conns))]
		at := slices.Index(model, c.name)
		switch rng.IntN(4) {
		case 0, 1:
			l.Put(&c.Entry, int64(step))
			if at >= 0 {
				model = slices.Delete(model, at, at+1)
			}
			model = append(model, c.name)
		case 2:
			l.Remove(&c.Entry)
			if at >= 0 {
				model = slices.Delete(model, at, at+1)
			}
		case 3:
			e := l.Get()
			if (e == nil) != (len(model) == 0) {
				t.Fatalf("step %d: Get returned %v with %d idle", step, e, len(model))
			}
			if e != nil {
				model = model[:len(model)-1]
			}
		}
		want := slices.Clone(model)
		slices.Reverse(want)
		if got := names(t, &l); got != string(want) {
			t.Fatalf("step %d: list %q, model %q", step, got, want)
		}
		for _, c := range conns {
			if c.Idle() != slices.Contains(model, c.name) {
				t.Fatalf("step %d: Idle of %c is %v", step, c.name, c.Idle())
			}
		}
	}
}
