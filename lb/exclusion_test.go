package lb

import (
	"fmt"
	"testing"
)

// excluded returns the counts of an endpoint by reason, as "circuit tried overloaded check held".
func (s *stage) excluded(id string) string {
	s.t.Helper()
	s.c.CountExclusions()
	e := s.of(id)
	return fmt.Sprintf("%d %d %d %d %d", e.Excluded(CircuitOpen), e.Excluded(AlreadyTried),
		e.Excluded(Overloaded), e.Excluded(CheckFailed), e.Excluded(Held))
}

func (s *stage) wantExcluded(id, want string) {
	s.t.Helper()
	if got := s.excluded(id); got != want {
		s.t.Errorf("%v: %s is excluded %s, want %s (circuit, tried, overloaded, check, held)", s.c.Algorithm(), id, got, want)
	}
}

// TestExclusionsOfACircuit is one endpoint that fails twice, and requests that are not retried
// on it but ask for another.
func TestExclusionsOfACircuit(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		o := guarded(a, 1)
		o.Breaker.MaxFails = 2
		s := stageOf(t, o)
		for range 4 {
			a, verdict := s.begin(Want{})
			if verdict != Picked {
				continue
			}
			var tried Tried
			tried.Add(a.Endpoint())
			s.end(a, Failure)
			if _, verdict := s.begin(Want{Tried: &tried}); verdict != None {
				t.Error("another attempt")
			}
		}
		s.wantExcluded("e0", "2 2 0 0 0")
		s.wantExcluded("e0", "2 2 0 0 0")
		s.now += 31 * sec
		trial, _ := s.begin(Want{})
		s.wantExcluded("e0", "2 2 0 0 0")
		s.only("")
		s.wantExcluded("e0", "62 2 0 0 0")
		s.end(trial, Success)
		s.only("e0")
		s.wantExcluded("e0", "62 2 0 0 0")
	})
}

func TestExclusionsByReason(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, guarded(a, 1, 1, 1))
		s.of("e0").SetHealth(false)
		s.shares(10)
		s.of("e1").SetAdmin(Drain)
		s.shares(5)
		s.of("e0").SetAdmin(Stopped)
		s.shares(2)
		s.of("e0").SetHealth(true)
		s.shares(3)
		s.of("e0").SetAdmin(Enabled)
		s.of("e1").SetAdmin(Enabled)
		s.shares(50)
		s.wantExcluded("e0", "0 0 0 17 3")
		s.wantExcluded("e1", "0 0 0 0 10")
		s.wantExcluded("e2", "0 0 0 0 0")
	})
}

// TestExclusionsByTier counts nobody in a tier that no pick looked into.
func TestExclusionsByTier(t *testing.T) {
	s := stageOf(t, tiered(Random))
	s.of("e0").SetHealth(false)
	s.of("e2").SetHealth(false)
	s.shares(10)
	s.wantExcluded("e0", "0 0 0 10 0")
	s.wantExcluded("e2", "0 0 0 0 0")
	s.of("e1").SetHealth(false)
	s.shares(4)
	s.wantExcluded("e0", "0 0 0 14 0")
	s.wantExcluded("e1", "0 0 0 4 0")
	s.wantExcluded("e2", "0 0 0 4 0")
}

// TestExclusionsOfTheTriedByTier has an endpoint tried that a cookie led to, in a tier that the
// next pick does not come to.
func TestExclusionsOfTheTriedByTier(t *testing.T) {
	s := stageOf(t, tiered(Random))
	var tried Tried
	a, _ := s.begin(Want{Home: s.of("e2")})
	tried.Add(a.Endpoint())
	s.end(a, Failure)
	a, _ = s.begin(Want{Tried: &tried})
	tried.Add(a.Endpoint())
	s.end(a, Failure)
	s.wantExcluded("e2", "0 0 0 0 0")
	a, _ = s.begin(Want{Tried: &tried})
	s.end(a, Failure)
	if n := s.of("e0").Excluded(AlreadyTried) + s.of("e1").Excluded(AlreadyTried); n != 1 {
		t.Errorf("%d exclusions in the lowest tier, want 1", n)
	}
	s.of("e0").SetHealth(false)
	s.of("e1").SetHealth(false)
	s.begin(Want{Tried: &tried})
	s.wantExcluded("e2", "0 1 0 0 0")
}

// TestExclusionsOfTheFull counts each endpoint once a pick, however often it is drawn.
func TestExclusionsOfTheFull(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		o := tiered(a)
		o.Endpoints[0].Capacity = 1
		o.Endpoints[0].Weight = 1000
		o.Endpoints[1].Capacity = 1
		s := stageOf(t, o)
		for range 2 {
			s.begin(Want{})
		}
		var before, after int64
		before = s.of("e0").Excluded(Overloaded) // of the second pick, maybe
		for range 10 {
			s.begin(Want{})
		}
		after = s.of("e0").Excluded(Overloaded)
		if after-before != 10 || s.of("e1").Excluded(Overloaded) < 10 || s.of("e1").Excluded(Overloaded) > 11 {
			t.Errorf("excluded %d and %d times, want 10 each", after-before, s.of("e1").Excluded(Overloaded))
		}
		if n := s.of("e2").Excluded(Overloaded); n != 0 {
			t.Errorf("the next tier is excluded %d times", n)
		}
		home := s.of("e0")
		before = home.Excluded(Overloaded)
		at, _ := s.begin(Want{Home: home})
		if home.Excluded(Overloaded)-before != 1 || at.Endpoint() == home {
			t.Errorf("a full home is excluded %d times", home.Excluded(Overloaded)-before)
		}
	})
}

// TestExclusionsGoOnOverReloads counts in both Clusters of a line.
func TestExclusionsGoOnOverReloads(t *testing.T) {
	s := stageOf(t, guarded(RoundRobin, 1, 1))
	s.of("e0").SetHealth(false)
	s.shares(10)
	old := s.c
	s.reload(func(o *Options) {})
	s.shares(5)
	old.CountExclusions()
	s.wantExcluded("e0", "0 0 0 15 0")
	if got := s.of("e0").Excluded(reasons); got != 0 {
		t.Errorf("%d exclusions for a reason that is none", got)
	}
}

// TestExclusionsAmongWorkers counts picks of many workers exactly.
func TestExclusionsAmongWorkers(t *testing.T) {
	s := stageOf(t, guarded(TwoRandom, 1, 1, 1))
	s.of("e0").SetHealth(false)
	together(4, func(i int) {
		p := s.c.NewPicker(uint64(i))
		for range 1000 {
			done(pick(p, nil))
			if i == 0 {
				s.c.CountExclusions()
			}
		}
	})
	s.wantExcluded("e0", "0 0 0 4000 0")
}
