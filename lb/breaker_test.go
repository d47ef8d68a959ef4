package lb

import (
	"fmt"
	"testing"
	"time"
)

const (
	ms  = int64(time.Millisecond)
	sec = int64(time.Second)
)

// A bench is one breaker with a clock that the test moves.
type bench struct {
	t    *testing.T
	b    *breaker
	now  int64
	told []Transition
}

func benchOf(t *testing.T, change func(s *BreakerSettings)) *bench {
	s := commonBreaker()
	s.FlappingTransitions = 0
	if change != nil {
		change(&s)
	}
	b := &bench{t: t, now: 100 * sec}
	b.b = newBreaker("10.0.0.1:80", s, &wiring{notify: func(tr Transition) { b.told = append(b.told, tr) }})
	return b
}

func (b *bench) is(want Circuit) {
	b.t.Helper()
	if got := b.b.load().circuit(); got != want {
		b.t.Fatalf("at %d ms the circuit is %v, want %v", b.now/ms, got, want)
	}
}

// fail has an ordinary attempt fail.
func (b *bench) fail(times int) {
	b.t.Helper()
	for range times {
		g, ok := b.b.admit()
		if !ok {
			b.t.Fatalf("at %d ms no attempt is admitted", b.now/ms)
		}
		b.b.fail(g, b.now)
	}
}

// trial claims the trial, or wants that there is none.
func (b *bench) trial(want bool) generation {
	b.t.Helper()
	g, ok := b.b.claim(b.now)
	if ok != want {
		b.t.Fatalf("at %d ms a claim returned %v, want %v", b.now/ms, ok, want)
	}
	return g
}

func (b *bench) wait(ns int64) { b.now += ns }

// open brings the breaker to open, and past the time it stays so.
func (b *bench) open() {
	b.t.Helper()
	b.fail(b.b.settings.MaxFails)
	b.is(Open)
	b.wait(int64(b.b.settings.OpenDuration) + 1<<tickShift)
}

func TestBreakerOpensAtMaxFails(t *testing.T) {
	for _, most := range []int{1, 2, 5, 33} {
		b := benchOf(t, func(s *BreakerSettings) { s.MaxFails = most })
		b.fail(most - 1)
		b.is(Closed)
		b.fail(1)
		b.is(Open)
		if _, ok := b.b.admit(); ok {
			t.Error("an open breaker admits")
		}
	}
}

func TestBreakerWindowRolls(t *testing.T) {
	f := func(want Circuit, ats ...int64) {
		t.Helper()
		b := benchOf(t, func(s *BreakerSettings) { s.MaxFails, s.Window = 3, 2*time.Second })
		start := b.now
		for _, at := range ats {
			b.now = start + at*ms
			b.fail(1)
		}
		if got := b.b.load().circuit(); got != want {
			t.Errorf("failures at %v ms: %v, want %v", ats, got, want)
		}
	}
	f(Open, 0, 0, 0)
	f(Open, 0, 900, 1800)
	f(Closed, 0, 1000, 2001)
	f(Closed, 0, 1400, 2900)
	f(Open, 0, 1400, 2900, 2950)
	f(Closed, 0, 10, 2100, 4200, 6300)
	f(Closed, 0, 0, 500_000, 500_001)
	f(Open, 0, 0, 500_000, 500_001, 500_002)
}

// TestBreakerWindowNeverCountsOlder has failures of any distance: those of a whole window ago or
// older never count, those a thirty-second younger always do.
func TestBreakerWindowNeverCountsOlder(t *testing.T) {
	const window = 3200 * time.Millisecond
	for start := range int64(40) {
		for apart := int64(3000); apart <= 3300; apart += 7 {
			b := benchOf(t, func(s *BreakerSettings) { s.MaxFails, s.Window = 2, window })
			b.now += start * 10 * ms
			b.fail(1)
			b.wait(apart * ms)
			b.fail(1)
			opened := b.b.load().circuit() == Open
			if opened && apart >= 3200 || !opened && apart <= 3100 {
				t.Fatalf("two failures %d ms apart, window 3200 ms: opened %v", apart, opened)
			}
		}
	}
}

