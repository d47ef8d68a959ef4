package lb

import (
	"testing"
	"time"
)

// TestCircuitAmongTwo has one of two endpoints fail always.
func TestCircuitAmongTwo(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, guarded(a, 1, 1))
		bad, attempts := s.of("e0"), 0
		for range 200 {
			at, _ := s.begin(Want{})
			if at.Endpoint() == bad {
				attempts++
				s.end(at, Failure)
				continue
			}
			s.end(at, Success)
			s.now += ms
		}
		if a == P2CEWMA { // it looks at an endpoint that never answered from time to time only
			if attempts < 1 {
				t.Error("the failing endpoint was never tried")
			}
			s.fail(bad, 5-attempts)
		} else if attempts != 5 {
			t.Errorf("the failing endpoint got %d attempts, want max_fails = 5", attempts)
		}
		s.circuit(bad, Open)
		s.now += 31 * sec
		if got := s.ask(Success); got != "e0" {
			t.Errorf("the trial went to %q, want e0", got)
		}
		s.circuit(bad, Closed)
		s.only("e0", "e1")
	})
}

// TestOneTrialOfManyPicks has the only endpoint due for a trial.
func TestOneTrialOfManyPicks(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, guarded(a, 1))
		e := s.of("e0")
		s.fail(e, 5)
		s.only("")
		s.now += 30*sec + ms
		trial, _ := s.begin(Want{})
		if !trial.Trial() {
			t.Fatal("no trial")
		}
		s.circuit(e, HalfOpen)
		s.only("")
		var at Attempt
		if s.p.BeginAt(&at, e, s.now) || e.Active() != 1 {
			t.Error("a second trial")
		}
		for range 5 { // the client leaves: at once there is another
			s.end(trial, Abandon)
			if trial, _ = s.begin(Want{}); !trial.Trial() {
				t.Fatal("the slot is not given back")
			}
		}
		s.end(trial, Failure)
		s.circuit(e, Open)
		s.only("")
		s.now += 30*sec + ms
		s.only("e0")
		s.circuit(e, Closed)
	})
}

// TestTrialsInARow needs three of them, through a pick each.
func TestTrialsInARow(t *testing.T) {
	o := guarded(LeastConn, 1, 1)
	o.Breaker.ConsecutivePasses = 3
	s := stageOf(t, o)
	e := s.of("e0")
	s.fail(e, 5)
	s.now += 31 * sec
	for range 3 {
		trial, _ := s.begin(Want{})
		if trial.Endpoint() != e {
			t.Fatal("the next trial is not taken at once")
		}
		s.only("e1")
		s.circuit(e, HalfOpen)
		s.end(trial, Success)
	}
	s.circuit(e, Closed)
	s.only("e0", "e1")
}

// TestTrialComesBeforeTheNextTier has the lowest tier closed by its circuits.
func TestTrialComesBeforeTheNextTier(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, tiered(a))
		s.fail(s.of("e0"), 5)
		s.fail(s.of("e1"), 5)
		s.only("e2")
		s.now += 31 * sec
		first, _ := s.begin(Want{})
		second, _ := s.begin(Want{})
		third, _ := s.begin(Want{})
		if first.Tier() != 0 || second.Tier() != 0 || first.Endpoint() == second.Endpoint() || third.Tier() != 1 {
			t.Errorf("trials at %s and %s, then %s", first.Endpoint().ID(), second.Endpoint().ID(), third.Endpoint().ID())
		}
		back := second.Endpoint().ID()
		s.end(first, Failure)
		s.end(second, Success)
		s.end(third, Success)
		s.only(back)
	})
}

// TestTrialIsNotForTheTried has an exchange come back to an endpoint that it opened.
func TestTrialIsNotForTheTried(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	e := s.of("e0")
	s.fail(e, 5)
	s.now += 31 * sec
	var tried Tried
	tried.Add(e)
	if _, verdict := s.begin(Want{Tried: &tried}); verdict != None {
		t.Error("an exchange got the trial of an endpoint that it tried")
	}
	s.circuit(e, Open)
	s.only("e0")
}

