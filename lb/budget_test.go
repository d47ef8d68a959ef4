package lb

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

func budgetStage(t *testing.T, s BudgetSettings, weights ...int) *stage {
	o := guarded(Random, weights...)
	o.Breakers = nil
	o.Budget = &s
	st := stageOf(t, o)
	st.o.Breakers = NewBreakers(nil)
	return st
}

// takes returns how many of n retries the budget pays for.
func (s *stage) takes(n int) int {
	got := 0
	for range n {
		if s.c.Budget().Take(s.now) {
			got++
		}
	}
	return got
}

func (s *stage) wantTokens(want float64) {
	s.t.Helper()
	if got := s.c.Budget().Tokens(s.now); math.Abs(got-want) > 0.01 {
		s.t.Errorf("%v tokens, want %v", got, want)
	}
}

func TestBudgetStartsFull(t *testing.T) {
	s := budgetStage(t, BudgetSettings{MaxRetryRate: 0.1, MaxTokens: 3}, 1)
	s.wantTokens(3)
	if got := s.takes(10); got != 3 {
		t.Errorf("%d retries, want 3", got)
	}
	s.wantTokens(0)
}

func TestBudgetDeposits(t *testing.T) {
	f := func(rate float64, successes, want int) {
		t.Helper()
		s := budgetStage(t, BudgetSettings{MaxRetryRate: rate, MaxTokens: 1000}, 1)
		s.takes(1000)
		s.shares(successes)
		if got := s.takes(1000); got != want {
			t.Errorf("rate %v, %d successes: %d retries, want %d", rate, successes, got, want)
		}
	}
	f(0.5, 5, 2)
	f(0.5, 6, 3)
	f(0.1, 9, 0)
	f(0.1, 10, 1)
	f(0.1, 5000, 500)
	f(0.3, 10, 3)
	f(1, 7, 7)
	f(0, 1000, 0)
	f(0.001, 3000, 3)
}

// TestBudgetDepositsOfSuccessOnly has attempts end otherwise.
func TestBudgetDepositsOfSuccessOnly(t *testing.T) {
	s := budgetStage(t, BudgetSettings{MaxRetryRate: 1, MaxTokens: 5}, 1)
	s.takes(5)
	for range 10 {
		s.ask(Failure)
		s.ask(Abandon)
	}
	s.wantTokens(0)
	a, _ := s.begin(Want{})
	a.Report(&Outcome{Now: s.now, Status: 200})
	s.wantTokens(1)
	s.end(a, Success)
	s.wantTokens(1)
	s.shares(100)
	s.wantTokens(5)
}

// TestBudgetOfFaultyAnswers has answers count as failures.
func TestBudgetOfFaultyAnswers(t *testing.T) {
	o := guarded(Random, 1)
	o.Breaker.Record5xx = true
	o.Budget = &BudgetSettings{MaxRetryRate: 1, MaxTokens: 5}
	s := stageOf(t, o)
	s.takes(5)
	a, _ := s.begin(Want{})
	a.Finish(&Outcome{Now: s.now, Status: 500})
	s.wantTokens(0)
	a, _ = s.begin(Want{})
	a.Finish(&Outcome{Now: s.now, Status: 404})
	s.wantTokens(1)
}

// TestBudgetNeverOverflows deposits into the largest bucket beyond what its word could hold.
func TestBudgetNeverOverflows(t *testing.T) {
	s := budgetStage(t, BudgetSettings{MaxRetryRate: 1, MaxTokens: mostTokens}, 1)
	s.takes(1)
	before := s.c.budget.word.Load() >> unitBits
	for range 60_000 {
		s.p.deposit()
	}
	s.wantTokens(mostTokens)
	if after := s.c.budget.word.Load() >> unitBits; after != before {
		t.Errorf("deposits moved the time from %d to %d", before, after)
	}
}

