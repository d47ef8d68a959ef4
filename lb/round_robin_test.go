package lb

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// roundOf returns the round over endpoints of those weights, at the start of a cycle.
func roundOf(weights ...int) *round {
	r := newRound(tierOf(clusterOf(RoundRobin, weights...)), rand.NewPCG(1, 1))
	r.begin()
	return r
}

// turns returns the members that have the next n turns.
func (r *round) turns(n int) []int {
	members := make([]int, n)
	for i := range members {
		members[i] = r.turn()
	}
	return members
}

func TestRoundRobinOrder(t *testing.T) {
	f := func(weights []int, want ...int) {
		t.Helper()
		for range 3 { // the same in each cycle
			r := roundOf(weights...)
			if got := r.turns(len(want)); !slices.Equal(got, want) {
				t.Errorf("weights %v: turns %v, want %v", weights, got, want)
			}
		}
	}
	f([]int{1}, 0, 0)
	f([]int{9}, 0, 0)
	f([]int{1, 1, 1, 1}, 0, 1, 2, 3, 0, 1, 2, 3)
	f([]int{3, 3}, 0, 1, 0, 1)
	f([]int{5, 2, 1}, 0, 1, 0, 2, 0, 0, 1, 0)
	f([]int{1, 5, 2}, 1, 2, 1, 0, 1, 1, 2, 1)
	f([]int{50, 20, 10}, 0, 1, 0, 2, 0, 0, 1, 0)
	f([]int{2, 1, 1}, 0, 1, 0, 2)
	f([]int{5, 1, 1, 1, 1, 1}, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5)
	f([]int{0, 1, 0, 1}, 0, 1, 0, 1)
}

// wantExact checks two cycles and a half of turns from wherever r is: every window of one
// cycle is exact.
func wantExact(t *testing.T, r *round, weights []int) {
	t.Helper()
	unit, cycle := int64(0), 0
	for _, w := range weights {
		unit = gcd(unit, int64(w))
	}
	for _, w := range weights {
		cycle += w / int(unit)
	}
	sequence := r.turns(2*cycle + cycle/2)
	counts := make([]int, len(weights))
	for i, turn := range sequence {
		counts[turn]++
		if i >= cycle {
			counts[sequence[i-cycle]]--
		}
		for e, n := range counts {
			if i >= cycle-1 && n != weights[e]/int(unit) {
				t.Fatalf("weights %v: endpoint %d had %d of %d turns up to %d", weights, e, n, cycle, i)
			}
		}
	}
}

// wantSmooth checks that in one cycle turns had and turns due differ by less than one.
func wantSmooth(t *testing.T, weights []int) {
	t.Helper()
	r := roundOf(weights...)
	sum := 0
	for _, w := range weights {
		sum += w
	}
	had := make([]int, len(weights))
	for now := 1; now <= int(r.cycle); now++ {
		had[r.turn()]++
		for e, w := range weights {
			if ahead := had[e]*sum - now*w; ahead <= -sum || ahead >= sum {
				t.Fatalf("weights %v: endpoint %d had %d turns of %d", weights, e, had[e], now)
			}
		}
	}
}

func TestRoundRobinIsExactAndSmooth(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		wantSmooth(t, weights)
		c := clusterOf(RoundRobin, weights...)
		for seed := range uint64(3) {
			wantExact(t, c.NewPicker(seed).places[0].round, weights)
		}
	}
	f(1)
	f(5, 2, 1)
	f(3, 1)
	f(1, 1, 1, 1)
	f(100, 1)
	f(7, 7, 7, 1, 1)
	f(1, 2, 3, 4, 5, 6, 7)
	f(30, 20, 10, 10)
	f(13, 11, 7, 5, 3, 2)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		weights := make([]int, 1+rng.IntN(12))
		for i := range weights {
			weights[i] = 1 + rng.IntN(1+rng.IntN(40))
		}
		f(weights...)
	}
}

// TestRoundRobinRuns holds how often 5, 2, 1 may give the same endpoint in a row.
func TestRoundRobinRuns(t *testing.T) {
	for seed := range uint64(20) {
		r := clusterOf(RoundRobin, 5, 2, 1).NewPicker(seed).places[0].round
		run, last := 0, -1
		for _, turn := range r.turns(80) {
			if turn != last {
				run, last = 0, turn
			}
			if run++; run > 2 {
				t.Fatalf("seed %d: endpoint %d came %d times in a row", seed, turn, run)
			}
		}
	}
}