// TestSameEndpointAgain retries on the endpoint at hand, as long as its circuit lets it.
func TestSameEndpointAgain(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	s.fail(s.of("e0"), 5)
	var at Attempt
	if s.p.BeginAt(&at, s.of("e0"), s.now) {
		t.Error("a sixth attempt of one exchange is admitted")
	}
	s.now += 31 * sec
	if !s.p.BeginAt(&at, s.of("e0"), s.now) || !at.Trial() {
		t.Error("a retry cannot be the trial")
	}
	s.end(&at, Success)
	s.only("e0")
}

func TestReport(t *testing.T) {
	begun := func(s *stage) *Attempt {
		a, _ := s.begin(Want{})
		return a
	}
	failures := func(s *stage) int {
		b := s.of("e0").breaker.Load()
		return b.failing.failures(b.load().generation(), uint32(s.now/b.failing.width))
	}
	f := func(want int, reports ...Outcome) {
		t.Helper()
		o := guarded(Random, 1)
		o.Breaker.Record5xx, o.Breaker.LatencyThreshold = true, 100*time.Millisecond
		s := stageOf(t, o)
		a := begun(s)
		for i := range reports {
			reports[i].Now = s.now
			if i < len(reports)-1 {
				a.Report(&reports[i])
			}
		}
		a.Finish(&reports[len(reports)-1])
		a.Finish(&reports[len(reports)-1])
		if got := failures(s); got != want || s.of("e0").Active() != 0 {
			t.Errorf("%+v: %d failures and %d active, want %d and 0", reports, got, s.of("e0").Active(), want)
		}
	}
	ok, bad, slow := Outcome{Status: 200}, Outcome{Status: 502}, Outcome{Status: 200, Latency: sec}
	failed, left := Outcome{Result: Failure}, Outcome{Result: Abandon}
	f(0, ok)
	f(1, bad)
	f(1, slow)
	f(1, failed)
	f(0, left)
	f(0, ok, ok)
	f(0, ok, left)
	f(1, ok, failed) // the body broke off
	f(1, bad, failed)
	f(1, slow, ok)
	f(1, bad, left)
	f(0, Outcome{Result: Abandon, Status: 500, Latency: sec})
	f(0, ok, ok, bad)
}

// TestReportEndsTheTrial closes the circuit with the head of a trial's answer, however long its
// body takes.
func TestReportEndsTheTrial(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	e := s.of("e0")
	s.fail(e, 5)
	s.now += 31 * sec
	a, _ := s.begin(Want{})
	a.Report(&Outcome{Now: s.now, Status: 200, Latency: ms})
	s.circuit(e, Closed)
	if a.Trial() || e.Active() != 1 {
		t.Errorf("trial %v, %d active", a.Trial(), e.Active())
	}
	s.only("e0")
	s.end(a, Failure)
	s.circuit(e, Closed)
	if e.Active() != 0 {
		t.Errorf("%d active", e.Active())
	}
}

// TestLateAttempts has attempts from before the opening end after it, and after the closing.
func TestLateAttempts(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	e := s.of("e0")
	var early [20]*Attempt
	for i := range early {
		early[i], _ = s.begin(Want{})
	}
	s.fail(e, 5)
	s.end(early[0], Success)
	s.end(early[1], Failure)
	s.circuit(e, Open)
	s.now += 31 * sec
	trial, _ := s.begin(Want{})
	s.end(early[2], Success)
	s.circuit(e, HalfOpen)
	s.end(early[3], Failure)
	s.circuit(e, HalfOpen)
	s.end(trial, Success)
	for _, a := range early[4:] {
		s.end(a, Failure)
	}
	s.circuit(e, Closed)
	if e.Active() != 0 {
		t.Errorf("%d active", e.Active())
	}
}

func TestWithoutBreakers(t *testing.T) {
	o := guarded(Random, 1)
	o.Breakers = nil
	s := stageOf(t, o)
	e := s.of("e0")
	s.fail(e, 100)
	s.only("e0")
	e.CheckPassed()
	s.circuit(e, Closed)
	if got := e.CircuitCounts(); got != (CircuitCounts{}) {
		t.Errorf("counts %+v without a breaker", got)
	}
}

func TestFinishOfNone(t *testing.T) {
	var a Attempt
	a.Report(&Outcome{})
	a.Finish(&Outcome{})
	if a.Endpoint() != nil || a.Trial() {
		t.Error("the zero attempt is something")
	}
}
