package netpoll

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const tick = int64(1) << tickShift

// A bench is a wheel in virtual time: its clock and its ticker are numbers.
type wheelBench struct {
	l   *Loop
	now int64
	due int64 // when the ticker reports; 0 = it is not armed
}

func newWheelBench() *wheelBench {
	b := &wheelBench{l: &Loop{}, now: 1}
	b.l.clock = func() int64 { return b.now }
	b.l.wheel.loop = b.l
	b.l.wheel.arm = func(ns int64) { b.due = b.now + max(ns, 1) }
	return b
}

// pass lets time go by, to a moment that is not before now.
func (b *wheelBench) pass(to int64) { b.now, b.l.now = max(b.now, to), 0 }

// turn is the ticker's report.
func (b *wheelBench) turn() {
	b.due = 0
	b.l.now = 0
	b.l.wheel.turn()
	b.l.now = 0
}

// wheelModel is a wheelBench with random timers, and a map of when each must expire.
type wheelModel struct {
	*wheelBench
	t      *testing.T
	r      *rand.Rand
	timers [40]*modelTimer
	want   map[*modelTimer]int64 // from when on the timer is due
	late   int64                 // how late a timer may be, ns; 0 = not looked at
	slow   bool                  // handlers take time
	fired  int
}

type modelTimer struct {
	Timer
	m *wheelModel
}

func newWheelModel(t *testing.T, seed uint64) *wheelModel {
	m := &wheelModel{wheelBench: newWheelBench(), t: t, r: rand.New(rand.NewPCG(seed, 1)), want: map[*modelTimer]int64{}}
	for i := range m.timers {
		m.timers[i] = &modelTimer{m: m}
	}
	return m
}

func (x *modelTimer) OnTimer(t *Timer) {
	m := x.m
	at, ok := m.want[x]
	switch {
	case t != &x.Timer:
		m.t.Fatal("the handler got another timer")
	case !ok:
		m.t.Fatal("a timer expired that is off")
	case at > m.now:
		m.t.Fatalf("a timer expired %d ns early", at-m.now)
	case m.late > 0 && m.now-at > m.late:
		m.t.Fatalf("a timer expired %.1f ticks late", float64(m.now-at)/float64(tick))
	case x.Deadline() != 0:
		m.t.Fatal("a timer is on while it expires")
	}
	delete(m.want, x)
	m.fired++
	for range m.r.IntN(3) {
		m.change()
	}
	if m.slow && m.r.IntN(3) == 0 {
		m.pass(m.now + m.r.Int64N(10*tick))
	}
}

// change does one random thing to one random timer.
func (m *wheelModel) change() {
	x := m.timers[m.r.IntN(len(m.timers))]
	switch m.r.IntN(8) {
	case 0:
		m.l.StopTimer(&x.Timer)
		delete(m.want, x)
	case 1:
		m.l.DropTimer(&x.Timer)
		delete(m.want, x)
	default:
		at := max(m.now+m.delay(), 1)
		m.l.SetTimer(&x.Timer, x, at)
		m.want[x] = max(at, m.now) // one in the past is due now
		if x.Deadline() != at {
			m.t.Fatalf("Deadline = %d, want %d", x.Deadline(), at)
		}
	}
}

// delay is near, inside or beyond the horizon, and at times in the past.
func (m *wheelModel) delay() int64 {
	switch m.r.IntN(6) {
	case 0:
		return -m.r.Int64N(10 * tick)
	case 1:
		return m.r.Int64N(3 * tick)
	case 2:
		return tick * m.r.Int64N(100)
	case 3:
		return wheelSlots*tick + m.r.Int64N(5*tick) - 3*tick
	case 4:
		return m.r.Int64N(20 * wheelSlots * tick)
	}
	return m.r.Int64N(wheelSlots * tick)
}

// soonest is the nearest deadline, 0 when all timers are off.
func (m *wheelModel) soonest() (at int64) {
	for _, x := range m.timers {
		if w, ok := m.want[x]; ok && (at == 0 || w < at) {
			at = w
		}
	}
	return at
}

// A wheel that is turned each tick is never early and at most two ticks late.
func TestWheelTurnedEachTick(t *testing.T) {
	for seed := range uint64(8) {
		m := newWheelModel(t, seed)
		m.late = 2 * tick
		for range 6000 {
			for range m.r.IntN(3) {
				m.change()
			}
			for range 1 + m.r.IntN(20) {
				m.pass(m.now + tick)
				m.turn()
			}
			if at := m.soonest(); at != 0 && m.now-at > m.late {
				t.Fatalf("seed %d: a timer is %.1f ticks late", seed, float64(m.now-at)/float64(tick))
			}
		}
		if m.fired < 1000 {
			t.Errorf("seed %d: only %d timers expired", seed, m.fired)
		}
	}
}

