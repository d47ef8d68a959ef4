package lb

import (
	"math/rand/v2"
	"testing"
	"time"
)

// rampStage has e0 come back from an open circuit right now, for a slow start of 10 s.
func rampStage(t *testing.T, a Algorithm, weights ...int) *stage {
	o := guarded(a, weights...)
	o.Breaker.SlowStart = 10 * time.Second
	o.Breaker.FlappingTransitions = 0
	s := stageOf(t, o)
	s.shares(100) // all are known
	s.fail(s.of("e0"), 5)
	s.now += 31 * sec
	for _, e := range s.c.Endpoints() {
		e.latency.answered(ms, s.now)
	}
	if got := s.ask(Success); got != "e0" {
		t.Fatalf("the trial went to %q", got)
	}
	return s
}

// part returns the share of e0 when attempts are made one after the other over some time.
func (s *stage) part(over int64, picks int) float64 {
	got := 0
	for range picks {
		if s.ask(Success) == "e0" {
			got++
		}
		s.now += over / int64(picks)
	}
	return float64(got) / float64(picks)
}

// TestSlowStartRamps has requests one at a time: loads do not tell endpoints apart then, and the
// share must rise all the same.
func TestSlowStartRamps(t *testing.T) {
	for _, a := range []Algorithm{Random, RoundRobin, TwoRandom, LeastConn} {
		s := rampStage(t, a, 1, 1)
		first := s.part(2500*ms, 4000)
		s.now += 2500 * ms
		third := s.part(2500*ms, 4000)
		s.now += 3 * sec
		after := s.part(2*sec, 4000)
		if first > 0.12 || first < 0.02 || third < 0.22 || third > 0.45 || after < 0.45 || after > 0.55 {
			t.Errorf("%v: shares of %.3f, %.3f and %.3f in the first and third quarter of the ramp and after it",
				a, first, third, after)
		}
	}
}

// TestSlowStartUnderLoad has the others hold 20 attempts each: the one that is back must not get
// all new ones until it is level.
func TestSlowStartUnderLoad(t *testing.T) {
	for _, a := range []Algorithm{TwoRandom, LeastConn, P2CEWMA} {
		o := guarded(a, 1, 1, 1)
		o.Breaker.SlowStart = 10 * time.Second
		s := stageOf(t, o)
		s.fail(s.of("e0"), 5)
		s.of("e1").active.Store(20)
		s.of("e2").active.Store(20)
		s.now += 31 * sec
		trial, _ := s.begin(Want{})
		s.end(trial, Success)
		for _, e := range s.c.Endpoints() {
			e.latency.word.Store(0)
			e.latency.answered(ms, s.now)
		}
		held := func(at int64) int64 {
			s.now += at
			for range 9 {
				s.begin(Want{})
			}
			return s.of("e0").Active()
		}
		if n := held(sec / 2); n > 6 {
			t.Errorf("%v: at 0.5 of 10 s it holds %d beside others of 20", a, n)
		}
		if n := held(4500 * ms); n < 6 || n > 18 {
			t.Errorf("%v: at 5 of 10 s it holds %d beside others of 20", a, n)
		}
		held(6 * sec)
		held(0)
		if n := held(0); n < 15 {
			t.Errorf("%v: after the ramp it holds %d beside others of more than 20", a, n)
		}
	}
}

// TestSlowStartOfAll has every endpoint in slow start: there is nobody to leave a turn to.
func TestSlowStartOfAll(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		o := guarded(a, 1, 1, 1)
		o.Breaker.SlowStart = time.Hour
		s := stageOf(t, o)
		for _, e := range s.c.Endpoints() {
			s.fail(e, 5)
		}
		s.now += 31 * sec
		s.shares(3)
		s.only("e0", "e1", "e2")
	})
}

// TestSlowStartOfTheHeavy has a weight of 9 come back to one of 1.
func TestSlowStartOfTheHeavy(t *testing.T) {
	for _, a := range []Algorithm{Random, RoundRobin} {
		s := rampStage(t, a, 9, 1)
		if first := s.part(sec, 2000); first > 0.5 {
			t.Errorf("%v: share of %.3f in the first tenth of the ramp", a, first)
		}
		s.now += 10 * sec
		if after := s.part(sec, 2000); after < 0.87 || after > 0.93 {
			t.Errorf("%v: share of %.3f after the ramp, want 0.9", a, after)
		}
	}
}

// TestSlowStartEndsWithAReload keeps the ramp over a reload, and drops it with the key.
func TestSlowStartEndsWithAReload(t *testing.T) {
	s := rampStage(t, Random, 1, 1)
	s.reload(func(o *Options) { o.Endpoints[1].Weight = 1 })
	if got := s.part(sec, 2000); got > 0.12 {
		t.Errorf("share of %.3f in the first tenth, after a reload", got)
	}
	s.reload(func(o *Options) { o.Breaker.SlowStart = 0 })
	if got := s.part(sec, 2000); got < 0.45 {
		t.Errorf("share of %.3f without slow start", got)
	}
}

// TestSlowStartKeepsTheTier has a table made anew in the middle of a ramp, under another load.
func TestSlowStartKeepsTheTier(t *testing.T) {
	s := rampStage(t, RoundRobin, 1, 1)
	before := tierOf(s.c)
	s.of("e1").active.Add(10)
	s.c.circuits.wake()
	if tierOf(s.c) != before {
		t.Error("workers lose their place in a tier that has not changed")
	}
}

func TestRampLine(t *testing.T) {
	rng := rand.NewPCG(1, 9)
	r := ramp{start: 100 * sec, length: 10 * sec, height: 4}
	f := func(at int64, left float64) {
		t.Helper()
		if got := r.left(at); got != left {
			t.Errorf("at %d ms %v of the ramp is left, want %v", at/ms, got, left)
		}
		sum := int64(0)
		for range 10_000 {
			sum += r.virtual(rng, at)
		}
		if mean := float64(sum) / 10_000; mean < 4*left-0.03 || mean > 4*left+0.03 {
			t.Errorf("at %d ms the virtual load is %v, want %v", at/ms, mean, 4*left)
		}
	}
	f(99*sec, 1)
	f(100*sec, 1)
	f(105*sec, 0.5)
	f(107500*ms, 0.25)
	f(110*sec, 0)
	f(1000*sec, 0)
	var none ramp
	if none.left(0) != 0 || none.virtual(rng, 0) != 0 || !none.passes(rng, 0) {
		t.Error("the zero ramp is one")
	}
}
