package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A step is 'w' for Wake, 'h' for WakeHead, 'a' for WakeAll, 'b' for WakeBehind the first
// waiter, a digit for the Look of that waiter, 'x' for the first one's Leave. The waiters are
// told in the order of want.
func TestWake(t *testing.T) {
	f := func(steps, want string) {
		t.Helper()
		q := newQueue(3)
		var told []byte
		var ws []*Waiter
		for i := range 3 {
			w := &Waiter{Grant: func(p *Permits) { told = append(told, byte('0'+i)) }}
			q.Join(w)
			ws = append(ws, w)
		}
		for _, step := range []byte(steps) {
			switch step {
			case 'w':
				q.Wake()
			case 'h':
				q.WakeHead()
			case 'a':
				q.WakeAll()
			case 'b':
				q.WakeBehind(ws[0])
			case 'x':
				q.Leave(ws[0])
			default:
				q.Look(ws[step-'0'])
			}
		}
		if string(told) != want {
			t.Errorf("%q: told %q, want %q", steps, told, want)
		}
	}
	f("", "")
	f("w", "0")
	f("wwww", "012") // each is told once until it looks
	f("w0w0w", "000")
	f("ww0w", "010")
	f("ww1w", "011")
	f("hhh", "0")
	f("h0h", "00")
	f("wxh", "01")
	f("wxw", "01")
	f("a", "012")
	f("waa", "012")
	f("a1a", "0121")
	f("b", "1")
	f("wb0bw", "0120")
	f("bbb", "12")
}

func TestWakeNobody(t *testing.T) {
	q := newQueue(1)
	q.Wake()
	q.WakeHead()
	q.WakeAll()
	w, got := waiting()
	q.Join(w)
	q.WakeBehind(w)
	if len(*got) != 0 {
		t.Errorf("told %d times", len(*got))
	}
}

// Takers share room that they count themselves: whoever finds none waits, looks when it is
// told, and wakes another when it leaves room behind. Nobody is forgotten.
func TestWakeModel(t *testing.T) {
	const takers, rounds = 8, 2000
	q := newQueue(takers)
	var room, served atomic.Int64
	room.Store(2)
	try := func() bool {
		if room.Add(-1) >= 0 {
			return true
		}
		room.Add(1)
		return false
	}
	var done sync.WaitGroup
	for range takers {
		done.Go(func() {
			for range rounds {
				if q.Len() > 0 || !try() {
					takeTurn(q, try)
				}
				served.Add(1)
				runtime.Gosched()
				room.Add(1)
				q.Wake()
			}
		})
	}
	done.Wait()
	if n := served.Load(); n != takers*rounds || q.Len() != 0 || room.Load() != 2 {
		t.Errorf("%d served, %d waiting, room for %d", n, q.Len(), room.Load())
	}
}

// takeTurn waits until try succeeds. What it is told too late it passes on.
func takeTurn(q *Queue, try func() bool) {
	told := make(chan bool, 2)
	var left atomic.Bool
	passOn := func() {
		select {
		case <-told:
			q.Wake()
		default:
		}
	}
	w := &Waiter{}
	w.Grant = func(*Permits) {
		told <- true
		if left.Load() {
			passOn()
		}
	}
	q.Join(w)
	for q.WakeHead(); !try(); q.Look(w) {
		<-told
	}
	q.Leave(w)
	left.Store(true)
	passOn()
}

// Who waits for a permit gets one when the ceiling is raised, in order.
func TestRaisedCeilingIsHandedOut(t *testing.T) {
	q := newQueue(3)
	p := NewPermits(1)
	p.Feed(q)
	p.TryAcquire()
	var told []int
	for i := range 3 {
		q.Join(&Waiter{Grant: func(*Permits) { told = append(told, i) }})
	}
	p.SetMax(1)
	p.SetMax(3)
	if len(told) != 2 || told[0] != 0 || told[1] != 1 || p.Held() != 3 {
		t.Fatalf("told %v with %d held, want 0 and 1 with 3", told, p.Held())
	}
	p.SetMax(0)
	if len(told) != 3 || p.Held() != 4 || q.Len() != 0 {
		t.Fatalf("told %v with %d held, want all with 4", told, p.Held())
	}
}