func TestBudgetRefills(t *testing.T) {
	s := budgetStage(t, BudgetSettings{MaxTokens: 4, RefillRate: 2}, 1)
	s.now += 3600 * sec // full is full
	if got := s.takes(10); got != 4 {
		t.Errorf("%d retries after an hour, want 4", got)
	}
	s.now += 499 * ms
	if s.takes(1) != 0 {
		t.Error("a token before its time")
	}
	s.now += 2 * ms
	if s.takes(2) != 1 {
		t.Error("no token after half a second")
	}
	s.now += 60 * sec
	s.wantTokens(4)
	if got := s.takes(10); got != 4 {
		t.Errorf("%d retries after a minute, want 4", got)
	}
}

// TestBudgetRefillsSlowly asks so often that no question adds a whole unit.
func TestBudgetRefillsSlowly(t *testing.T) {
	for _, rate := range []float64{0.01, 0.3, 7} {
		s := budgetStage(t, BudgetSettings{MaxTokens: 10, RefillRate: rate}, 1)
		s.takes(10)
		start, got := s.now, 0
		for got < 3 {
			s.now += 3 * ms
			got += s.takes(1)
			if float64(s.now-start) > 4*1e9/rate {
				break
			}
		}
		if took := float64(s.now-start) / 1e9 * rate; took < 3 || took > 3.1 {
			t.Errorf("rate %v: three tokens after the time of %.3f", rate, took)
		}
	}
}

func TestBudgetRetryAfter(t *testing.T) {
	f := func(rate float64, waited int64, want int) {
		t.Helper()
		s := budgetStage(t, BudgetSettings{MaxTokens: 1, RefillRate: rate}, 1)
		s.takes(1)
		s.now += waited
		if got := s.c.Budget().RetryAfter(s.now); got != want {
			t.Errorf("rate %v, %d ms later: %d s, want %d", rate, waited/ms, got, want)
		}
		s.now += int64(want)*sec + 5*ms
		if rate > 0 && s.takes(1) != 1 {
			t.Errorf("rate %v: no token after what was said", rate)
		}
	}
	f(0.1, 0, 10)
	f(0.1, 4*sec, 6)
	f(0.1, 9500*ms, 1)
	f(0.1, 20*sec, 1)
	f(2, 0, 1)
	f(0.25, 0, 4)
	f(0, 0, 1)
	s := budgetStage(t, BudgetSettings{MaxTokens: 1, RefillRate: 1e-12}, 1)
	s.takes(1)
	if got := s.c.Budget().RetryAfter(s.now); got != math.MaxInt32 {
		t.Errorf("a token that never comes: %d s", got)
	}
}

func TestBudgetNone(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	if s.c.Budget() != nil || s.takes(1000) != 1000 {
		t.Error("retries are refused without a budget")
	}
}

func TestBudgetStaysOverReloads(t *testing.T) {
	s := budgetStage(t, BudgetSettings{MaxTokens: 8}, 1)
	s.takes(3)
	old := s.c.Budget()
	s.reload(func(o *Options) { same := *o.Budget; o.Budget = &same })
	s.wantTokens(5)
	if s.c.Budget() != old {
		t.Error("the same settings give another budget")
	}
	s.reload(func(o *Options) { o.Budget = &BudgetSettings{MaxTokens: 100} })
	s.wantTokens(5)
	s.reload(func(o *Options) { o.Budget = &BudgetSettings{MaxTokens: 2} })
	s.wantTokens(2)
	s.reload(func(o *Options) { o.Budget = nil })
	s.reload(func(o *Options) { o.Budget = &BudgetSettings{MaxTokens: 6} })
	s.wantTokens(6)
}

