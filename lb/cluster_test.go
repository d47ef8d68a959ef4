package lb

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// described returns options of endpoints e0, e1, ... with those weights, in one tier.
func described(weights ...int) []EndpointOptions {
	options := make([]EndpointOptions, len(weights))
	for i, w := range weights {
		address := fmt.Sprintf("10.0.%d.%d:80", i/250, i%250+1)
		options[i] = EndpointOptions{ID: fmt.Sprintf("e%d", i), URL: "http://app:80", Address: address, Weight: w}
	}
	return options
}

func clusterOf(a Algorithm, weights ...int) *Cluster {
	return NewCluster(Options{Name: "web", Algorithm: a, Endpoints: described(weights...)}, nil)
}

// only returns the options of those IDs, in that order.
func only(options []EndpointOptions, ids ...string) []EndpointOptions {
	var kept []EndpointOptions
	for _, id := range ids {
		i := slices.IndexFunc(options, func(o EndpointOptions) bool { return o.ID == id })
		kept = append(kept, options[i])
	}
	return kept
}

// tierOf returns the first tier that is in use.
func tierOf(c *Cluster) *tier { return c.current().views[0].tier }

func TestClusterDescribesItself(t *testing.T) {
	c := clusterOf(RoundRobin, 5, 0, MaxWeight+1)
	if c.Name() != "web" || c.Algorithm() != RoundRobin || c.Slots() != 3 || len(c.Endpoints()) != 3 {
		t.Errorf("cluster is %q %v with %d slots and %d endpoints",
			c.Name(), c.Algorithm(), c.Slots(), len(c.Endpoints()))
	}
	weights := []int{5, 0, MaxWeight}
	for i, e := range c.Endpoints() {
		want := fmt.Sprintf("e%d http://app:80 10.0.0.%d:80", i, i+1)
		if got := e.ID() + " " + e.URL() + " " + e.Address(); got != want {
			t.Errorf("endpoint %d is %q, want %q", i, got, want)
		}
		if e.Index() != i || e.Weight() != weights[i] || e.Active() != 0 {
			t.Errorf("endpoint %d has index %d, weight %d, %d active", i, e.Index(), e.Weight(), e.Active())
		}
	}
}

func TestScore(t *testing.T) {
	f := func(a Algorithm, want float64) {
		t.Helper()
		c := clusterOf(a, 4, 0)
		e := c.Endpoints()[0]
		e.active.Store(5)
		e.latency.answered(20*ms, 100*sec)
		if got := c.Score(e, 100*sec); math.Abs(got-want) > want/1000 {
			t.Errorf("%v: the score is %v, want %v", a, got, want)
		}
		if c.Score(c.Endpoints()[1], 0) != 0 || c.Score(new(Endpoint), 0) != 0 {
			t.Errorf("%v: an endpoint that gets nothing has a score", a)
		}
	}
	f(TwoRandom, 1.5)
	f(LeastConn, 1.5)
	f(P2CEWMA, 0.03)
}

func TestAlgorithmNames(t *testing.T) {
	f := func(a Algorithm, name string) {
		t.Helper()
		if a.String() != name {
			t.Errorf("Algorithm(%d).String() = %q, want %q", a, a.String(), name)
		}
		if got, ok := ParseAlgorithm(name); got != a || !ok {
			t.Errorf("ParseAlgorithm(%q) = %v, %v", name, got, ok)
		}
	}
	f(Random, "random")
	f(RoundRobin, "round_robin")
	f(TwoRandom, "two_random")
	f(LeastConn, "least_conn")
	f(P2CEWMA, "p2c_ewma")
	for _, name := range []string{"", "unknown", "Random", "two-random"} {
		if a, ok := ParseAlgorithm(name); ok {
			t.Errorf("ParseAlgorithm(%q) = %v, want none", name, a)
		}
	}
	if got := Algorithm(200).String(); got != "unknown" {
		t.Errorf("Algorithm(200).String() = %q", got)
	}
}

