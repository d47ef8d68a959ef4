package lb

import (
	"math"
	"testing"
)

func wantLatency(t *testing.T, e *ewma, now int64, want float64) {
	t.Helper()
	if got := e.read(now).latency; math.Abs(got-want) > want/500 {
		t.Errorf("the latency is %.0f ns, want %.0f", got, want)
	}
}

func TestEWMAShowsPeaks(t *testing.T) {
	var e ewma
	now := 50 * sec
	wantLatency(t, &e, now, 0)
	e.answered(2*ms, now)
	wantLatency(t, &e, now, float64(2*ms))
	for range 1000 {
		e.answered(ms, now+10) // of the same moment
	}
	wantLatency(t, &e, now, float64(2*ms))
	e.answered(100*ms, now)
	wantLatency(t, &e, now, float64(100*ms))
	e.answered(101*ms, now+sec)
	wantLatency(t, &e, now+sec, float64(101*ms))
}

// TestEWMADecays has faster samples come in one stream or another: after the time constant the
// distance has shrunk by e, whatever their number.
func TestEWMADecays(t *testing.T) {
	for _, every := range []int64{sec / 10, sec, 10 * sec} {
		var e ewma
		start := 50 * sec
		e.answered(100*ms, start)
		for at := every; at <= 10*sec; at += every {
			e.answered(10*ms, start+at)
		}
		wantLatency(t, &e, start+10*sec, float64(10*ms)+float64(90*ms)/math.E)
	}
	var e ewma
	start := 50 * sec
	e.answered(100*ms, start)
	for at := int64(0); at <= 10*sec; at += ms / 10 {
		e.answered(10*ms, start+at)
	}
	wantLatency(t, &e, start+10*sec, float64(10*ms)+float64(90*ms)/math.E)
}

func TestEWMAFades(t *testing.T) {
	var e ewma
	now := 50 * sec
	e.answered(100*ms, now)
	wantLatency(t, &e, now+10*sec, float64(100*ms)/math.E)
	wantLatency(t, &e, now+20*sec, float64(100*ms)/math.E/math.E)
	if r := e.read(now + 9*sec); !r.fresh {
		t.Error("9 s old, and not fresh")
	}
	if r := e.read(now + 11*sec); r.fresh {
		t.Error("11 s old, and fresh")
	}
	if got := e.last(); math.Abs(float64(got-100*ms)) > float64(ms) {
		t.Errorf("last is %d, want what it was", got)
	}
	e.answered(50*ms, now+20*sec)
	wantLatency(t, &e, now+20*sec, float64(50*ms)+float64(50*ms)/math.E/math.E)
}

func TestEWMAOfFailures(t *testing.T) {
	var e ewma
	now := 50 * sec
	e.failed(ms, now)
	if r := e.read(now + 9*sec); r.latency != 0 || !r.failed {
		t.Errorf("a failure before any answer reads %+v", r)
	}
	if r := e.read(now + 11*sec); r.failed {
		t.Error("it is remembered for longer than the time constant")
	}
	e.answered(20*ms, now)
	if r := e.read(now); r.failed || !r.fresh {
		t.Errorf("after an answer it reads %+v", r)
	}
	e.failed(ms, now+10*sec) // quicker than an answer: it does not look better for it
	wantLatency(t, &e, now+10*sec, float64(20*ms))
	e.failed(sec, now+10*sec)
	wantLatency(t, &e, now+10*sec, float64(sec))
}

// TestEWMAClocks has the clocks of workers differ, and the ticks wrap.
func TestEWMAClocks(t *testing.T) {
	var e ewma
	wrap := int64(1) << (32 + ewmaTickShift)
	for _, now := range []int64{50 * sec, wrap - sec, 7*wrap - 1} {
		e.word.Store(0)
		e.answered(10*ms, now)
		wantLatency(t, &e, now-3*sec, float64(10*ms))
		wantLatency(t, &e, now+10*sec, float64(10*ms)/math.E)
		e.answered(5*ms, now-3*sec)
		wantLatency(t, &e, now, float64(10*ms))
	}
	if got := e.read(wrap*9 - 200*sec); got.latency > 1 {
		t.Errorf("after most of a wrap %v ns are left", got.latency)
	}
}
