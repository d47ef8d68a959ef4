package lb

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"
)

// passOn returns v as it arrives in another process.
func passOn[T any](t *testing.T, v T) T {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var arrived T
	if err := json.Unmarshal(text, &arrived); err != nil {
		t.Fatal(err)
	}
	return arrived
}

// handOver makes the stage go on in another process, whose clock is at now.
func (s *stage) handOver(now int64, change func(o *Options)) {
	s.t.Helper()
	endpoints, circuits := passOn(s.t, s.c.Export()), passOn(s.t, s.o.Breakers.Export(s.now))
	s.o.Breakers = NewBreakers(nil)
	change(&s.o)
	s.c = NewCluster(s.o, nil)
	s.c.Import(endpoints)
	s.o.Breakers.Import(circuits, now)
	s.now, s.p = now, s.c.NewPicker(1)
}

func same(*Options) {}

func TestHandOverOfEndpoints(t *testing.T) {
	f := func(set func(e *Endpoint), state State, health Health, weight int) {
		t.Helper()
		s := stageOf(t, guarded(Random, 1, 7))
		set(s.of("e1"))
		s.handOver(sec, same)
		e := s.of("e1")
		if e.State() != state || e.Health() != health || e.Weight() != weight {
			t.Errorf("%v, %v, weight %d; want %v, %v, %d", e.State(), e.Health(), e.Weight(), state, health, weight)
		}
		if o := s.of("e0"); o.State() != Enabled || o.Health() != Unchecked || o.Weight() != 1 {
			t.Errorf("e0, of which nothing was told: %v, %v, weight %d", o.State(), o.Health(), o.Weight())
		}
	}
	f(func(*Endpoint) {}, Enabled, Unchecked, 7)
	f(func(e *Endpoint) { e.SetAdmin(Drain) }, Drain, Unchecked, 7)
	f(func(e *Endpoint) { e.SetAdmin(Stopped) }, Stopped, Unchecked, 7)
	f(func(e *Endpoint) { e.SetAdmin(Disabled) }, Disabled, Unchecked, 7)
	f(func(e *Endpoint) { e.SetHealth(false) }, Enabled, Unhealthy, 7)
	f(func(e *Endpoint) { e.SetHealth(true); e.SetWeight(3) }, Enabled, Healthy, 3)
	f(func(e *Endpoint) { e.SetDisabled(true) }, Enabled, Unchecked, 7) // the discovery tells that again
	f(func(e *Endpoint) { e.SetAdmin(Drain); e.SetAdmin(Enabled); e.SetWeight(3); e.SetWeight(0) }, Enabled, Unchecked, 7)
}

// TestHandOverOfOthers has records of endpoints that are not there any more, or are others.
func TestHandOverOfOthers(t *testing.T) {
	f := func(change func(o *Options), want State) {
		t.Helper()
		s := stageOf(t, guarded(Random, 1))
		s.of("e0").SetAdmin(Stopped)
		s.handOver(sec, change)
		if got := s.c.Endpoints()[0].State(); got != want {
			t.Errorf("state %v, want %v", got, want)
		}
	}
	f(same, Stopped)
	f(func(o *Options) { o.Endpoints[0].Weight, o.Endpoints[0].Priority, o.Name = 5, 2, "other" }, Stopped)
	f(func(o *Options) { o.Endpoints[0].ID = "x" }, Enabled)
	f(func(o *Options) { o.Endpoints[0].URL = "http://other:80" }, Enabled)
	f(func(o *Options) { o.Endpoints[0].Address = "10.9.9.9:80" }, Enabled)
	c := NewCluster(guarded(Random, 1), nil)
	c.Import([]EndpointRecord{{ID: "e0", URL: c.endpoints[0].url, Address: c.endpoints[0].address, Admin: "asleep", Health: "fine"}})
	if e := c.endpoints[0]; e.State() != Enabled || e.Health() != Unchecked {
		t.Errorf("words that nobody knows make %v, %v", e.State(), e.Health())
	}
}

