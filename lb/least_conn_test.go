package lb

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// leastShare returns the least (active + 1) / weight, and that of e.
func leastShare(c *Cluster, e *Endpoint) (least, its float64) {
	share := func(e *Endpoint) float64 { return float64(e.Active()+1) / float64(e.Weight()) }
	least = share(c.Endpoints()[0])
	for _, o := range c.Endpoints() {
		least = min(least, share(o))
	}
	return least, share(e)
}

// TestLeastConnIsLeast has one worker begin and end attempts in any order: each pick must be one
// of the least loaded, among few and among many.
func TestLeastConnIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	f := func(weights ...int) {
		t.Helper()
		s := stageOf(t, guarded(LeastConn, weights...))
		var running []*Attempt
		for range 3000 {
			if len(running) > 0 && rng.IntN(len(running)+2*len(weights)) < len(running) {
				i := rng.IntN(len(running))
				s.end(running[i], Success)
				running = slices.Delete(running, i, i+1)
				continue
			}
			a, _ := s.begin(Want{})
			e := a.Endpoint()
			e.active.Add(-1)
			least, its := leastShare(s.c, e)
			e.active.Add(1)
			if its != least {
				t.Fatalf("%d endpoints: picked one at %v, the least is %v", len(weights), its, least)
			}
			running = append(running, a)
		}
	}
	f(1)
	f(1, 1)
	f(4, 1)
	f(5, 3, 2, 1)
	f(slices.Repeat([]int{1}, scanned)...)
	f(slices.Repeat([]int{1}, scanned+1)...)
	f(slices.Repeat([]int{7, 3, 1, 1}, 8)...)
	f(slices.Repeat([]int{1}, 200)...)
	f(slices.Repeat([]int{1, 2, 3, 999_999, MaxWeight}, 40)...)
}

func TestLeastConnHolds(t *testing.T) {
	f := func(want []int64, weights ...int) {
		t.Helper()
		n := int64(0)
		for _, w := range want {
			n += w
		}
		for seed := range uint64(20) {
			if got := held(clusterOf(LeastConn, weights...), seed, int(n)); !slices.Equal(got, want) {
				t.Errorf("weights %v: %d are held as %v, want %v", weights, n, got, want)
			}
		}
	}
	f([]int64{8, 2}, 4, 1)
	f([]int64{3, 3, 3}, 1, 1, 1)
	f([]int64{50, 20, 10}, 5, 2, 1)
	f(slices.Repeat([]int64{6, 3}, 10), slices.Repeat([]int{2, 1}, 10)...)
}

// TestLeastConnTies has an idle cluster: all tie, so all must come as often, in no order.
func TestLeastConnTies(t *testing.T) {
	for _, n := range []int{2, 3, scanned, scanned + 1, 33, 50} {
		picks := 1000 * n
		s := stageOf(t, guarded(LeastConn, slices.Repeat([]int{1}, n)...))
		counts := make([]int, n)
		twice := 0
		last := -1
		for range picks {
			a, _ := s.begin(Want{})
			i := a.Endpoint().Index()
			counts[i]++
			if i == last {
				twice++
			}
			last = i
			s.end(a, Success)
		}
		for i, got := range counts {
			wantShare(t, "endpoint", i, got, picks, 1/float64(n))
		}
		wantShare(t, "the same again", n, twice, picks, 1/float64(n))
	}
}

// TestLeastConnSeesOthers has another worker's attempts come and go.
func TestLeastConnSeesOthers(t *testing.T) {
	const n = 100
	s := stageOf(t, guarded(LeastConn, slices.Repeat([]int{1}, n)...))
	s.shares(n)
	for _, e := range s.c.Endpoints()[:n-1] {
		e.active.Add(1)
	}
	s.shares(n / looks) // what begins elsewhere is seen before it is chosen, so many a pick
	s.only("e99")
	s.c.Endpoints()[n-1].active.Add(5)
	s.shares(n)
	for _, e := range s.c.Endpoints()[:n-1] {
		e.active.Add(-1)
	}
	s.shares(n) // what ends elsewhere within as many picks as there are endpoints
	counts := s.shares(5000)
	for _, e := range s.c.Endpoints()[:n-1] {
		if counts[e.ID()] == 0 {
			t.Errorf("%s is idle and got nothing of 5000", e.ID())
		}
	}
	if counts["e99"] != 0 {
		t.Errorf("the loaded endpoint got %d", counts["e99"])
	}
}

// TestLeastConnAmongManyFull has nearly all endpoints at their limit.
func TestLeastConnAmongManyFull(t *testing.T) {
	o := guarded(LeastConn, slices.Repeat([]int{1}, 40)...)
	for i := range o.Endpoints {
		o.Endpoints[i].Capacity = 1
	}
	s := stageOf(t, o)
	for range 40 {
		if _, verdict := s.begin(Want{}); verdict != Picked {
			t.Fatal("there was room")
		}
	}
	if _, verdict := s.begin(Want{}); verdict != Full {
		t.Errorf("verdict %d, want Full", verdict)
	}
	s.of("e17").active.Store(0)
	if a, _ := s.begin(Want{}); a.Endpoint() != s.of("e17") {
		t.Error("the only endpoint with room is not found")
	}
}

func TestLoadTree(t *testing.T) {
	rng := rand.NewPCG(1, 12)
	for n := 1; n <= 70; n++ {
		tree := newLoadTree(tierOf(clusterOf(LeastConn, slices.Repeat([]int{1}, n)...)))
		shares := slices.Repeat([]share{tree.tier.members[0].share(1)}, n)
		for range 300 {
			i := int(below(rng, int64(n)))
			shares[i] = share(below(rng, 5))
			tree.set(i, shares[i])
			least := slices.Min(shares)
			if got := tree.walk(rng); shares[got] != least || tree.nodes[1] != least {
				t.Fatalf("%d members: the walk came to %d of %v", n, got, shares)
			}
		}
	}
}