// TestBudgetBound makes attempts and retries in any order and time. In no stretch of it are
// there more retries than the bucket holds, plus what was added meanwhile.
func TestBudgetBound(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 13))
		set := BudgetSettings{MaxRetryRate: rng.Float64(), MaxTokens: 1 + rng.IntN(20), RefillRate: 10 * rng.Float64()}
		s := budgetStage(t, set, 1)
		type at struct{ allowed, taken float64 }
		var past []at
		now := at{}
		for range 3000 {
			switch rng.IntN(3) {
			case 0:
				elapsed := rng.Int64N(100 * ms)
				s.now += elapsed
				now.allowed += float64(elapsed) / 1e9 * set.RefillRate
			case 1:
				s.ask(Success)
				now.allowed += set.MaxRetryRate
			default:
				now.taken += float64(s.takes(1 + rng.IntN(3)))
			}
			past = append(past, now)
			if most := s.c.Budget().Tokens(s.now); most > float64(set.MaxTokens) {
				t.Fatalf("%v tokens in a bucket of %d", most, set.MaxTokens)
			}
		}
		for i := 0; i < len(past); i += 37 {
			for j := i; j < len(past); j += 41 {
				// A deposit may have begun before the stretch: that is less than a token.
				most := float64(set.MaxTokens) + past[j].allowed - past[i].allowed + 1.01
				if got := past[j].taken - past[i].taken; got > most {
					t.Fatalf("seed %d: %v retries in a stretch that allows %v", seed, got, most)
				}
			}
		}
	}
}

// TestBudgetBoundAmongWorkers has workers deposit and take as fast as they can.
func TestBudgetBoundAmongWorkers(t *testing.T) {
	const workers, rounds = 4, 5000
	s := budgetStage(t, BudgetSettings{MaxRetryRate: 0.25, MaxTokens: 9, RefillRate: 100}, 1, 1)
	var clock, taken, successes atomic.Int64
	clock.Store(s.now)
	together(workers, func(i int) {
		p := s.c.NewPicker(uint64(i))
		for n := range rounds {
			now := clock.Add(1000)
			if n%3 > 0 {
				if s.c.Budget().Take(now) {
					taken.Add(1)
				}
				continue
			}
			var a Attempt
			p.Begin(&a, &Want{Now: now})
			a.Finish(&Outcome{Now: now})
			successes.Add(1)
		}
	})
	refill := float64(clock.Load()-s.now) / 1e9 * 100
	most := 9 + 0.25*float64(successes.Load()) + refill
	if got := float64(taken.Load()); got > most || got < most-workers-10 {
		t.Errorf("%v retries, want up to %v and not much less", got, most)
	}
	s.now = clock.Load()
	if left := s.c.Budget().Tokens(s.now); left > 9 {
		t.Errorf("%v tokens in a bucket of 9", left)
	}
}

// TestBudgetAmplification sends 10,000 requests to three endpoints of which two are dead, from
// several workers. Every failure asks for a retry.
func TestBudgetAmplification(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		const requests, workers = 10_000, 3
		o := guarded(a, 1, 1, 1)
		o.Breakers = nil
		o.Budget = &BudgetSettings{MaxRetryRate: 0.1, MaxTokens: 10, RefillRate: 2}
		c := NewCluster(o, nil)
		var pickers [workers]*Picker
		for i := range pickers {
			pickers[i] = c.NewPicker(uint64(i))
		}
		start := 1000 * sec
		now, retries, answered := start, 0, 0
		for i := range requests {
			var tried Tried
			for try := 0; ; try++ {
				var at Attempt
				if pickers[i%workers].Begin(&at, &Want{Now: now, Tried: &tried}) != Picked {
					break
				}
				e := at.Endpoint()
				tried.Add(e)
				now += ms / 5
				if e.Index() == 2 {
					at.Finish(&Outcome{Now: now, Status: 200, Latency: ms / 5})
					answered++
					break
				}
				at.Finish(&Outcome{Now: now, Result: Failure})
				if !c.Budget().Take(now) {
					break
				}
				retries++
			}
		}
		most := 0.1*requests + 10 + 2*float64(now-start)/1e9
		if float64(retries) > most || retries < 10 {
			t.Errorf("%d retries for %d requests, want 10 to %.0f", retries, requests, most)
		}
		if answered < requests/4 {
			t.Errorf("%d of %d requests were answered", answered, requests)
		}
	})
}
