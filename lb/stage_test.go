package lb

import "testing"

// A stage is one Cluster with one worker, and a clock that the test moves.
type stage struct {
	t   *testing.T
	o   Options
	c   *Cluster
	p   *Picker
	now int64
}

func stageOf(t *testing.T, o Options) *stage {
	c := NewCluster(o, nil)
	return &stage{t: t, o: o, c: c, p: c.NewPicker(1), now: 1000 * sec}
}

// reload makes the stage go on with another Cluster.
func (s *stage) reload(change func(o *Options)) {
	s.o.Breakers = s.o.Breakers.Next()
	change(&s.o)
	s.c = NewCluster(s.o, s.c)
	s.p = s.c.NewPicker(1)
}

// of returns the endpoint of that ID.
func (s *stage) of(id string) *Endpoint {
	s.t.Helper()
	for _, e := range s.c.Endpoints() {
		if e.ID() == id {
			return e
		}
	}
	s.t.Fatalf("no endpoint %s", id)
	return nil
}

// begin starts an attempt, which may be none.
func (s *stage) begin(w Want) (*Attempt, Verdict) {
	var a Attempt
	w.Now = s.now
	verdict := s.p.Begin(&a, &w)
	if verdict == Picked != (a.Endpoint() != nil) {
		s.t.Fatalf("verdict %d with endpoint %v", verdict, a.Endpoint())
	}
	return &a, verdict
}

func (s *stage) end(a *Attempt, r Result) {
	a.Finish(&Outcome{Now: s.now, Result: r, Status: 200, Latency: ms})
}

// ask makes one attempt that ends with r and returns where it went; "" is nowhere.
func (s *stage) ask(r Result) string {
	s.t.Helper()
	a, verdict := s.begin(Want{})
	if verdict != Picked {
		return ""
	}
	defer s.end(a, r)
	return a.Endpoint().ID()
}

// shares makes attempts that succeed and returns where they went.
func (s *stage) shares(n int) map[string]int {
	s.t.Helper()
	counts := make(map[string]int)
	for range n {
		counts[s.ask(Success)]++
	}
	return counts
}

// only wants all of some attempts to go to one of ids.
func (s *stage) only(ids ...string) {
	s.t.Helper()
	got := s.shares(60)
	sum := 0
	for _, id := range ids {
		if got[id] == 0 {
			s.t.Errorf("%v: %q got nothing of %v", s.c.Algorithm(), id, got)
		}
		sum += got[id]
	}
	if sum != 60 {
		s.t.Errorf("%v: attempts went to %v, want only %q", s.c.Algorithm(), got, ids)
	}
}

// fail makes the endpoint fail so often, which must all be admitted.
func (s *stage) fail(e *Endpoint, times int) {
	s.t.Helper()
	for range times {
		var a Attempt
		if !s.p.BeginAt(&a, e, s.now) {
			s.t.Fatalf("%s admits nothing", e.ID())
		}
		s.end(&a, Failure)
	}
}

func (s *stage) circuit(e *Endpoint, want Circuit) {
	s.t.Helper()
	if got := e.Circuit(); got != want {
		s.t.Errorf("the circuit of %s is %v, want %v", e.ID(), got, want)
	}
}

// eachAlgorithm runs f for each.
func eachAlgorithm(t *testing.T, f func(t *testing.T, a Algorithm)) {
	for _, a := range algorithms {
		t.Run(a.String(), func(t *testing.T) { f(t, a) })
	}
}

// keysOf returns keys that lead to the endpoint of that ID.
func keysOf(s *stage, id string, n int) (keys []uint64) {
	s.t.Helper()
	e := s.of(id)
	r := s.c.rings[s.c.Tier(e)]
	for hash := uint64(0); len(keys) < n; hash += 0x9e3779b97f4a7c15 {
		if at := r.ring.Lookup(hash); s.c.Endpoints()[r.seats[at]] == e {
			keys = append(keys, hash)
		}
	}
	return keys
}
