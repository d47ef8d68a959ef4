package lb

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"millrace/ring"
)

func keyedOptions(a Algorithm, weights ...int) Options {
	o := guarded(a, weights...)
	o.Keyed = true
	return o
}

// home returns where a key leads to now, with an attempt that ends at once.
func (s *stage) home(key uint64) string {
	a, _ := s.begin(Want{Key: key, Keyed: true})
	if a.Endpoint() == nil {
		return ""
	}
	defer s.end(a, Success)
	return a.Endpoint().ID()
}

// homes returns where some keys lead to.
func (s *stage) homes(keys int) []string {
	ids := make([]string, keys)
	for i := range ids {
		ids[i] = s.home(ring.HashString(fmt.Sprint("key-", i)))
	}
	return ids
}

// moved returns how many keys lead elsewhere, and of them, to other endpoints than to.
func moved(before, after []string, to string) (all, elsewhere int) {
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		all++
		if after[i] != to {
			elsewhere++
		}
	}
	return all, elsewhere
}

func TestKeysAreStableAndEven(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, keyedOptions(a, 1, 1, 1, 1))
		homes := s.homes(4000)
		counts := map[string]int{}
		for _, id := range homes {
			counts[id]++
		}
		for id, n := range counts {
			if math.Abs(float64(n)-1000) > 170 { // 10 % of the ring, and the draw
				t.Errorf("%s has %d of 4000 keys", id, n)
			}
		}
		if !slices.Equal(homes, s.homes(4000)) {
			t.Error("keys moved")
		}
		other := stageOf(t, keyedOptions(a, 1, 1, 1, 1))
		if !slices.Equal(homes, other.homes(4000)) {
			t.Error("another process does not agree")
		}
	})
}

func TestKeysByWeight(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 3, 1))
	n := 0
	for _, id := range s.homes(4000) {
		if id == "e0" {
			n++
		}
	}
	if n < 2700 || n > 3300 {
		t.Errorf("weight 3 of 4 has %d of 4000 keys", n)
	}
	before := s.homes(500)
	s.of("e1").SetWeight(100)
	if all, _ := moved(before, s.homes(500), ""); all != 0 {
		t.Errorf("a weight set by the operator moved %d keys", all)
	}
	s.reload(func(o *Options) { o.Endpoints[1].Weight = 1 })
	if all, _ := moved(before, s.homes(500), ""); all != 0 {
		t.Errorf("a weight set by the operator moved %d keys at the next reload", all)
	}
}

func TestKeysMoveToTheNewOnly(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 1, 1, 1, 1, 1))
	before := s.homes(1200)
	same := s.c.rings[0].ring
	s.reload(func(o *Options) { o.Algorithm = RoundRobin })
	if s.c.rings[0].ring != same {
		t.Error("the ring is made anew although nobody joined or left")
	}
	s.reload(func(o *Options) { o.Endpoints = described(1, 1, 1, 1, 1, 1) })
	all, elsewhere := moved(before, s.homes(1200), "e5")
	if elsewhere != 0 || all > 300 || all < 100 {
		t.Errorf("%d of 1200 keys moved, %d of them not to the new endpoint", all, elsewhere)
	}
}