// TestRoundRobinSkipsTheTried has the endpoint tried that has every other turn: the others
// must still come in turn.
func TestRoundRobinSkipsTheTried(t *testing.T) {
	c := clusterOf(RoundRobin, 5, 1, 1, 1, 1, 1)
	p := c.NewPicker(1)
	var tried Tried
	tried.Add(c.Endpoints()[0])
	last := pick(p, &tried).Index()
	for range 30 {
		got, want := pick(p, &tried).Index(), last%5+1
		if got != want {
			t.Fatalf("%d came after %d, want %d", got, last, want)
		}
		last = got
	}
}

func TestRoundRobinCycle(t *testing.T) {
	f := func(cycle int64, weights ...int) {
		t.Helper()
		if got := roundOf(weights...).cycle; got != cycle {
			t.Errorf("weights %v: a cycle of %d turns, want %d", weights, got, cycle)
		}
	}
	f(1, 7)
	f(8, 5, 2, 1)
	f(8, 500_000, 200_000, 100_000)
	f(3, MaxWeight, MaxWeight, MaxWeight)
	f(2*MaxWeight-1, MaxWeight, MaxWeight-1)
}

// TestRoundRobinHugeWeights goes through the extremes without a whole cycle.
func TestRoundRobinHugeWeights(t *testing.T) {
	c := clusterOf(RoundRobin, MaxWeight, MaxWeight-1, 1)
	got := shareOf(c.NewPicker(1), c, 10_000)
	if got[0] < 4999 || got[1] < 4998 || got[2] > 1 {
		t.Errorf("10000 turns are shared as %v", got)
	}
}

// TestRoundRobinPhases starts many workers: each endpoint is the first one of its share.
func TestRoundRobinPhases(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		const workers = 2000
		c := clusterOf(RoundRobin, weights...)
		sum := 0
		for _, w := range weights {
			sum += w
		}
		first := make([]int, len(weights))
		for seed := range uint64(workers) {
			e := pick(c.NewPicker(seed), nil)
			first[e.Index()]++
			done(e)
		}
		for i, w := range weights {
			wantShare(t, "first endpoint", i, first[i], workers, float64(w)/float64(sum))
		}
	}
	f(1, 1, 1)
	f(5, 2, 1)
	f(50_000, 20_000, 10_000)
	f(300, 3, 1)
}

// TestRoundRobinFailOver fails over along the turns; an exchange that fails everywhere spends
// one turn more than it had attempts.
func TestRoundRobinFailOver(t *testing.T) {
	const n = 5
	p := clusterOf(RoundRobin, 1, 1, 1, 1, 1).NewPicker(1)
	next := pick(p, nil).Index() + 1
	for range 20 {
		var tried Tried
		for range n {
			e := pick(p, &tried)
			if e.Index() != next%n {
				t.Fatalf("attempt %d goes to %d, want %d", tried.Len()+1, e.Index(), next%n)
			}
			tried.Add(e)
			next++
		}
		if e := pick(p, &tried); e != nil {
			t.Fatalf("%s came again", e.ID())
		}
		next++
	}
}

func TestDueBefore(t *testing.T) {
	f := func(a, b due, want bool) {
		t.Helper()
		if got := a.before(b); got != want {
			t.Errorf("%v before %v: %v, want %v", a, b, got, want)
		}
		if a != b && b.before(a) == want {
			t.Errorf("%v and %v are both before the other, or neither", a, b)
		}
	}
	const w, g = MaxWeight, MaxWeight - 1
	f(due{1, 2, 0}, due{1, 1, 1}, true)
	f(due{1, 1, 0}, due{1, 2, 1}, false)
	f(due{1, 1, 0}, due{2, 2, 1}, true)
	f(due{2, 2, 1}, due{1, 1, 0}, false)
	f(due{3, 3, 5}, due{3, 3, 5}, false)
	f(due{0, 1, 0}, due{0, 9, 1}, true)
	f(due{0, 1, g}, due{w + 1, w, 0}, true)
	f(due{w + 1, 1, 0}, due{0, w, g}, false)
	f(due{w, w, 0}, due{w - 1, w - 1, g}, true)
	f(due{w - 1, w, g}, due{w, w, 0}, true)
	f(due{w, w - 1, 0}, due{w + 1, w, g}, false)
}

func TestDueHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var h dueHeap
	for range 200 {
		for i := range 1 + rng.IntN(40) {
			h.push(due{rng.Int64N(20), 1 + rng.Int64N(20), int32(i)})
		}
		last := h.pop()
		for len(h) > 0 {
			d := h.pop()
			if d.before(last) {
				t.Fatalf("%v came out after %v", d, last)
			}
			last = d
		}
	}
}
