package lb

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A plant is workers that share the newest of a line of Clusters, while others change all that
// can be changed.
type plant struct {
	o       Options
	cluster atomic.Pointer[Cluster]
	clock   atomic.Int64
}

// work makes exchanges that end in any way.
func (p *plant) work(seed uint64, exchanges int) {
	rng := rand.New(rand.NewPCG(seed, 15))
	var c *Cluster
	var picker *Picker
	var tried Tried
	for range exchanges {
		if now := p.cluster.Load(); now != c {
			c, picker = now, now.NewPicker(seed)
		}
		w := Want{Tried: &tried, Key: rng.Uint64(), Keyed: rng.IntN(2) == 0}
		if rng.IntN(4) == 0 {
			w.Home = c.Endpoints()[rng.IntN(len(c.Endpoints()))]
		}
		for {
			w.Now = p.clock.Add(100_000)
			var a Attempt
			if picker.Begin(&a, &w) != Picked {
				break
			}
			e := a.Endpoint()
			tried.Add(e)
			out := Outcome{Now: p.clock.Load(), Result: Result(rng.IntN(3)), Status: 200 + 300*rng.IntN(2), Latency: rng.Int64N(ms)}
			if rng.IntN(2) == 0 {
				a.Report(&out)
			}
			a.Finish(&out)
			if out.Result == Success || !c.Budget().Take(out.Now) {
				break
			}
			if picker.BeginAt(&a, e, out.Now) {
				out.Result = Success
				a.Finish(&out)
			}
		}
		tried.Reset()
	}
}

// disturb changes endpoints and reads what there is to read.
func (p *plant) disturb(seed uint64, times int) {
	rng := rand.New(rand.NewPCG(seed, 16))
	for range times {
		c := p.cluster.Load()
		e := c.Endpoints()[rng.IntN(len(c.Endpoints()))]
		switch rng.IntN(7) {
		case 0:
			e.SetHealth(rng.IntN(2) == 0)
		case 1:
			e.SetAdmin(State(rng.IntN(3)))
		case 2:
			e.SetDisabled(rng.IntN(2) == 0)
		case 3:
			e.SetWeight(rng.IntN(5))
		case 4:
			e.CheckPassed()
		case 5:
			e.SetCapacity(rng.IntN(3))
		default:
			c.CountExclusions()
			_ = []any{e.Circuit(), e.CircuitCounts(), e.EWMA(), e.Weight(), e.State(), e.Excluded(CircuitOpen)}
		}
	}
}

func (p *plant) reload(times int) {
	set := p.o.Breakers
	for i := range times {
		o := p.o
		set = set.Next()
		o.Breakers = set
		o.Breaker.MaxFails = 3 + i%2
		o.Endpoints = described([]int{1, 2, 3, 4, 5}[:3+i%3]...)
		p.cluster.Store(NewCluster(o, p.cluster.Load()))
		set.Settle(p.clock.Load())
	}
}

func TestWorkersAndChanges(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, a Algorithm) {
		p := &plant{o: keyedOptions(a, 1, 2, 3)}
		p.o.Breaker.OpenDuration, p.o.Breaker.SlowStart = 5*time.Millisecond, 10*time.Millisecond
		p.o.Budget = &BudgetSettings{MaxRetryRate: 0.5, MaxTokens: 100, RefillRate: 1000}
		p.clock.Store(1000 * sec)
		p.cluster.Store(NewCluster(p.o, nil))
		first := p.cluster.Load()
		var wg sync.WaitGroup
		for i := range uint64(3) {
			wg.Go(func() { p.work(i, 1000) })
		}
		wg.Go(func() { p.disturb(9, 500) })
		wg.Go(func() { p.reload(12) })
		wg.Wait()

		s := &stage{t: t, c: p.cluster.Load(), now: p.clock.Load() + sec}
		s.p = s.c.NewPicker(1)
		var ids []string
		for _, e := range append(first.Endpoints(), s.c.Endpoints()...) {
			if e.Active() != 0 {
				t.Errorf("%s has %d attempts at the end", e.ID(), e.Active())
			}
			e.SetHealth(true)
			e.SetAdmin(Enabled)
			e.SetDisabled(false)
			e.SetWeight(1)
			e.SetCapacity(0)
		}
		for _, e := range s.c.Endpoints() {
			ids = append(ids, e.ID())
			e.latency.word.Store(0)
		}
		s.shares(100) // trials, and the end of slow starts
		s.now += sec
		for _, e := range s.c.Endpoints() {
			s.circuit(e, Closed)
		}
		if a != P2CEWMA { // endpoints of exactly one latency are not used alike by it
			s.only(ids...)
		}
	})
}