// TestKeysOfTheAbsent has an endpoint not serve, in each way there is. Its keys move alone, to
// several others, and return.
func TestKeysOfTheAbsent(t *testing.T) {
	f := func(away, back func(s *stage, e *Endpoint)) {
		t.Helper()
		s := stageOf(t, keyedOptions(Random, 1, 1, 1, 1))
		before := s.homes(400)
		away(s, s.of("e1"))
		during := s.homes(400)
		to := map[string]bool{}
		for i := range before {
			switch {
			case before[i] == "e1":
				to[during[i]] = true
			case before[i] != during[i]:
				t.Fatalf("a key of %s moved to %s", before[i], during[i])
			}
		}
		if to["e1"] || len(to) != 3 {
			t.Errorf("the keys moved to %v", to)
		}
		back(s, s.of("e1"))
		if all, _ := moved(before, s.homes(400), ""); all != 0 {
			t.Errorf("%d keys did not return", all)
		}
	}
	f(func(_ *stage, e *Endpoint) { e.SetHealth(false) }, func(_ *stage, e *Endpoint) { e.SetHealth(true) })
	f(func(_ *stage, e *Endpoint) { e.SetAdmin(Stopped) }, func(_ *stage, e *Endpoint) { e.SetAdmin(Enabled) })
	f(func(_ *stage, e *Endpoint) { e.SetCapacity(1); e.active.Add(1) }, func(_ *stage, e *Endpoint) { e.active.Add(-1) })
	f(func(s *stage, e *Endpoint) { s.fail(e, 5) }, func(s *stage, _ *Endpoint) { s.now += 31 * sec })
}

// TestKeysDoTheirOwnTrials has an endpoint due for a trial: keys of others stay at home.
func TestKeysDoTheirOwnTrials(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 1, 1))
	mine, its := keysOf(s, "e0", 20), keysOf(s, "e1", 20)
	s.fail(s.of("e0"), 5)
	s.now += 31 * sec
	for _, key := range its {
		if s.home(key) != "e1" {
			t.Fatal("a key was sent away for a trial")
		}
	}
	s.circuit(s.of("e0"), Open)
	if s.home(mine[0]) != "e0" {
		t.Error("a key of the endpoint is not its trial")
	}
	s.circuit(s.of("e0"), Closed)
}

func TestKeysAndTheTried(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 1, 1, 1))
	key := keysOf(s, "e0", 1)[0]
	var tried Tried
	tried.Add(s.of("e0"))
	for range 20 {
		a, _ := s.begin(Want{Key: key, Keyed: true, Tried: &tried})
		if a.Endpoint() == s.of("e0") {
			t.Fatal("a retry came to the same endpoint")
		}
		s.end(a, Success)
	}
}

func TestKeysByTier(t *testing.T) {
	o := tiered(Random)
	o.Endpoints = append(o.Endpoints, described(1, 1, 1, 1)[3])
	o.Endpoints[3].Priority = 7
	o.Keyed = true
	s := stageOf(t, o)
	for _, id := range s.homes(200) {
		if id != "e0" && id != "e1" {
			t.Fatalf("a key led to %s while the lowest tier serves", id)
		}
	}
	s.of("e0").SetHealth(false)
	s.of("e1").SetHealth(false)
	homes := s.homes(200)
	if !slices.Contains(homes, "e2") || !slices.Contains(homes, "e3") || !slices.Equal(homes, s.homes(200)) {
		t.Error("in the next tier keys are not stable")
	}
}

// TestHotKey holds many attempts of one key.
func TestHotKey(t *testing.T) {
	f := func(held int, weights ...int) {
		t.Helper()
		s := stageOf(t, keyedOptions(Random, weights...))
		key := keysOf(s, "e0", 1)[0]
		sum := 0
		for _, w := range weights {
			sum += w
		}
		var running []*Attempt
		for range held {
			a, verdict := s.begin(Want{Key: key, Keyed: true})
			if verdict != Picked {
				t.Fatal("not picked")
			}
			running = append(running, a)
			e := a.Endpoint()
			bound := boundShare * float64(len(running)) * float64(e.Weight()) / float64(sum)
			if n := float64(e.Active()); n > boundLeast && n > bound+1 {
				t.Fatalf("weights %v: %s holds %v of %d", weights, e.ID(), n, len(running))
			}
		}
		if n := s.of("e0").Active(); n < min(int64(held), boundLeast) {
			t.Errorf("the key's own endpoint holds %d of %d", n, held)
		}
		for _, a := range running {
			s.end(a, Success)
		}
		s.now += 2 * ms
		if s.home(key) != "e0" {
			t.Error("the key did not return")
		}
	}
	f(5, 1, 1, 1, 1)
	f(20, 1, 1, 1, 1)
	f(500, 1, 1, 1, 1)
	f(300, 1, 1)
	f(100, 1)
	f(400, 5, 1, 1)
	f(400, 1, 5, 1)
	f(8*(spills+1), slices.Repeat([]int{1}, 40)...)
}