// A wheel that is turned when its ticker reports, or a good while later, has nothing left
// that was due before, and has the ticker armed in time for what comes next.
func TestWheelTurnedByItsTicker(t *testing.T) {
	for seed := range uint64(16) {
		m := newWheelModel(t, seed)
		m.slow = seed%2 == 1
		for range 6000 {
			for range m.r.IntN(4) {
				m.pass(m.now + m.r.Int64N(tick/4))
				m.change()
			}
			m.checkArmed()
			if m.due == 0 {
				m.pass(m.now + m.r.Int64N(1000*wheelSlots*tick)) // long idle
				continue
			}
			if m.r.IntN(4) == 0 {
				m.pass(m.now + m.r.Int64N(max(m.due-m.now, 1))) // other events before it
				continue
			}
			m.pass(m.due)
			if m.r.IntN(20) == 0 {
				m.pass(m.now + m.r.Int64N(3*wheelSlots*tick)) // the process stood still
			}
			began := m.now >> tickShift
			m.turn()
			if at := m.soonest(); at != 0 && tickAfter(at) < began {
				t.Fatalf("seed %d: a timer of tick %d was left in tick %d", seed, tickAfter(at), began)
			}
			m.checkArmed()
		}
		if m.fired < 1000 {
			t.Errorf("seed %d: only %d timers expired", seed, m.fired)
		}
	}
}

func (m *wheelModel) checkArmed() {
	at := m.soonest()
	if at == 0 {
		return
	}
	latest := max(tickAfter(at), m.now>>tickShift+1) << tickShift
	if m.due == 0 || m.due > latest {
		m.t.Fatalf("a timer for %d, the ticker reports at %d, want %d at the latest", at, m.due, latest)
	}
}

// fire is a TimerHandler of a function.
type fire func(t *Timer)

func (f fire) OnTimer(t *Timer) { f(t) }

// A handler that was slow or called late, alone in the wheel, sets a timer for which the
// slot at hand is the right one, a round later.
func TestWheelSlotAtHandIsSetAgain(t *testing.T) {
	for lag := range int64(12) {
		for ahead := wheelSlots - 20*int64(1); ahead < wheelSlots+20; ahead++ {
			b := newWheelBench()
			var x Timer
			fired := 0
			b.l.SetTimer(&x, fire(func(t *Timer) {
				if fired++; fired == 1 {
					b.l.SetTimer(t, t.handler, b.now+ahead*tick)
				}
			}), 100*tick)
			b.pass((100 + lag) * tick)
			done := make(chan struct{})
			go func() { b.turn(); close(done) }()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatalf("lag %d, ahead %d: the wheel turns for ever", lag, ahead)
			}
			at := x.Deadline()
			for b.now < at {
				if fired != 1 {
					t.Fatalf("lag %d, ahead %d: fired %d times", lag, ahead, fired)
				}
				b.pass(b.due)
				b.turn()
			}
			if fired != 2 || b.now-at > 2*tick {
				t.Fatalf("lag %d, ahead %d: fired %d times, %d ns late", lag, ahead, fired, b.now-at)
			}
		}
	}
}

func TestTimerBySteps(t *testing.T) {
	b := newWheelBench()
	var fired []int64
	record := fire(func(*Timer) { fired = append(fired, b.now/tick) })
	until := func(end int64) {
		for b.due != 0 && b.due <= end*tick {
			b.pass(b.due)
			b.turn()
		}
		b.pass(end * tick)
	}
	f := func(what string, want ...int64) {
		t.Helper()
		if !slices.Equal(fired, want) {
			t.Errorf("%s: fired in ticks %d, want %d", what, fired, want)
		}
		fired = nil
	}
	var x Timer
	set := func(at int64) { b.l.SetTimer(&x, record, at*tick) }

	set(10)
	until(9)
	f("not due")
	until(20)
	f("due", 10)

	set(30)
	set(40)
	until(50)
	f("put off", 40)

	set(80)
	set(60)
	until(90)
	f("brought forward", 60)

	set(100)
	b.l.StopTimer(&x)
	until(110)
	f("stopped")

	set(120)
	b.l.DropTimer(&x)
	until(130)
	f("dropped")

	set(140)
	b.l.StopTimer(&x)
	set(150)
	until(160)
	f("stopped and set", 150)

	set(5)
	until(170)
	f("set in the past", 160)

	set(170 + 3*wheelSlots)
	until(170 + 3*wheelSlots)
	f("beyond the horizon", 170+3*wheelSlots)

	b.l.SetTimer(&x, record, 1<<63-1)
	until(170 + 4*wheelSlots)
	f("as good as never")
	if gap := (b.due - b.now) / tick; gap < wheelSlots/2 {
		t.Errorf("a timer set for ever has the wheel turn in %d ticks", gap)
	}
}

// Setting a timer, with a real ticker.
func TestTimerInRealTime(t *testing.T) {
	l, err := NewLoop(NewClock())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const short = 30 * time.Millisecond
	var x, y Timer
	began := time.Now()
	var took time.Duration
	l.SetTimer(&y, fire(func(*Timer) { t.Error("a timer expired that was put off") }), l.Now()+int64(short))
	l.SetTimer(&y, y.handler, l.Now()+int64(time.Hour))
	l.SetTimer(&x, fire(func(*Timer) {
		took = time.Since(began)
		l.Stop()
	}), l.Now()+int64(short))
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
	if took < short {
		t.Errorf("the timer was early: %v", took)
	}
}
