package lb

import (
	"slices"
	"testing"
)

var algorithms = []Algorithm{TwoRandom, Random, RoundRobin, LeastConn, P2CEWMA}

// pick returns the endpoint of a pick that goes by nothing but tried, or nil.
func pick(p *Picker, tried *Tried) *Endpoint {
	var a Attempt
	if p.Begin(&a, &Want{Tried: tried}) != Picked {
		return nil
	}
	return a.Endpoint()
}

// done ends an attempt of pick.
func done(e *Endpoint) { e.active.Add(-1) }

// exhaust runs one exchange that fails everywhere and returns the IDs it tried, in order.
func exhaust(t *testing.T, p *Picker) []string {
	t.Helper()
	var tried Tried
	var ids []string
	for e := pick(p, &tried); e != nil; e = pick(p, &tried) {
		if tried.Has(e) {
			t.Fatalf("%s was tried twice, after %v", e.ID(), ids)
		}
		if e.Active() != 1 {
			t.Fatalf("%s has %d active in its attempt", e.ID(), e.Active())
		}
		tried.Add(e)
		ids = append(ids, e.ID())
		done(e)
	}
	return ids
}

func TestFailOverVisitsEveryEndpointOnce(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		want := 0
		for _, w := range weights {
			if w > 0 {
				want++
			}
		}
		for _, a := range algorithms {
			c := clusterOf(a, weights...)
			p := c.NewPicker(1)
			for range 20 {
				if got := exhaust(t, p); len(got) != want {
					t.Errorf("%v, %d endpoints: tried %d, want %d", a, len(weights), len(got), want)
				}
			}
			for _, e := range c.Endpoints() {
				if e.Active() != 0 {
					t.Errorf("%v: %s has %d active at the end", a, e.ID(), e.Active())
				}
			}
		}
	}
	f()
	f(0)
	f(0, 0)
	f(1)
	f(1, 1)
	f(5, 2, 1)
	f(0, 1, 0, 3)
	f(MaxWeight, 1)
	f(MaxWeight, 1, 1, 1)
	f(slices.Repeat([]int{1}, 9)...)
	f(slices.Repeat([]int{1, 1000, 3}, 20)...)
}

func TestTiersInOrderOfPriority(t *testing.T) {
	options := described(1, 9, 1, 9, 0, 1)
	for i, priority := range []int{7, 7, -3, 100, -3, 7} {
		options[i].Priority = priority
	}
	for _, a := range algorithms {
		p := NewCluster(Options{Algorithm: a, Endpoints: options}, nil).NewPicker(1)
		for range 50 {
			got := exhaust(t, p)
			if len(got) != 5 || got[0] != "e2" || got[4] != "e3" {
				t.Errorf("%v: tried %v, want e2, then e0, e1, e5 in any order, then e3", a, got)
			}
		}
		for range 100 {
			e := pick(p, nil)
			if e.ID() != "e2" {
				t.Errorf("%v: an untried exchange got %s, want e2", a, e.ID())
			}
			done(e)
		}
	}
}

// TestFailOverByWeight has the heavy endpoint tried, so that redraws do not help.
func TestFailOverByWeight(t *testing.T) {
	const picks = 20_000
	for _, a := range []Algorithm{Random, RoundRobin} {
		c := clusterOf(a, MaxWeight, 3, 1)
		p := c.NewPicker(1)
		var tried Tried
		tried.Add(c.Endpoints()[0])
		var counts [3]int
		for range picks {
			e := pick(p, &tried)
			counts[e.Index()]++
			done(e)
		}
		if counts[0] != 0 {
			t.Errorf("%v: a tried endpoint came %d times", a, counts[0])
		}
		wantShare(t, a.String(), 1, counts[1], picks, 0.75)
	}
}

func TestFailOverByLoad(t *testing.T) {
	const picks = 20_000
	c := clusterOf(TwoRandom, MaxWeight, 2, 2, 2, 1)
	for i, active := range []int64{0, 3, 1, 1, 0} {
		c.Endpoints()[i].active.Store(active)
	}
	p := c.NewPicker(1)
	var tried Tried
	tried.Add(c.Endpoints()[0])
	var counts [5]int
	for range picks {
		e := pick(p, &tried)
		counts[e.Index()]++
		done(e)
	}
	// Those at (1+1)/2 and (0+1)/1 tie; a draw sees only two of them, the pass all three.
	if counts[0] != 0 || counts[1] > picks/100 {
		t.Errorf("the tried one came %d times, the loaded one %d", counts[0], counts[1])
	}
	for _, i := range []int{2, 3, 4} {
		if counts[i] < picks/4 {
			t.Errorf("the least loaded endpoint %d came %d times of %d", i, counts[i], picks)
		}
	}
}

func TestPickersOfOneSeedAgree(t *testing.T) {
	for _, a := range algorithms {
		c := clusterOf(a, 5, 3, 2, 1)
		p, q := c.NewPicker(9), c.NewPicker(9)
		for range 100 {
			x := pick(p, nil)
			done(x)
			y := pick(q, nil)
			done(y)
			if x != y {
				t.Fatalf("%v: %s and %s", a, x.ID(), y.ID())
			}
		}
	}
}