// TestHotKeySpillsAlongTheRing holds that the alternates of a key are the same each time, and
// that one which does not serve is passed over.
func TestHotKeySpillsAlongTheRing(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 1, 1, 1, 1))
	key := keysOf(s, "e0", 1)[0]
	walk := s.c.rings[0].ring.Walk(key)
	walk.Next()
	second, third := s.c.Endpoints()[walk.Next()], s.c.Endpoints()[walk.Next()]
	s.of("e0").active.Store(8)
	for range 10 {
		if got := s.home(key); got != second.ID() {
			t.Fatalf("a hot key spills to %s, want %s", got, second.ID())
		}
	}
	for _, away := range []func(){
		func() { second.SetAdmin(Drain) },
		func() { second.SetAdmin(Enabled); second.SetHealth(false) },
		func() { second.SetHealth(true); s.fail(second, 5) },
		func() { second.CheckPassed(); s.shares(1); second.active.Store(8) },
	} {
		away()
		for range 10 {
			if got := s.home(key); got != third.ID() {
				t.Fatalf("a hot key spills to %s, want %s", got, third.ID())
			}
		}
	}
}

// TestHotKeyOfAnOpenCircuit is for the algorithm, not for the alternates.
func TestHotKeyOfAnOpenCircuit(t *testing.T) {
	s := stageOf(t, keyedOptions(Random, 1, 1, 1, 1))
	key := keysOf(s, "e0", 1)[0]
	s.fail(s.of("e0"), 5)
	s.of("e0").active.Store(20)
	to := map[string]bool{}
	for range 60 {
		to[s.home(key)] = true
	}
	if len(to) != 3 || to["e0"] {
		t.Errorf("attempts went to %v", to)
	}
}

func TestTierLoad(t *testing.T) {
	s := stageOf(t, guarded(Random, slices.Repeat([]int{1}, 40)...))
	var l tierLoad
	f := func(now, want int64) {
		t.Helper()
		if got := l.of(tierOf(s.c), now); got != want {
			t.Errorf("%d attempts, want %d", got, want)
		}
	}
	f(s.now, 0)
	s.of("e0").active.Store(5)
	f(s.now, 0)
	f(s.now+ms-1, 0)
	f(s.now+ms, 5)
	s.of("e1").active.Store(2)
	for range 10 {
		f(s.now+ms, 5)
	}
	f(s.now+ms, 7)
}

// TestCookieHome has requests that were promised an endpoint.
func TestCookieHome(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		s := stageOf(t, tiered(a))
		e := s.of("e0")
		goes := func(want bool) {
			t.Helper()
			a, _ := s.begin(Want{Home: e})
			if (a.Endpoint() == e) != want {
				t.Errorf("at home: %v, want %v", !want, want)
			}
			s.end(a, Success)
		}
		for range 30 {
			goes(true)
		}
		e.active.Store(1000) // the bound is not for cookies
		goes(true)
		e.SetWeight(0)
		e.SetHealth(false)
		goes(false)
		e.SetHealth(true)
		s.fail(e, 5)
		s.of("e1").SetHealth(false)
		goes(false)
		s.now += 31 * sec
		goes(true)
		s.circuit(e, Closed)
		var tried Tried
		tried.Add(e)
		at, _ := s.begin(Want{Home: e, Tried: &tried})
		if at.Endpoint() == e {
			t.Error("a retry came to the same endpoint")
		}
		s.end(at, Success)
		s.of("e1").SetHealth(true)
		e = s.of("e2") // of a tier that is not in use
		goes(true)
		e = new(Endpoint) // of another cluster
		goes(false)
	})
}
