package lb

import (
	"sync/atomic"
	"testing"
)

// tiered returns options of e0 and e1 in tier 3, and e2 in tier 7.
func tiered(a Algorithm) Options {
	o := guarded(a, 1, 1, 100)
	o.Endpoints[0].Priority, o.Endpoints[1].Priority, o.Endpoints[2].Priority = 3, 3, 7
	return o
}

func TestLowestTierOnly(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, tiered(a))
		if s.c.Tiers() != 2 || s.c.Tier(s.of("e0")) != 0 || s.c.Tier(s.of("e2")) != 1 || s.c.Tier(new(Endpoint)) != -1 {
			t.Error("the tiers are numbered wrong")
		}
		s.only("e0", "e1")
	})
}

// TestFailOverAndBack takes the lowest tier away in each way there is, and gives it back.
func TestFailOverAndBack(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		f := func(away, back func(s *stage, e *Endpoint)) {
			t.Helper()
			s := stageOf(t, tiered(a))
			s.only("e0", "e1")
			away(s, s.of("e0"))
			s.only("e1")
			away(s, s.of("e1"))
			s.only("e2")
			back(s, s.of("e0"))
			s.only("e0")
			back(s, s.of("e1"))
			s.only("e0", "e1")
		}
		f(func(_ *stage, e *Endpoint) { e.SetHealth(false) }, func(_ *stage, e *Endpoint) { e.SetHealth(true) })
		f(func(_ *stage, e *Endpoint) { e.SetHealth(false) }, func(_ *stage, e *Endpoint) { e.ForgetHealth() })
		f(func(_ *stage, e *Endpoint) { e.SetAdmin(Drain) }, func(_ *stage, e *Endpoint) { e.SetAdmin(Enabled) })
		f(func(_ *stage, e *Endpoint) { e.SetAdmin(Stopped) }, func(_ *stage, e *Endpoint) { e.SetAdmin(Enabled) })
		f(func(_ *stage, e *Endpoint) { e.SetDisabled(true) }, func(_ *stage, e *Endpoint) { e.SetDisabled(false) })
		f(func(s *stage, e *Endpoint) { s.fail(e, 5) }, func(s *stage, e *Endpoint) { e.CheckPassed() })
	})
}

func TestNobodyLeft(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, tiered(a))
		for _, e := range s.c.Endpoints() {
			e.SetHealth(false)
		}
		if _, verdict := s.begin(Want{}); verdict != None {
			t.Errorf("verdict %d with everybody unhealthy", verdict)
		}
		s.of("e2").SetHealth(true)
		s.only("e2")
	})
}

func TestStatus(t *testing.T) {
	e := stageOf(t, guarded(Random, 1)).of("e0")
	f := func(state State, health Health, serves, tied bool) {
		t.Helper()
		b := e.bits()
		if e.State() != state || e.Health() != health || b.serves(false) != serves || b.serves(true) != tied {
			t.Errorf("%v, %v, serves all %v and tied %v; want %v, %v, %v, %v",
				e.State(), e.Health(), b.serves(false), b.serves(true), state, health, serves, tied)
		}
	}
	f(Enabled, Unchecked, true, true)
	e.SetHealth(true)
	f(Enabled, Healthy, true, true)
	e.SetHealth(false)
	f(Enabled, Unhealthy, false, false)
	e.SetAdmin(Drain)
	f(Drain, Unhealthy, false, false)
	e.SetHealth(true)
	f(Drain, Healthy, false, true)
	e.SetDisabled(true)
	f(Drain, Healthy, false, false) // what the operator said is shown
	e.SetAdmin(Stopped)
	f(Stopped, Healthy, false, false)
	e.SetDisabled(false)
	f(Stopped, Healthy, false, false)
	e.SetDisabled(true)
	e.SetAdmin(Enabled)
	f(Disabled, Healthy, false, false)
	e.SetDisabled(false)
	e.ForgetHealth()
	f(Enabled, Unchecked, true, true)
	e.SetAdmin(Disabled)
	f(Disabled, Unchecked, false, false)
	e.SetAdmin(Enabled)
	f(Enabled, Unchecked, true, true)
}

func TestStatusNames(t *testing.T) {
	for s, want := range map[State]string{Enabled: "enabled", Drain: "drain", Stopped: "stopped", Disabled: "disabled", 9: "unknown"} {
		if got := s.String(); got != want {
			t.Errorf("State(%d).String() = %q, want %q", s, got, want)
		}
	}
	for h, want := range map[Health]string{Unchecked: "unchecked", Healthy: "healthy", Unhealthy: "unhealthy", 9: "unknown"} {
		if got := h.String(); got != want {
			t.Errorf("Health(%d).String() = %q, want %q", h, got, want)
		}
	}
}

// TestDrainServesTheTied has requests that a cookie or a key ties to a draining endpoint.
func TestDrainServesTheTied(t *testing.T) {
	o := guarded(Random, 1, 1)
	o.Keyed = true
	s := stageOf(t, o)
	e := s.of("e0")
	key := keysOf(s, "e0", 1)[0]
	served := func(w Want) bool {
		a, _ := s.begin(w)
		defer s.end(a, Success)
		return a.Endpoint() == e
	}
	f := func(tied bool) {
		t.Helper()
		if served(Want{Home: e}) != tied || served(Want{Key: key, Keyed: true}) != tied {
			t.Errorf("%v: tied requests are served: %v", e.State(), !tied)
		}
	}
	f(true)
	e.SetAdmin(Drain)
	s.only("e1")
	f(true)
	s.of("e1").SetAdmin(Stopped)
	f(true)
	s.only("")
	e.SetAdmin(Stopped)
	s.of("e1").SetAdmin(Enabled)
	f(false)
	e.SetAdmin(Drain)
	e.SetHealth(false)
	f(false)
}

