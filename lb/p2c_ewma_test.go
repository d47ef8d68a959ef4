package lb

import (
	"testing"
)

// serve makes attempts one after the other; latency says how long each endpoint takes. It
// returns where they went.
func (s *stage) serve(n int, latency map[string]int64) map[string]int {
	counts := make(map[string]int)
	for range n {
		a, _ := s.begin(Want{})
		id := a.Endpoint().ID()
		counts[id]++
		s.now += latency[id]
		a.Finish(&Outcome{Now: s.now, Status: 200, Latency: latency[id]})
	}
	return counts
}

func TestEWMAAvoidsTheSlow(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1))
	got := s.serve(300, map[string]int64{"e0": 60 * ms, "e1": ms})
	if got["e0"] < 1 || got["e0"] > 3 {
		t.Errorf("the slow endpoint got %d of 300", got["e0"])
	}
}

func TestEWMALeavesAtTheFirstSlowAnswer(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1, 1))
	s.serve(300, map[string]int64{"e0": ms, "e1": 2 * ms, "e2": 2 * ms})
	got := s.serve(120, map[string]int64{"e0": 150 * ms, "e1": 2 * ms, "e2": 2 * ms})
	if got["e0"] > 1 {
		t.Errorf("%d of 120 went to an endpoint that had become slow", got["e0"])
	}
}

// TestEWMAComesBack has a slow endpoint become fast: it must be found out, in a time that
// follows from how slow it was.
func TestEWMAComesBack(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1))
	s.serve(100, map[string]int64{"e0": 40 * ms, "e1": 2 * ms})
	both := map[string]int64{"e0": 2 * ms, "e1": 2 * ms}
	start := s.now
	for s.serve(1, both)["e0"] == 0 {
		if s.now-start > 40*sec { // 10 s × ln 20 = 30 s
			t.Fatal("it is not tried again within 40 s")
		}
	}
	if got := s.of("e0").EWMA(); got > 5*ms {
		t.Errorf("after one fast answer it counts as taking %d us", got/1000)
	}
	for range 8 { // a few at a time, both are used again
		s.begin(Want{})
	}
	if n := s.of("e0").Active(); n < 2 {
		t.Errorf("it holds %d of 8", n)
	}
}

// TestEWMAWarmUp has an endpoint join that nobody knows: it is tried at once, but not by all.
func TestEWMAWarmUp(t *testing.T) {
	f := func(others, burst, most int) {
		t.Helper()
		weights := make([]int, others)
		for i := range weights {
			weights[i] = 1
		}
		s := stageOf(t, guarded(P2CEWMA, weights...))
		for _, e := range s.c.Endpoints() {
			e.latency.answered(20*ms, s.now)
		}
		s.reload(func(o *Options) { o.Endpoints = described(append(weights, 1)...) })
		fresh := s.c.Endpoints()[others]
		if !fresh.Warming() || s.c.Endpoints()[0].Warming() {
			t.Error("who is warming up is mixed up")
		}
		var running []*Attempt
		for range burst {
			a, _ := s.begin(Want{})
			running = append(running, a)
		}
		if got := int(fresh.Active()); got < 1 || got > most {
			t.Errorf("%d of %d requests of one moment went to the new one of %d endpoints, want 1 to %d", got, burst, others+1, most)
		}
		s.now += 500 * ms
		for _, a := range running {
			s.end(a, Success)
		}
		if fresh.Warming() || fresh.EWMA() == 0 {
			t.Error("it is still warming up after an answer")
		}
	}
	f(1, 30, 8)
	f(3, 100, 10)
	f(9, 300, 12)
}

// TestEWMAAllUnknown has a cluster that just started: it must not lean to one.
func TestEWMAAllUnknown(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1, 1, 1))
	for range 40 {
		s.begin(Want{})
	}
	for _, e := range s.c.Endpoints() {
		if n := e.Active(); n < 8 || n > 12 {
			t.Errorf("%s holds %d of 40", e.ID(), n)
		}
	}
}

// TestEWMAFindsOutOneByOne has a slow endpoint look fast for being old news, while answers take
// long: it must get a few attempts, not half of all.
func TestEWMAFindsOutOneByOne(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1))
	s.of("e0").latency.answered(500*ms, s.now)
	s.now += 120 * sec
	s.of("e1").latency.answered(ms, s.now)
	for range 50 {
		s.begin(Want{})
	}
	if n := s.of("e0").Active(); n < 1 || n > 12 {
		t.Errorf("an endpoint that was slow two minutes ago got %d of 50", n)
	}
}

// TestEWMAFailures has an endpoint refuse at once, without a breaker: it must not look fast.
func TestEWMAFailures(t *testing.T) {
	o := guarded(P2CEWMA, 1, 1)
	o.Breakers = nil
	f := func(known bool, most int) {
		t.Helper()
		s := stageOf(t, o)
		s.of("e1").latency.answered(10*ms, s.now)
		if known {
			s.of("e0").latency.answered(20*ms, s.now)
		}
		failed := 0
		for range 1000 {
			a, _ := s.begin(Want{})
			s.now += 10 * ms
			if a.Endpoint() == s.of("e0") {
				failed++
				a.Finish(&Outcome{Now: s.now, Result: Failure, Latency: ms / 10})
				continue
			}
			a.Finish(&Outcome{Now: s.now, Latency: 10 * ms})
		}
		if failed > most {
			t.Errorf("known %v: %d of 1000 went to an endpoint that refuses", known, failed)
		}
	}
	f(false, 3)
	f(true, 4)
}

func TestEWMAWeights(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 9, 1))
	for _, e := range s.c.Endpoints() {
		e.latency.answered(100*ms, s.now)
	}
	for range 20 {
		s.begin(Want{})
	}
	if n := s.of("e0").Active(); n != 18 {
		t.Errorf("weight 9 of 10 holds %d of 20, want 18", n)
	}
	s = stageOf(t, guarded(P2CEWMA, MaxWeight, 1))
	if got := s.serve(200, map[string]int64{"e0": ms, "e1": ms}); got["e1"] > 2 {
		t.Errorf("weight 1 against %d got %d of 200", MaxWeight, got["e1"])
	}
}

// TestEWMAPassesOverTheTried takes the best of what is left.
func TestEWMAPassesOverTheTried(t *testing.T) {
	s := stageOf(t, guarded(P2CEWMA, 1, 1, 1, 1))
	for i, e := range s.c.Endpoints() {
		e.latency.answered(int64(1+i)*ms, s.now)
	}
	var tried Tried
	for i := range 3 {
		tried.Add(s.c.Endpoints()[i])
	}
	for range 20 {
		a, _ := s.begin(Want{Tried: &tried})
		if a.Endpoint() != s.of("e3") {
			t.Fatalf("%s is picked, want e3", a.Endpoint().ID())
		}
		s.end(a, Success)
	}
}
