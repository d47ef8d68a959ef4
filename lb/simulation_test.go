//go:build !race

package lb

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A simulation runs a cluster in virtual time. Requests arrive at random, each endpoint serves
// some of them at a time and the others in their order.
type simulation struct {
	rng       *rand.Rand
	c         *Cluster
	pickers   []*Picker
	now       int64
	next      int64 // arrival
	every     float64
	servants  []servant
	running   endings
	latencies []int64
	counts    []int
}

// A servant is what is behind an endpoint.
type servant struct {
	mean float64 // ns of service
	free []int64 // when each place is free
}

type ending struct {
	at      int64
	began   int64
	attempt *Attempt
}

type endings []ending

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].at < e[j].at }
func (e endings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *endings) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// simulate readies a cluster with an endpoint for each mean of ms, four places each, of as many
// requests a ms.
func simulate(a Algorithm, perMS float64, means ...float64) *simulation {
	c := NewCluster(guarded(a, slices.Repeat([]int{1}, len(means))...), nil)
	s := &simulation{rng: rand.New(rand.NewPCG(1, 14)), c: c, now: 1000 * sec, every: float64(ms) / perMS}
	s.next = s.now
	for i := range 3 {
		s.pickers = append(s.pickers, c.NewPicker(uint64(i)))
	}
	for _, m := range means {
		s.servants = append(s.servants, servant{m * float64(ms), make([]int64, 4)})
	}
	s.reset()
	return s
}

func (s *simulation) reset() {
	s.latencies = s.latencies[:0]
	s.counts = make([]int, len(s.servants))
}

// run goes on for some virtual time.
func (s *simulation) run(ns int64) {
	for end := s.now + ns; s.next < end; {
		if len(s.running) > 0 && s.running[0].at <= s.next {
			s.end(heap.Pop(&s.running).(ending))
			continue
		}
		s.now = s.next
		s.next += max(1, int64(s.rng.ExpFloat64()*s.every))
		s.begin()
	}
}

func (s *simulation) begin() {
	at := new(Attempt)
	if s.pickers[s.rng.IntN(len(s.pickers))].Begin(at, &Want{Now: s.now}) != Picked {
		return
	}
	i := at.Endpoint().Index()
	s.counts[i]++
	free := s.servants[i].free
	first := slices.Index(free, slices.Min(free))
	free[first] = max(free[first], s.now) + int64(s.servants[i].mean*s.rng.ExpFloat64())
	heap.Push(&s.running, ending{at: free[first], began: s.now, attempt: at})
}

func (s *simulation) end(e ending) {
	s.now = e.at
	s.latencies = append(s.latencies, e.at-e.began)
	e.attempt.Finish(&Outcome{Now: e.at, Status: 200, Latency: e.at - e.began})
}

// percentile returns the q-th of the latencies, in ms.
func (s *simulation) percentile(q float64) float64 {
	sorted := slices.Sorted(slices.Values(s.latencies))
	return float64(sorted[int(q*float64(len(sorted)-1))]) / float64(ms)
}

func (s *simulation) share(i int) float64 {
	sum := 0
	for _, n := range s.counts {
		sum += n
	}
	return float64(s.counts[i]) / float64(sum)
}

// mixed is six fast endpoints, three that take three times as long, and one that takes ten.
func mixed() []float64 { return []float64{1, 1, 1, 1, 1, 1, 3, 3, 3, 10} }

// TestSimulationOfUnequalEndpoints compares the algorithms where endpoints differ.
func TestSimulationOfUnequalEndpoints(t *testing.T) {
	p99, p50, slow := map[Algorithm]float64{}, map[Algorithm]float64{}, map[Algorithm]float64{}
	for _, a := range algorithms {
		s := simulate(a, 3.5, mixed()...)
		s.run(3 * sec)
		s.reset()
		s.run(12 * sec)
		p50[a], p99[a], slow[a] = s.percentile(0.5), s.percentile(0.99), s.share(9)
		t.Logf("%-12v p50 %6.2f  p99 %6.2f  slow %5.2f %%  fast %5.2f %%", a, p50[a], p99[a], 100*slow[a], 100*s.share(0))
		for i := range s.servants {
			if got := s.share(i); got < 0.001 || got > 0.25 {
				t.Errorf("%v: endpoint %d of ten got %.2f %%", a, i, 100*got)
			}
		}
	}
	for _, a := range []Algorithm{P2CEWMA, LeastConn, TwoRandom} {
		if p99[a] > 0.7*p99[Random] {
			t.Errorf("p99 of %v is %.2f ms, that of random %.2f", a, p99[a], p99[Random])
		}
	}
	if p99[P2CEWMA] > p99[TwoRandom] || p50[P2CEWMA] > p50[Random] {
		t.Errorf("p2c_ewma: p50 %.2f and p99 %.2f ms; random's p50 is %.2f, two_random's p99 %.2f",
			p50[P2CEWMA], p99[P2CEWMA], p50[Random], p99[TwoRandom])
	}
	for _, a := range []Algorithm{Random, RoundRobin} {
		if math.Abs(slow[a]-0.1) > 0.01 {
			t.Errorf("%v: the slow endpoint got %.2f %%, want a tenth", a, 100*slow[a])
		}
	}
	if slow[P2CEWMA] > 0.03 || slow[LeastConn] > 0.08 {
		t.Errorf("the slow endpoint got %.2f %% by p2c_ewma and %.2f %% by least_conn", 100*slow[P2CEWMA], 100*slow[LeastConn])
	}
}

// TestSimulationOfEqualEndpoints wants even shares, and no worse latency than by chance.
func TestSimulationOfEqualEndpoints(t *testing.T) {
	var random float64
	for _, a := range []Algorithm{Random, RoundRobin, TwoRandom, LeastConn, P2CEWMA} {
		s := simulate(a, 16, 1, 1, 1, 1, 1)
		s.run(2 * sec)
		s.reset()
		s.run(4 * sec)
		p99 := s.percentile(0.99)
		t.Logf("%-12v p99 %6.2f shares %v", a, p99, s.counts)
		for i := range s.servants {
			if got := s.share(i); got < 0.15 || got > 0.25 {
				t.Errorf("%v: endpoint %d of five got %.2f %%", a, i, 100*got)
			}
		}
		if a == Random {
			random = p99
		} else if p99 > random {
			t.Errorf("%v: p99 %.2f ms, random's is %.2f", a, p99, random)
		}
	}
}

// TestSimulationOfRecovery has an endpoint become slow by twenty times, and be well again.
func TestSimulationOfRecovery(t *testing.T) {
	for _, a := range []Algorithm{P2CEWMA, TwoRandom, LeastConn} {
		s := simulate(a, 2, 2, 2, 2, 2)
		s.run(10 * sec)
		s.servants[0].mean *= 20
		s.run(2 * sec)
		s.reset()
		s.run(10 * sec)
		during, p99 := s.share(0), s.percentile(0.99)
		s.servants[0].mean /= 20
		s.run(60 * sec)
		s.reset()
		s.run(10 * sec)
		after := s.share(0)
		t.Logf("%-12v during %5.2f %% (p99 %.2f ms), after %5.2f %%", a, 100*during, p99, 100*after)
		if during > 0.1 || a == P2CEWMA && during > 0.03 {
			t.Errorf("%v: the slow endpoint got %.2f %%", a, 100*during)
		}
		if after < 0.15 {
			t.Errorf("%v: after a minute it gets %.2f %% of its quarter", a, 100*after)
		}
	}
}