func TestWeightSetByTheOperator(t *testing.T) {
	for _, a := range []Algorithm{Random, RoundRobin} {
		s := stageOf(t, guarded(a, 1, 1))
		e := s.of("e0")
		share := func(want float64) {
			t.Helper()
			const picks = 4000
			wantShare(t, a.String(), 0, s.shares(picks)["e0"], picks, want)
		}
		share(0.5)
		e.SetWeight(3)
		share(0.75)
		s.reload(func(o *Options) { o.Endpoints[0].Weight = 9 })
		share(0.75)
		if s.of("e0") != e || e.Weight() != 3 {
			t.Errorf("the weight is %d after a reload, want 3", e.Weight())
		}
		e.SetWeight(0)
		share(0.9)
		if e.Weight() != 9 {
			t.Errorf("the weight is %d, want the configured 9", e.Weight())
		}
		e.SetWeight(2 * MaxWeight)
		if e.Weight() != MaxWeight {
			t.Errorf("the weight is %d, want %d", e.Weight(), MaxWeight)
		}
	}
}

// TestStatusThatStays makes no table for a word that changes nothing: checks tell of each probe.
func TestStatusThatStays(t *testing.T) {
	s := stageOf(t, guarded(Random, 1, 1))
	e := s.of("e0")
	e.SetHealth(true)
	e.SetWeight(5)
	e.SetAdmin(Drain)
	before := s.c.current()
	e.SetHealth(true)
	e.SetWeight(5)
	e.SetAdmin(Drain)
	e.SetDisabled(false)
	e.CheckPassed()
	if s.c.current() != before {
		t.Error("a table is made anew although nothing changed")
	}
}

// TestStatusStaysOverReloads holds that verdicts and words belong to the endpoint, and that a
// Cluster which has been followed still sees them.
func TestStatusStaysOverReloads(t *testing.T) {
	s := stageOf(t, guarded(Random, 1, 1, 1))
	s.of("e0").SetHealth(false)
	s.of("e1").SetAdmin(Stopped)
	old := s.p
	s.reload(func(o *Options) { o.Endpoints = append(o.Endpoints, described(1, 1, 1, 1)[3]) })
	s.only("e2", "e3")
	s.of("e2").SetHealth(false)
	s.of("e0").SetHealth(true)
	s.only("e0", "e3")
	s.p = old
	s.only("e0")
}

func TestCapacity(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		o := tiered(a)
		o.Endpoints[0].Capacity, o.Endpoints[1].Capacity, o.Endpoints[2].Capacity = 2, 1, 1
		s := stageOf(t, o)
		var running []*Attempt
		hold := func(verdict Verdict, ids ...string) {
			t.Helper()
			at, got := s.begin(Want{})
			if got != verdict {
				t.Fatalf("verdict %d, want %d", got, verdict)
			}
			if got == Full && at.Tier() != 0 {
				t.Errorf("to wait for is tier %d, want 0", at.Tier())
			}
			if got == Picked {
				running = append(running, at)
				if id := at.Endpoint().ID(); id != ids[0] && id != ids[len(ids)-1] {
					t.Errorf("picked %s, want one of %v", id, ids)
				}
			}
		}
		hold(Picked, "e0", "e1")
		hold(Picked, "e0", "e1")
		hold(Picked, "e0", "e1")
		hold(Picked, "e2")
		hold(Full)
		hold(Full)
		s.end(running[0], Success)
		hold(Picked, "e0", "e1")
		hold(Full)
		s.of("e1").SetCapacity(0)
		hold(Picked, "e1")
		hold(Picked, "e1")
		s.of("e1").SetHealth(false)
		s.of("e0").SetHealth(false)
		at, verdict := s.begin(Want{})
		if verdict != Full || at.Tier() != 1 {
			t.Errorf("verdict %d for tier %d, want Full for tier 1", verdict, at.Tier())
		}
		s.of("e2").SetHealth(false)
		hold(None)
	})
}

// TestCapacityIsExactAmongWorkers has more workers than places.
func TestCapacityIsExactAmongWorkers(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		o := guarded(a, 1, 2)
		o.Endpoints[0].Capacity, o.Endpoints[1].Capacity = 1, 2
		c := NewCluster(o, nil)
		var running [2]atomic.Int64
		together(6, func(i int) {
			p := c.NewPicker(uint64(i))
			for range 500 {
				var at Attempt
				if p.Begin(&at, &Want{Now: sec}) != Picked {
					continue
				}
				e := at.Endpoint()
				if n := running[e.Index()].Add(1); n > e.capacity.Load() {
					t.Errorf("%s has %d attempts", e.ID(), n)
				}
				running[e.Index()].Add(-1)
				at.Finish(&Outcome{Now: sec, Result: Success})
			}
		})
		for _, e := range c.Endpoints() {
			if e.Active() != 0 {
				t.Errorf("%s has %d attempts at the end", e.ID(), e.Active())
			}
		}
	})
}
