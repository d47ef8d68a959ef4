package pool

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// waiting makes a waiter that notes what it was granted.
func waiting() (*Waiter, *[]*Permits) {
	var got []*Permits
	return &Waiter{Grant: func(p *Permits) { got = append(got, p) }}, &got
}

func newQueue(max int64) *Queue {
	q := new(Queue)
	q.SetMax(max)
	return q
}

func TestQueueIsFirstComeFirstServed(t *testing.T) {
	q := newQueue(8)
	p := NewPermits(1)
	p.Feed(q)
	p.TryAcquire()
	a, gotA := waiting()
	b, gotB := waiting()
	q.Join(a)
	q.Join(b)
	p.Release()
	if len(*gotA) != 1 || len(*gotB) != 0 || p.Held() != 1 {
		t.Fatalf("after one release: a %v, b %v, held %d; want a alone to hold one", *gotA, *gotB, p.Held())
	}
	p.Release()
	p.Release()
	if len(*gotA) != 1 || len(*gotB) != 1 || p.Held() != 0 || q.Len() != 0 {
		t.Fatalf("at the end: a %v, b %v, held %d, waiting %d", *gotA, *gotB, p.Held(), q.Len())
	}
}

func TestQueueHasABound(t *testing.T) {
	q := newQueue(2)
	for i, want := range []bool{true, true, false} {
		w, _ := waiting()
		if got := q.Join(w); got != want {
			t.Errorf("Join %d = %v, want %v", i, got, want)
		}
	}
}

func TestLeave(t *testing.T) {
	for _, leaver := range []int{0, 1, 2} {
		q := newQueue(3)
		p := NewPermits(1)
		p.Feed(q)
		p.TryAcquire()
		var ws []*Waiter
		var got []*[]*Permits
		for range 3 {
			w, g := waiting()
			q.Join(w)
			ws, got = append(ws, w), append(got, g)
		}
		if !q.Leave(ws[leaver]) || q.Leave(ws[leaver]) {
			t.Errorf("Leave of waiter %d: want true, then false", leaver)
		}
		for range 3 {
			if p.Held() > 0 {
				p.Release()
			}
		}
		for i, g := range got {
			if want := 1; i == leaver && len(*g) != 0 || i != leaver && len(*g) != want {
				t.Errorf("waiter %d left: waiter %d was granted %d times", leaver, i, len(*g))
			}
		}
	}
}

func TestLoweredCeilingIsNotHandedOver(t *testing.T) {
	q := newQueue(1)
	p := NewPermits(2)
	p.Feed(q)
	p.TryAcquire()
	p.TryAcquire()
	p.SetMax(1)
	w, got := waiting()
	q.Join(w)
	p.Release()
	if len(*got) != 0 || p.Held() != 1 {
		t.Fatalf("granted %v with %d held of 1", *got, p.Held())
	}
	p.Release()
	if len(*got) != 1 || p.Held() != 1 {
		t.Fatalf("granted %v with %d held of 1; want the permit to be handed over", *got, p.Held())
	}
}

// One queue over several permits, takers that come, wait, give up and release at random on
// many goroutines: never more out than the ceiling, none lost, nobody forgotten.
func TestQueueModel(t *testing.T) {
	const takers, rounds, ceiling = 8, 2000, 2
	q := newQueue(takers)
	all := []*Permits{NewPermits(ceiling), NewPermits(ceiling)}
	var out [2]atomic.Int64
	for _, p := range all {
		p.Feed(q)
	}
	index := func(p *Permits) int {
		if p == all[0] {
			return 0
		}
		return 1
	}
	use := func(p *Permits) {
		n := &out[index(p)]
		if held := n.Add(1); held > ceiling {
			t.Errorf("%d permits out, the ceiling is %d", held, ceiling)
		}
		n.Add(-1)
		p.Release()
	}
	var done sync.WaitGroup
	for id := range takers {
		done.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(id), 1))
			granted := make(chan *Permits, 1)
			w := &Waiter{Grant: func(p *Permits) { granted <- p }}
			for range rounds {
				take(q, all, w, granted, rng.IntN(4) == 0, use)
			}
		})
	}
	done.Wait()
	for i, p := range all {
		if p.Held() != 0 {
			t.Errorf("permits %d: %d held at the end", i, p.Held())
		}
	}
	if q.Len() != 0 {
		t.Errorf("%d waiting at the end", q.Len())
	}
}

// take is how a request takes a permit: at once, or by waiting, which it may give up.
func take(q *Queue, all []*Permits, w *Waiter, granted chan *Permits, giveUp bool, use func(*Permits)) {
	try := func() bool {
		for _, p := range all {
			if p.TryAcquire() {
				use(p)
				return true
			}
		}
		return false
	}
	if try() || !q.Join(w) {
		return
	}
	for _, p := range all {
		if !p.TryAcquire() {
			continue
		}
		if !q.Leave(w) {
			use(<-granted)
		}
		use(p)
		return
	}
	if giveUp && q.Leave(w) {
		return
	}
	use(<-granted)
}