// TestBreakerClocksDiffer has failures come from workers whose clocks are behind.
func TestBreakerClocksDiffer(t *testing.T) {
	for behind := range 4 {
		b := benchOf(t, func(s *BreakerSettings) { s.MaxFails, s.Window = 6, 3200*time.Millisecond })
		for i := range 6 {
			b.is(Closed)
			b.now -= int64(i%2*behind) * 100 * ms
			b.fail(1)
			b.now += int64(i%2*behind) * 100 * ms
		}
		b.is(Open)
	}
}

func TestBreakerTrials(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.MaxFails, s.OpenDuration = 2, 10*time.Second })
	b.fail(2)
	b.trial(false)
	b.wait(9_999 * ms)
	b.trial(false)
	b.wait(2 * ms)
	g := b.trial(true)
	b.is(HalfOpen)
	b.trial(false)
	b.wait(time.Hour.Nanoseconds())
	b.trial(false) // it is out for as long as it takes
	b.b.pass(g, b.now)
	b.is(Closed)
	b.fail(1)
	b.is(Closed) // the window is empty
	b.fail(1)
	b.is(Open)
}

func TestBreakerFailedTrialOpensAgain(t *testing.T) {
	b := benchOf(t, nil)
	b.open()
	for range 3 {
		b.b.fail(b.trial(true), b.now)
		b.is(Open)
		b.wait(int64(b.b.settings.OpenDuration) - ms)
		b.trial(false)
		b.wait(2 * ms)
	}
	b.b.pass(b.trial(true), b.now)
	b.is(Closed)
}

func TestBreakerConsecutivePasses(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.ConsecutivePasses = 3 })
	b.open()
	for range 2 {
		b.b.pass(b.trial(true), b.now)
		b.is(HalfOpen)
	}
	b.b.fail(b.trial(true), b.now)
	b.is(Open)
	b.wait(31 * sec)
	for range 2 {
		b.b.pass(b.trial(true), b.now)
		b.is(HalfOpen)
	}
	g := b.trial(true)
	b.trial(false)
	b.b.pass(g, b.now)
	b.is(Closed)
}

func TestBreakerTrialGivenBack(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.ConsecutivePasses = 2 })
	b.open()
	b.b.pass(b.trial(true), b.now)
	for range 100 {
		g := b.trial(true)
		b.b.giveBack(g)
		b.is(HalfOpen)
	}
	b.b.pass(b.trial(true), b.now)
	b.is(Closed) // the pass before was kept
}

// TestBreakerIgnoresLateResults has results from each generation come in each later circuit.
func TestBreakerIgnoresLateResults(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.MaxFails = 1 })
	first, _ := b.b.admit()
	late := func(g generation) {
		t.Helper()
		before := b.b.load()
		b.b.pass(g, b.now)
		b.b.fail(g, b.now)
		b.b.giveBack(g)
		if after := b.b.load(); after != before {
			t.Errorf("a late result changed %v of generation %d to %v of %d",
				before.circuit(), before.generation(), after.circuit(), after.generation())
		}
	}
	b.open()
	late(first)
	second := b.trial(true)
	late(first)
	b.b.fail(second, b.now)
	late(first)
	late(second)
	b.wait(31 * sec)
	third := b.trial(true)
	late(second)
	b.b.pass(third, b.now)
	b.is(Closed)
	for range 10 {
		late(first)
		late(second)
		late(third)
	}
}

// TestBreakerPassedTrialBreaks has the body of a trial's answer break after its head passed.
func TestBreakerPassedTrialBreaks(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.ConsecutivePasses = 2 })
	b.open()
	g := b.trial(true)
	b.b.pass(g, b.now)
	next := b.trial(true)
	b.b.fail(g, b.now)
	b.is(Open)
	b.b.pass(next, b.now)
	b.is(Open)
}

