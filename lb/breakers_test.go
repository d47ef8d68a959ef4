package lb

import (
	"fmt"
	"testing"
	"time"
)

// TestBreakersAreShared has clusters with endpoints of one address.
func TestBreakersAreShared(t *testing.T) {
	set := NewBreakers(nil)
	cluster := func(change func(o *Options)) *Endpoint {
		o := guarded(Random, 1)
		o.Breakers = set
		if change != nil {
			change(&o)
		}
		return NewCluster(o, nil).Endpoints()[0]
	}
	first := cluster(nil)
	f := func(shared bool, change func(o *Options)) {
		t.Helper()
		if got := cluster(change).breaker.Load() == first.breaker.Load(); got != shared {
			t.Errorf("shared: %v, want %v", got, shared)
		}
	}
	f(true, nil)
	f(true, func(o *Options) { o.Name, o.Algorithm, o.Endpoints[0].ID = "other", P2CEWMA, "x" })
	f(true, func(o *Options) { o.Endpoints[0].URL, o.Endpoints[0].Weight = "http://other:8080", 7 })
	f(false, func(o *Options) { o.Endpoints[0].URL = "https://app:80" })
	f(false, func(o *Options) { o.Endpoints[0].Address = "10.9.9.9:80" })
	f(false, func(o *Options) { o.Breaker.MaxFails = 6 })
	f(false, func(o *Options) { o.Breaker.SlowStart = time.Second })
	f(false, func(o *Options) { o.Breakers = NewBreakers(nil) })
}

// TestSharedBreakerIsSeenByBothClusters has failures in both add up, and both go without the
// endpoint.
func TestSharedBreakerIsSeenByBothClusters(t *testing.T) {
	a := stageOf(t, guarded(Random, 1))
	o := guarded(LeastConn, 1, 1)
	o.Breakers = a.o.Breakers
	b := stageOf(t, o)
	a.fail(a.of("e0"), 2)
	b.fail(b.of("e0"), 3)
	a.only("")
	b.only("e1")
	a.now += 31 * sec
	b.now = a.now
	trial, _ := a.begin(Want{})
	b.only("e1")
	a.end(trial, Success)
	a.only("e0")
	b.only("e0", "e1")
}

// TestReloadKeepsCircuits reloads with an open circuit, with equal and with new settings.
func TestReloadKeepsCircuits(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	s.fail(s.of("e0"), 5)
	for i := range 4 {
		s.reload(func(o *Options) {
			switch i {
			case 1:
				o.Name = "renamed"
			case 2:
				o.Breaker.OpenDuration = time.Second
			case 3:
				o.Breaker.MaxFails = 1
			}
		})
		s.circuit(s.of("e0"), Open)
		s.only("")
	}
	if got := s.of("e0").CircuitCounts().Opened; got != 1 {
		t.Errorf("opened %d times, want 1", got)
	}
	s.now += 31 * sec
	s.only("e0")
	s.fail(s.of("e0"), 1)
	s.circuit(s.of("e0"), Open)
	s.now += sec + ms
	s.only("e0")
}

// TestReloadKeepsFailures has the failures before a reload count after it.
func TestReloadKeepsFailures(t *testing.T) {
	f := func(change func(o *Options), want Circuit) {
		t.Helper()
		s := stageOf(t, guarded(Random, 1))
		s.fail(s.of("e0"), 4)
		s.reload(change)
		s.fail(s.of("e0"), 1)
		s.circuit(s.of("e0"), want)
	}
	f(func(o *Options) {}, Open)
	f(func(o *Options) { o.Breaker.OpenDuration = time.Second }, Open)
	f(func(o *Options) { o.Breaker.MaxFails = 7 }, Closed)
	f(func(o *Options) { o.Breaker.Window = time.Second }, Closed) // counted another way
	f(func(o *Options) { o.Endpoints[0].Address = "10.9.9.9:80" }, Closed)
}