func TestHandOverOfCircuits(t *testing.T) {
	s := stageOf(t, guarded(Random, 1, 1))
	s.fail(s.of("e0"), 5)
	s.now += 10 * sec
	s.handOver(ms, same) // the next clock has just begun
	s.circuit(s.of("e0"), Open)
	s.only("e1")
	s.now += 20*sec - ms
	s.only("e1")
	s.now += 2 * ms
	trial, _ := s.begin(Want{})
	for tries := 0; !trial.Trial(); tries++ {
		if tries == 100 {
			t.Fatal("no trial")
		}
		s.end(trial, Success)
		trial, _ = s.begin(Want{})
	}
	s.handOver(sec, same)
	s.circuit(s.of("e0"), HalfOpen) // and the trial over there is not waited for
	s.fail(s.of("e0"), 1)
	s.circuit(s.of("e0"), Open)
	if got := s.of("e0").CircuitCounts(); got.Opened != 1 || got.Reopened != 1 {
		t.Errorf("opened %d and reopened %d times, want 1 and 1", got.Opened, got.Reopened)
	}
	s.of("e0").CheckPassed()
	s.handOver(sec, same)
	s.only("e0", "e1")
	s.circuit(s.of("e0"), Closed)
}

// TestHandOverWithOtherSettings is a hand-over and a reload in one.
func TestHandOverWithOtherSettings(t *testing.T) {
	f := func(want Circuit, change func(o *Options)) {
		t.Helper()
		s := stageOf(t, guarded(Random, 1))
		s.fail(s.of("e0"), 5)
		s.handOver(sec, change)
		s.circuit(s.c.Endpoints()[0], want)
	}
	f(Open, same)
	f(Open, func(o *Options) { o.Breaker.MaxFails, o.Breaker.SlowStart = 9, time.Second })
	f(Open, func(o *Options) { o.Name, o.Endpoints[0].ID = "other", "x" })
	f(Closed, func(o *Options) { o.Endpoints[0].Address = "10.9.9.9:80" })
	f(Closed, func(o *Options) { o.Endpoints[0].URL = "https://app:80" })
	s := stageOf(t, guarded(Random, 1))
	s.fail(s.of("e0"), 5)
	s.handOver(sec, func(o *Options) { o.Breaker.OpenDuration = 2 * time.Second })
	s.now += 2*sec + ms
	s.only("e0") // it is not open for longer than the new settings say
}

// TestHandOverKeepsTheRamp has the slow start go on where it was.
func TestHandOverKeepsTheRamp(t *testing.T) {
	f := func(next, want int64) {
		t.Helper()
		o := guarded(Random, 1, 1)
		o.Breaker.SlowStart = 20 * time.Second
		s := stageOf(t, o)
		s.fail(s.of("e0"), 5)
		s.now += 31 * sec
		s.only("e0", "e1")
		s.circuit(s.of("e0"), Closed)
		s.now += 15 * sec
		s.handOver(next, same)
		start, ok := s.of("e0").breaker.Load().rampSince()
		if got := s.now - start; !ok || got < want-ms || got > want+ms {
			t.Errorf("the ramp began %v ago (%v), want %v", time.Duration(got), ok, time.Duration(want))
		}
	}
	f(100*sec, 15*sec)
	f(5*sec, 5*sec) // no longer ago than the clock
}

func TestHandOverKeepsFlapping(t *testing.T) {
	o := guarded(Random, 1)
	o.Breaker.MaxFails, o.Breaker.OpenDuration = 1, time.Second
	s := stageOf(t, o)
	for range 2 {
		s.fail(s.of("e0"), 1)
		s.now += 1010 * ms
		s.only("e0")
	}
	if !s.of("e0").CircuitCounts().Flapping {
		t.Fatal("it does not flap")
	}
	s.handOver(sec, same)
	if !s.of("e0").CircuitCounts().Flapping {
		t.Error("it does not flap any more")
	}
	s.o.Breakers.Settle(s.now + 9*sec)
	if !s.of("e0").CircuitCounts().Flapping {
		t.Error("it settled before its window was over")
	}
	s.o.Breakers.Settle(s.now + 11*sec)
	if s.of("e0").CircuitCounts().Flapping {
		t.Error("it never settles")
	}
}

