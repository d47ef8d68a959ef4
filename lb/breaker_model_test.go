package lb

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// circuitModel is a breaker as one would write it for one goroutine.
type circuitModel struct {
	s          BreakerSettings
	circuit    Circuit
	generation int
	trial      bool
	passes     int
	until      int64 // open: may be tried from then on
	failures   []int64
}

func (m *circuitModel) transit(c Circuit) {
	m.circuit = c
	m.generation++
	m.trial, m.passes, m.failures = false, 0, nil
}

func (m *circuitModel) claim(now int64) bool {
	switch {
	case m.circuit == Open && now >= m.until:
		m.transit(HalfOpen)
		m.trial = true
		return true
	case m.circuit == HalfOpen && !m.trial:
		m.trial = true
		return true
	}
	return false
}

func (m *circuitModel) pass(g int) {
	if g != m.generation || m.circuit != HalfOpen {
		return
	}
	m.trial = false
	if m.passes++; m.passes >= m.s.ConsecutivePasses {
		m.transit(Closed)
	}
}

func (m *circuitModel) giveBack(g int) {
	if g == m.generation && m.circuit == HalfOpen {
		m.trial = false
	}
}

func (m *circuitModel) fail(g int, now int64) {
	if g != m.generation {
		return
	}
	if m.circuit == Closed {
		m.failures = append(m.failures, now)
		width := int64(m.s.Window) / windowBuckets
		inside := 0
		for _, at := range m.failures {
			if now/width-at/width < windowBuckets {
				inside++
			}
		}
		if inside < m.s.MaxFails {
			return
		}
	}
	m.transit(Open)
	m.until = (now + int64(m.s.OpenDuration) + 1<<tickShift - 1) >> tickShift << tickShift
}

func (m *circuitModel) checkPassed() {
	if m.circuit == Open {
		m.until = 0
	}
}

// together runs f in n goroutines that start at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-gate
			f(i)
		})
	}
	close(gate)
	wg.Wait()
}

// A modelRun drives a breaker and its model through the same events. Events of one step run on
// many goroutines; they are such that their order makes no difference.
type modelRun struct {
	t     *testing.T
	rng   *rand.Rand
	b     *breaker
	m     circuitModel
	now   int64
	held  []int // generations of attempts that are running, old and new
	trial int   // generation of the trial, -1 = none is out
}

func (r *modelRun) step() {
	n := 1 + r.rng.IntN(6)
	switch r.rng.IntN(8) {
	case 0:
		r.now += r.rng.Int64N(int64(r.m.s.OpenDuration))
	case 1:
		r.now += r.rng.Int64N(int64(r.m.s.Window) / 4)
	case 2, 3:
		r.claim(n)
	case 4:
		r.endTrial()
	case 5:
		together(n, func(int) { r.b.checkPassed() })
		r.m.checkPassed()
	case 6:
		if r.m.circuit == Closed {
			r.held = append(r.held, r.m.generation)
		}
	default:
		r.fail(n)
	}
	r.compare()
}

func (r *modelRun) claim(n int) {
	var won atomic.Int64
	var with atomic.Int64
	together(n, func(int) {
		if g, ok := r.b.claim(r.now); ok {
			won.Add(1)
			with.Store(int64(g))
		}
	})
	want := int64(0)
	if r.m.claim(r.now) {
		want = 1
		r.trial = r.m.generation
		if generation(with.Load()) != generation(r.trial)&generationMask {
			r.t.Fatalf("the trial has generation %d, want %d", with.Load(), r.trial)
		}
	}
	if won.Load() != want {
		r.t.Fatalf("%d of %d got the trial, want %d", won.Load(), n, want)
	}
}

func (r *modelRun) endTrial() {
	if r.trial < 0 {
		return
	}
	g := r.trial
	r.trial = -1
	switch r.rng.IntN(3) {
	case 0:
		r.b.pass(generation(g)&generationMask, r.now)
		r.m.pass(g)
	case 1:
		r.b.fail(generation(g)&generationMask, r.now)
		r.m.fail(g, r.now)
	default:
		r.b.giveBack(generation(g) & generationMask)
		r.m.giveBack(g)
	}
}

// fail has some attempts fail at once, of this generation and of those before.
func (r *modelRun) fail(n int) {
	gs := make([]int, n)
	for i := range gs {
		gs[i] = r.m.generation
		if r.m.circuit != Closed && len(r.held) > 0 {
			gs[i] = r.held[r.rng.IntN(len(r.held))]
		}
	}
	if r.m.circuit != Closed && len(r.held) == 0 {
		return
	}
	together(n, func(i int) { r.b.fail(generation(gs[i])&generationMask, r.now) })
	for _, g := range gs {
		r.m.fail(g, r.now)
	}
}