// TestReloadKeepsEndpoints follows one line of clusters. An endpoint is known by its pointer.
func TestReloadKeepsEndpoints(t *testing.T) {
	options := described(1, 1, 1, 1, 1)
	first := NewCluster(Options{Endpoints: only(options, "e0", "e1", "e2")}, nil)
	e := first.Endpoints()
	e[1].Ext = "kept"
	picked := pick(first.NewPicker(1), nil)

	f := func(prev *Cluster, slots int, indexes []int, ids ...string) *Cluster {
		t.Helper()
		c := NewCluster(Options{Endpoints: only(options, ids...)}, prev)
		if c.Slots() != slots {
			t.Errorf("%v: %d slots, want %d", ids, c.Slots(), slots)
		}
		for i, got := range c.Endpoints() {
			if got.ID() != ids[i] || got.Index() != indexes[i] {
				t.Errorf("%v: position %d holds %s with index %d, want index %d",
					ids, i, got.ID(), got.Index(), indexes[i])
			}
			for _, old := range prev.Endpoints() {
				if old.ID() == got.ID() && old != got {
					t.Errorf("%v: %s was made anew", ids, got.ID())
				}
			}
		}
		return c
	}
	f(first, 3, []int{0, 1, 2}, "e0", "e1", "e2")
	f(first, 3, []int{2, 0, 1}, "e2", "e0", "e1")
	f(first, 4, []int{0, 1, 2, 3}, "e0", "e1", "e2", "e3")
	f(first, 4, []int{3, 0, 1, 2}, "e3", "e0", "e1", "e2")
	f(first, 2, []int{1}, "e1")
	f(first, 0, nil)
	second := f(first, 3, []int{2}, "e2")
	third := f(second, 3, []int{0, 2, 1}, "e3", "e2", "e4")
	f(third, 4, []int{2, 0, 1, 3}, "e2", "e3", "e4", "e0")

	if back := third.Endpoints()[1]; back != e[2] {
		t.Error("e2 is another after two reloads")
	}
	again := NewCluster(Options{Endpoints: only(options, "e1")}, first).Endpoints()[0]
	if again.Ext != "kept" {
		t.Errorf("Ext is %v after a reload", again.Ext)
	}
	if picked.Active() != 1 {
		t.Errorf("%d active after reloads, want 1", picked.Active())
	}
}

func TestReloadMakesMovedEndpointsAnew(t *testing.T) {
	f := func(change func(o *EndpointOptions), anew bool) {
		t.Helper()
		options := described(1)
		prev := NewCluster(Options{Endpoints: options}, nil)
		change(&options[0])
		c := NewCluster(Options{Endpoints: options}, prev)
		if got := c.Endpoints()[0] != prev.Endpoints()[0]; got != anew {
			t.Errorf("%+v: made anew %v, want %v", options[0], got, anew)
		}
	}
	f(func(o *EndpointOptions) {}, false)
	f(func(o *EndpointOptions) { o.Weight = 9 }, false)
	f(func(o *EndpointOptions) { o.Priority = 9 }, false)
	f(func(o *EndpointOptions) { o.ID = "other" }, true)
	f(func(o *EndpointOptions) { o.Address = "10.9.9.9:80" }, true)
	f(func(o *EndpointOptions) { o.URL = "https://app:443" }, true)
}

func TestRepeatedIDsAreEndpointsOfTheirOwn(t *testing.T) {
	options := described(1)
	twice := []EndpointOptions{options[0], options[0]}
	c := NewCluster(Options{Endpoints: twice}, NewCluster(Options{Endpoints: twice}, nil))
	if a, b := c.Endpoints()[0], c.Endpoints()[1]; a == b || a.Index() == b.Index() {
		t.Errorf("two endpoints of one ID have indexes %d and %d, want different ones", a.Index(), b.Index())
	}
}

// TestReloadLeavesThePreviousCluster changes weights and members; the old Picker must not see it.
func TestReloadLeavesThePreviousCluster(t *testing.T) {
	prev := clusterOf(RoundRobin, 3, 1)
	p := prev.NewPicker(1)
	next := NewCluster(Options{Algorithm: RoundRobin, Endpoints: described(1, 3, 4)}, prev)
	if got := shareOf(p, prev, 8); !slices.Equal(got, []int{6, 2}) {
		t.Errorf("the old cluster's shares are %v after a reload, want [6 2]", got)
	}
	if got := shareOf(next.NewPicker(1), next, 8); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("the new cluster's shares are %v, want [1 3 4]", got)
	}
	if w := prev.Endpoints()[0].Weight(); w != 1 {
		t.Errorf("Weight() = %d after a reload, want the newest, 1", w)
	}
}

// shareOf returns how many of picks each endpoint of c got; each pick is finished at once.
func shareOf(p *Picker, c *Cluster, picks int) []int {
	counts := make(map[*Endpoint]int)
	for range picks {
		e := pick(p, nil)
		counts[e]++
		done(e)
	}
	shares := make([]int, len(c.Endpoints()))
	for i, e := range c.Endpoints() {
		shares[i] = counts[e]
	}
	return shares
}

// guarded returns options of endpoints with those weights, behind breakers of common settings.
func guarded(a Algorithm, weights ...int) Options {
	return Options{
		Name: "web", Algorithm: a, Endpoints: described(weights...),
		Breakers: NewBreakers(nil), Breaker: commonBreaker(),
	}
}

func commonBreaker() BreakerSettings {
	return BreakerSettings{
		MaxFails: 5, Window: 30 * time.Second, OpenDuration: 30 * time.Second, ConsecutivePasses: 1,
		FlappingTransitions: 3, FlappingWindow: 10 * time.Second,
	}
}