func TestHandOverOfNonsense(t *testing.T) {
	key := breakerKey{"a", "http", commonBreaker()}
	f := func(r CircuitRecord, want Circuit) {
		t.Helper()
		r.Address, r.Scheme, r.Settings = key.address, key.scheme, key.settings
		set := NewBreakers(nil)
		b := newBreaker(key.address, key.settings, set.wiring)
		set.own[key] = b
		set.Import([]CircuitRecord{r}, sec)
		if w := b.load(); w.circuit() != want || want == Open && w.availableAt() > 32*sec ||
			want == HalfOpen && w.detail() >= uint64(key.settings.ConsecutivePasses) {
			t.Errorf("%+v: %v, detail %d", r, w.circuit(), w.detail())
		}
		if n := b.failing.failures(0, uint32(sec/b.failing.width)); n < 0 || n > MaxFails+countMask {
			t.Errorf("%+v: %d failures", r, n)
		}
	}
	f(CircuitRecord{}, Closed)
	f(CircuitRecord{Circuit: "ajar", Wait: 1, Opened: 4}, Closed)
	f(CircuitRecord{Circuit: "open", Wait: 1 << 62}, Open)
	f(CircuitRecord{Circuit: "open", Wait: -1 << 62}, Open)
	f(CircuitRecord{Circuit: "half_open", Passes: 1 << 40}, HalfOpen)
	f(CircuitRecord{Circuit: "half_open", Passes: -1}, HalfOpen)
	f(CircuitRecord{Circuit: "closed", Closed: 1 << 62}, Closed)
	f(CircuitRecord{Circuit: "closed", Failures: []FailureRecord{{-1, 5}, {32, 5}, {0, -5}, {1, 1 << 40}}}, Closed)
}

// handOver has the run go on in another process. Its clock may be younger than the failures.
func (r *modelRun) handOver() {
	key := breakerKey{"a", "http", r.m.s}
	set, next := NewBreakers(nil), NewBreakers(nil)
	set.own[key] = r.b
	records, now := passOn(r.t, set.Export(r.now)), 1+r.rng.Int64N(3*sec)
	r.b = newBreaker("a", r.m.s, next.wiring)
	next.own[key] = r.b
	next.Import(records, now)

	width := int64(r.m.s.Window) / windowBuckets
	for i, at := range r.m.failures {
		r.m.failures[i] = (now/width - (r.now/width - at/width)) * width
	}
	if r.m.circuit == Open {
		wait := r.m.until - r.now
		if r.m.until = 0; wait > 0 {
			r.m.until = (now + min(wait, int64(r.m.s.OpenDuration)) + 1<<tickShift - 1) >> tickShift << tickShift
		}
	}
	r.m.generation, r.m.trial, r.now, r.held, r.trial = 0, false, now, nil, -1
	r.compare()
}

func TestBreakerFollowsItsModelOverHandOvers(t *testing.T) {
	seen := map[Circuit]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := commonBreaker()
		s.MaxFails = 1 + rng.IntN(6)
		s.ConsecutivePasses = 1 + rng.IntN(3)
		s.OpenDuration = time.Duration(1+rng.IntN(1000)) * time.Millisecond
		s.Window = time.Duration(1+rng.IntN(4000)) * time.Millisecond
		r := &modelRun{t: t, rng: rng, now: 1000 * sec, m: circuitModel{s: s}, trial: -1}
		r.b = newBreaker("a", s, new(wiring))
		for range 120 {
			r.step()
			if rng.IntN(4) == 0 {
				seen[r.m.circuit]++
				r.handOver()
			}
		}
	}
	for _, c := range []Circuit{Closed, Open, HalfOpen} {
		if seen[c] < 50 {
			t.Errorf("only %d hand-overs were %v", seen[c], c)
		}
	}
}