func (r *modelRun) compare() {
	w := r.b.load()
	until := w.availableAt()
	if w.circuit() != r.m.circuit || w.generation() != generation(r.m.generation)&generationMask ||
		w.trialOut() != r.m.trial || w.circuit() == HalfOpen && int(w.detail()) != r.m.passes ||
		w.circuit() == Open && until != r.m.until {
		r.t.Fatalf("the breaker is %v of %d, trial %v, detail %d; the model %+v",
			w.circuit(), w.generation(), w.trialOut(), w.detail(), r.m)
	}
}

func TestBreakerFollowsItsModel(t *testing.T) {
	seen := map[Circuit]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := commonBreaker()
		s.MaxFails = 1 + rng.IntN(6)
		s.ConsecutivePasses = 1 + rng.IntN(3)
		s.OpenDuration = time.Duration(1+rng.IntN(1000)) * time.Millisecond
		s.Window = time.Duration(1+rng.IntN(4000)) * time.Millisecond
		r := &modelRun{t: t, rng: rng, now: 1000 * sec, m: circuitModel{s: s}, trial: -1}
		r.b = newBreaker("a", s, new(wiring))
		for range 120 {
			r.step()
			seen[r.m.circuit]++
		}
	}
	for _, c := range []Circuit{Closed, Open, HalfOpen} {
		if seen[c] < 200 {
			t.Errorf("only %d steps ended %v", seen[c], c)
		}
	}
}

// TestBreakerAmongWorkers has workers do all at once what workers do. There is never more than
// one trial, and transitions come in the order that they can.
func TestBreakerAmongWorkers(t *testing.T) {
	var clock, out, trials atomic.Int64
	var told [CircuitSettled + 1]atomic.Int64
	clock.Store(sec)
	s := commonBreaker()
	s.MaxFails, s.ConsecutivePasses, s.OpenDuration = 3, 2, time.Millisecond
	b := newBreaker("a", s, &wiring{notify: func(tr Transition) { told[tr.Change].Add(1) }})
	work := func(rng *rand.Rand) {
		g, ok := b.admit()
		if ok {
			if rng.IntN(4) == 0 {
				b.fail(g, clock.Load())
			}
			return
		}
		if g, ok = b.claim(clock.Add(100_000)); !ok {
			return
		}
		if n := out.Add(1); n != 1 {
			t.Errorf("%d trials at once", n)
		}
		trials.Add(1)
		out.Add(-1)
		switch rng.IntN(4) {
		case 0:
			b.fail(g, clock.Load())
		case 1:
			b.giveBack(g)
		default:
			b.pass(g, clock.Load())
		}
	}
	together(6, func(i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 8))
		for range 4000 {
			work(rng)
			if rng.IntN(50) == 0 {
				b.checkPassed()
			}
		}
	})
	opened, half, again, closed := told[CircuitOpened].Load(), told[CircuitHalfOpened].Load(), told[CircuitReopened].Load(), told[CircuitClosed].Load()
	last := b.load().circuit()
	if opened-closed != int64(b2i(last != Closed)) || half-again-closed != int64(b2i(last == HalfOpen)) {
		t.Errorf("%d opened, %d half-open, %d reopened, %d closed, and it is %v", opened, half, again, closed, last)
	}
	if closed < 20 || again < 20 || trials.Load() < half {
		t.Errorf("%d closed, %d reopened, %d trials: not much happened", closed, again, trials.Load())
	}
}

// TestBreakerTrialIsOneWorkers has workers take and give back the trial as fast as they can.
func TestBreakerTrialIsOneWorkers(t *testing.T) {
	var out, trials atomic.Int64
	b := newBreaker("a", commonBreaker(), new(wiring))
	b.word.Store(uint64(newCircuitWord(HalfOpen, 5, 0)))
	together(4, func(int) {
		for range 20_000 {
			g, ok := b.claim(sec)
			if !ok {
				continue
			}
			if out.Add(1) != 1 {
				t.Error("two trials at once")
				return
			}
			for range 50 { // hold it for long enough to meet another
				trials.Load()
			}
			trials.Add(1)
			out.Add(-1)
			b.giveBack(g)
		}
	})
	if trials.Load() < 1000 || b.load() != newCircuitWord(HalfOpen, 5, 0) {
		t.Errorf("%d trials, and the breaker is %x", trials.Load(), b.load())
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