func TestBreakerChecks(t *testing.T) {
	b := benchOf(t, nil)
	b.b.checkPassed()
	b.is(Closed)
	b.fail(4)
	b.b.checkPassed()
	b.fail(1)
	b.is(Open) // a check that passed took no failure away
	b.trial(false)
	b.b.checkPassed()
	b.b.checkPassed()
	b.is(Open)
	g := b.trial(true)
	b.b.checkPassed()
	b.trial(false)
	b.b.fail(g, b.now)
	b.trial(false)
	b.wait(31 * sec)
	b.b.pass(b.trial(true), b.now)
	b.is(Closed)
}

func TestBreakerTellsTransitions(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.MaxFails = 2 })
	b.open()
	b.b.fail(b.trial(true), b.now)
	b.wait(31 * sec)
	b.b.giveBack(b.trial(true))
	b.b.pass(b.trial(true), b.now)
	got := ""
	for _, tr := range b.told {
		got += fmt.Sprintf("%d %v %v; ", tr.Change, tr.Quiet, tr.OpenDuration)
		if tr.Address != "10.0.0.1:80" || tr.At > b.now || tr.At < 100*sec {
			t.Errorf("transition of %s at %d", tr.Address, tr.At)
		}
	}
	want := "0 false 30s; 1 false 30s; 2 false 30s; 1 false 30s; 3 false 30s; "
	if got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if o, r := b.b.opened.Load(), b.b.reopened.Load(); o != 1 || r != 1 {
		t.Errorf("opened %d, reopened %d, want 1 and 1", o, r)
	}
}

func TestBreakerGenerationsWrap(t *testing.T) {
	b := benchOf(t, func(s *BreakerSettings) { s.MaxFails = 1 })
	for range 3 * (generationMask + 1) / 3 {
		b.open()
		b.b.pass(b.trial(true), b.now)
		b.is(Closed)
	}
}

func TestBreakerFaulty(t *testing.T) {
	f := func(record bool, threshold time.Duration, status int, latency int64, want bool) {
		t.Helper()
		b := benchOf(t, func(s *BreakerSettings) { s.Record5xx, s.LatencyThreshold = record, threshold })
		if got := b.b.faulty(&Outcome{Status: status, Latency: latency}); got != want {
			t.Errorf("record_5xx %v, threshold %v: %d after %d ns is a failure: %v", record, threshold, status, latency, got)
		}
	}
	f(false, 0, 200, sec, false)
	f(false, 0, 500, sec, false)
	f(true, 0, 200, sec, false)
	f(true, 0, 404, sec, false)
	f(true, 0, 499, sec, false)
	f(true, 0, 500, sec, true)
	f(true, 0, 599, sec, true)
	f(true, 0, 0, sec, false)
	f(false, time.Second, 200, sec, false)
	f(false, time.Second, 200, sec+1, true)
	f(true, time.Second, 503, 0, true)
}

func TestCircuitWord(t *testing.T) {
	f := func(c Circuit, g generation, detail uint64) {
		t.Helper()
		for _, w := range []circuitWord{newCircuitWord(c, g, detail), newCircuitWord(c, g, detail) | trialBit} {
			if w.circuit() != c || w.generation() != g || w.detail() != detail {
				t.Errorf("%v %d %d came back as %v %d %d", c, g, detail, w.circuit(), w.generation(), w.detail())
			}
		}
	}
	for _, c := range []Circuit{Closed, Open, HalfOpen} {
		for _, g := range []generation{0, 1, generationMask} {
			for _, detail := range []uint64{0, 1, detailMask} {
				f(c, g, detail)
			}
		}
	}
	for _, at := range []int64{0, 1, 1 << tickShift, 1<<tickShift + 1, 100 * sec, 1 << 58} {
		ns := int64(tickAfter(at, 0) << tickShift)
		if ns < at || ns >= at+1<<tickShift {
			t.Errorf("the tick after %d is at %d", at, ns)
		}
	}
	if got := tickAfter(1<<62, 1<<62); got != detailMask {
		t.Errorf("a time beyond all ticks is at %d", got)
	}
}

func TestCircuitNames(t *testing.T) {
	for c, want := range map[Circuit]string{Closed: "closed", Open: "open", HalfOpen: "half_open", 9: "unknown"} {
		if got := c.String(); got != want {
			t.Errorf("Circuit(%d).String() = %q, want %q", c, got, want)
		}
	}
}
