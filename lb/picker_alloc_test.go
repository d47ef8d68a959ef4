//go:build !race

package lb

import (
	"slices"
	"testing"
	"time"
)

// TestAllocations goes through exchanges that fail over until they succeed or nobody is left,
// with breakers, slow start, budget, key and cookie.
func TestAllocations(t *testing.T) {
	f := func(a Algorithm, weights ...int) {
		t.Helper()
		o := guarded(a, weights...)
		o.Keyed = true
		o.Breaker.SlowStart = time.Hour
		o.Budget = &BudgetSettings{MaxRetryRate: 0.1, MaxTokens: 10, RefillRate: 2}
		for i := range o.Endpoints {
			o.Endpoints[i].Capacity = 100
		}
		s := stageOf(t, o)
		s.fail(s.of("e0"), 5)
		s.now += 31 * sec
		s.shares(20) // e0 is in slow start
		codec := codecOf(t, NewCookieSecret(), s.c)
		cookie := []byte(codec.Encode(s.of("e0")))
		tried, key := new(Tried), uint64(0)
		var at Attempt
		if n := testing.AllocsPerRun(2000, func() {
			key += 0x9e3779b97f4a7c15
			w := Want{Now: s.now, Tried: tried, Key: key, Keyed: key&1 == 0}
			if key&6 == 0 {
				w.Home = codec.Decode(cookie)
			}
			for try := range few {
				if s.p.Begin(&at, &w) != Picked {
					break
				}
				tried.Add(at.Endpoint())
				s.now += ms / 2
				out := Outcome{Now: s.now, Status: 200, Latency: ms/2 + int64(key>>44)}
				if try%4 == 3 {
					at.Report(&out)
					at.Finish(&out)
					break
				}
				out.Result = Abandon
				at.Finish(&out)
				s.c.Budget().Take(s.now)
			}
			tried.Reset()
		}); n != 0 {
			t.Errorf("%v over %d endpoints: an exchange with fail-over allocates %v times, want 0", a, len(weights), n)
		}
	}
	many := make([]int, 200)
	for i := range many {
		many[i] = 1 + i%37
	}
	for _, a := range algorithms {
		f(a, 1)
		f(a, 3, 1)
		f(a, 5, 2, 1)
		f(a, many...)
	}
}

// TestAllocationsOfFailures has failures come in, which do not open the circuit, and attempts
// meet endpoints without room.
func TestAllocationsOfFailures(t *testing.T) {
	for _, a := range algorithms {
		o := guarded(a, slices.Repeat([]int{1}, 20)...)
		o.Breaker.MaxFails = MaxFails
		for i := range o.Endpoints {
			o.Endpoints[i].Capacity = 1
		}
		s := stageOf(t, o)
		for range 19 {
			s.begin(Want{})
		}
		s.ask(Failure)
		var at Attempt
		if n := testing.AllocsPerRun(2000, func() {
			s.p.Begin(&at, &Want{Now: s.now})
			s.now += ms
			at.Finish(&Outcome{Now: s.now, Result: Failure, Latency: ms})
		}); n != 0 {
			t.Errorf("%v: a failure allocates %v times, want 0", a, n)
		}
	}
}

func TestAllocationsOfHotKeys(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, slices.Repeat([]int{1}, 40)...))
	key := keysOf(s, "e0", 1)[0]
	for range 100 {
		s.begin(Want{Key: key, Keyed: true})
	}
	var at Attempt
	if n := testing.AllocsPerRun(2000, func() {
		s.p.Begin(&at, &Want{Now: s.now, Key: key, Keyed: true})
		s.now += ms
		at.Finish(&Outcome{Now: s.now})
	}); n != 0 {
		t.Errorf("a pick by a hot key allocates %v times, want 0", n)
	}
}

func TestAllocationsOfCookies(t *testing.T) {
	c := clusterOf(Random, 1, 1, 1)
	codec := codecOf(t, NewCookieSecret(), c)
	good, bad := []byte(codec.Encode(c.Endpoints()[1])), []byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	if n := testing.AllocsPerRun(1000, func() {
		if codec.Decode(good) == nil || codec.Decode(bad) != nil || codec.Decode(bad[:5]) != nil {
			t.Error("decoded wrong")
		}
		codec.Encode(c.Endpoints()[0])
	}); n != 0 {
		t.Errorf("a cookie allocates %v times, want 0", n)
	}
}