// TestReloadDuringATrial does not wait for the trial of the settings before.
func TestReloadDuringATrial(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	s.fail(s.of("e0"), 5)
	s.now += 31 * sec
	trial, _ := s.begin(Want{})
	s.reload(func(o *Options) {})
	s.only("") // the same breaker: the trial is out
	s.reload(func(o *Options) { o.Breaker.MaxFails = 4 })
	s.circuit(s.of("e0"), HalfOpen)
	s.only("e0")
	s.fail(s.of("e0"), 3)
	s.end(trial, Failure)
	s.circuit(s.of("e0"), Closed)
	if s.of("e0").Active() != 0 {
		t.Errorf("%d active", s.of("e0").Active())
	}
}

// TestReloadThrownAway makes Clusters that are never used: the one in use does not notice.
func TestReloadThrownAway(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	s.fail(s.of("e0"), 4)
	for i := range 3 {
		o := s.o
		o.Breakers = s.o.Breakers.Next()
		o.Breaker.MaxFails = 10 + i
		o.Endpoints = described(7)
		NewCluster(o, s.c)
		s.c.Present()
	}
	s.fail(s.of("e0"), 1)
	s.only("")
	s.circuit(s.of("e0"), Open)
	if s.of("e0").Weight() != 1 {
		t.Errorf("the weight is %d, want that of the Cluster in use", s.of("e0").Weight())
	}
	s.of("e0").CheckPassed()
	s.fail(s.of("e0"), 1)
	s.reload(func(o *Options) { o.Breaker.MaxFails = 12 })
	s.circuit(s.of("e0"), Open)
}

// TestBreakersForgetWhatLeft follows many reloads, each with another address.
func TestBreakersForgetWhatLeft(t *testing.T) {
	s := stageOf(t, guarded(Random, 1))
	for i := range 50 {
		s.reload(func(o *Options) { o.Endpoints[0].Address = fmt.Sprintf("10.1.1.%d:80", i) })
	}
	if own, before := len(s.o.Breakers.own), len(s.o.Breakers.before); own != 1 || before != 1 {
		t.Errorf("%d and %d breakers are kept, want 1 and 1", own, before)
	}
}

// TestFlappingStaysOverReloads reloads while a breaker flaps.
func TestFlappingStaysOverReloads(t *testing.T) {
	var told []Change
	o := guarded(Random, 1)
	o.Breakers = NewBreakers(func(tr Transition) {
		if tr.Change >= CircuitFlapping {
			told = append(told, tr.Change)
		}
	})
	o.Breaker.OpenDuration = time.Second
	s := stageOf(t, o)
	cycle := func() {
		s.fail(s.of("e0"), 5)
		s.now += sec + ms
		s.only("e0")
	}
	cycle()
	s.reload(func(o *Options) { o.Breaker.MaxFails = 4 })
	if !s.of("e0").CircuitCounts().Flapping {
		t.Error("it does not flap any more after a reload")
	}
	s.reload(func(o *Options) {})
	s.now += 11 * sec
	s.o.Breakers.Settle(s.now)
	s.o.Breakers.Settle(s.now)
	if s.of("e0").CircuitCounts().Flapping || fmt.Sprint(told) != fmt.Sprint([]Change{CircuitFlapping, CircuitSettled}) {
		t.Errorf("told %v", told)
	}
}

// TestBreakersForget keeps those that somebody uses, and the circuits of older Clusters.
func TestBreakersForget(t *testing.T) {
	o := guarded(Random, 1, 1, 1)
	set := o.Breakers
	first := NewCluster(o, nil)
	other := guarded(Random, 1)
	other.Breakers, other.Endpoints = set, o.Endpoints[2:]
	shared := NewCluster(other, nil)
	o.Endpoints = o.Endpoints[:1]
	next := NewCluster(o, first)
	set.Keep([]*Cluster{next, shared})
	if len(set.own) != 2 {
		t.Errorf("%d breakers are left, want those of e0 and e2", len(set.own))
	}
	for i, at := range first.seats {
		if at.breaker == nil || at.endpoint.breaker.Load() != at.breaker {
			t.Errorf("endpoint %d of the older cluster has lost its breaker", i)
		}
	}
	o = guarded(Random, 1, 1, 1)
	o.Breakers = set
	again := NewCluster(o, next)
	if again.seats[0].breaker != first.seats[0].breaker || again.seats[1].breaker == first.seats[1].breaker {
		t.Error("an endpoint that stayed has another breaker, or one that left has its own again")
	}
}
