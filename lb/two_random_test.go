package lb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// held returns how many of picks each endpoint got when none is finished.
func held(c *Cluster, seed uint64, picks int) []int64 {
	p := c.NewPicker(seed)
	for range picks {
		pick(p, nil)
	}
	active := make([]int64, len(c.Endpoints()))
	for i, e := range c.Endpoints() {
		active[i] = e.Active()
	}
	return active
}

// TestTwoRandomComparesBothOfTwo holds that a pick among two never draws one of them twice.
func TestTwoRandomComparesBothOfTwo(t *testing.T) {
	for seed := range uint64(50) {
		if got := held(clusterOf(TwoRandom, 3, 1), seed, 8); got[0] != 6 || got[1] != 2 {
			t.Errorf("seed %d: 8 held as %v, want 6 and 2", seed, got)
		}
		if got := held(clusterOf(TwoRandom, 1, 1), seed, 9); got[0]-got[1] != 1 && got[1]-got[0] != 1 {
			t.Errorf("seed %d: 9 held as %v, want 4 and 5", seed, got)
		}
	}
}

func TestTwoRandomHoldsByWeight(t *testing.T) {
	f := func(within float64, weights ...int) {
		t.Helper()
		sum := 0
		for _, w := range weights {
			sum += w
		}
		for seed := range uint64(20) {
			for i, n := range held(clusterOf(TwoRandom, weights...), seed, 10*sum) {
				if math.Abs(float64(n)-float64(10*weights[i])) > within {
					t.Errorf("weights %v, seed %d: endpoint %d holds %d of %d", weights, seed, i, n, 10*sum)
				}
			}
		}
	}
	f(0, 1)
	f(4, 4, 2, 1)
	f(3, 1, 1, 1, 1)
	f(4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
}

// TestTwoRandomAvoidsTheStalled keeps 50 attempts on the first endpoint and finishes others
// at once.
func TestTwoRandomAvoidsTheStalled(t *testing.T) {
	for _, weights := range [][]int{{1, 1}, {1, 1, 1}, {5, 1, 1}, {1, 1, 1, 1, 1, 1}} {
		c := clusterOf(TwoRandom, weights...)
		c.Endpoints()[0].active.Store(50)
		if got := shareOf(c.NewPicker(1), c, 5000)[0]; got != 0 {
			t.Errorf("weights %v: the stalled endpoint got %d of 5000", weights, got)
		}
	}
}

// TestTwoRandomTies has an idle cluster: all tie, so all must come as often.
func TestTwoRandomTies(t *testing.T) {
	for _, n := range []int{2, 3, 5, 20} {
		weights := make([]int, n)
		for i := range weights {
			weights[i] = 7
		}
		const picks = 50_000
		c := clusterOf(TwoRandom, weights...)
		for i, got := range shareOf(c.NewPicker(1), c, picks) {
			wantShare(t, "endpoint", i, got, picks, 1/float64(n))
		}
	}
}

// TestSecondIsByWeight compares the second draw with its definition: by weight among all but
// the first.
func TestSecondIsByWeight(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		tier := tierOf(clusterOf(TwoRandom, weights...))
		rng := rand.NewPCG(1, 4)
		sum := 0
		for _, w := range weights {
			sum += w
		}
		const draws = 50_000
		for first := range weights {
			counts := make([]int, len(weights))
			for range draws {
				counts[tier.second(first, rng)]++
			}
			if counts[first] != 0 {
				t.Errorf("weights %v: %d is drawn twice", weights, first)
			}
			for i, w := range weights {
				if i != first {
					wantShare(t, "second", i, counts[i], draws, float64(w)/float64(sum-weights[first]))
				}
			}
		}
	}
	f(1, 1, 1)
	f(5, 2, 1)
	f(1, 5, 2)
	f(1, 2, 5)
	f(1000, 1, 1)
	f(1, 1, 1, 1000, 2)
	f(10, 11, 1)
}

func TestLighter(t *testing.T) {
	rng := rand.NewPCG(1, 5)
	f := func(activeA, weightA, activeB, weightB int64, want string) {
		t.Helper()
		a := &member{endpoint: &Endpoint{id: "a"}, weight: weightA}
		b := &member{endpoint: &Endpoint{id: "b"}, weight: weightB}
		a.endpoint.active.Store(activeA)
		b.endpoint.active.Store(activeB)
		seen := map[string]bool{}
		for range 100 {
			if a.lighter(b, rng, 0) {
				seen["a"] = true
			} else {
				seen["b"] = true
			}
		}
		if got := len(seen); got != len(want) || !seen[want[:1]] {
			t.Errorf("lighter of %d/%d and %d/%d returned %v, want %q", activeA, weightA, activeB, weightB, seen, want)
		}
	}
	f(0, 1, 0, 1, "ab")
	f(1, 1, 0, 1, "b")
	f(0, 1, 1, 1, "a")
	f(0, 3, 0, 1, "a")
	f(1, 3, 0, 1, "a")
	f(2, 3, 0, 1, "ab")
	f(3, 3, 0, 1, "b")
	f(1<<40, MaxWeight, 1<<40, MaxWeight-1, "a")
}
