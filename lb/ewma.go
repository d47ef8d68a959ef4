package lb

import (
	"math"
	"sync/atomic"
)

// An ewma is a moving average of latencies that shows peaks: a slower sample counts whole and
// at once, faster ones pull it down with a time constant of 10 s. It is one word, safe for
// concurrent use: a float32 of nanoseconds and, below, the tick of the last change.
type ewma struct{ word atomic.Uint64 }

const (
	ewmaTickShift = 20 // a tick is 2^20 ns, about 1 ms: 32 bits of them last 52 days
	ewmaConstant  = 10e9
	ewmaTau       = ewmaConstant / (1 << ewmaTickShift) // in ticks

	// failedMark is a latency of -0: there was no answer ever, but an attempt that failed.
	failedMark = 1 << 31
)

func ewmaWord(latency float32, tick uint32) uint64 {
	return uint64(math.Float32bits(latency))<<32 | uint64(tick)
}

func ewmaParts(word uint64) (latency float64, tick uint32) {
	return float64(math.Float32frombits(uint32(word >> 32))), uint32(word)
}

// answered takes a sample of ns nanoseconds that came at now.
func (e *ewma) answered(ns, now int64) {
	sample := float64(max(ns, 1))
	tick := uint32(now >> ewmaTickShift)
	for {
		old := e.word.Load()
		next := sample
		if latency, last := ewmaParts(old); sample < latency {
			elapsed := ticksBetween(last, tick)
			if elapsed == 0 {
				return // many samples a tick: the first one pulls
			}
			next = sample + (latency-sample)*decay(elapsed)
		}
		if e.word.CompareAndSwap(old, ewmaWord(float32(next), tick)) {
			return
		}
	}
}

// failed takes an attempt that failed after ns nanoseconds. It is a sample if it was slower
// than answers are. If not it proves nothing about answers, least that they became faster: the
// average stays as high as it was.
func (e *ewma) failed(ns, now int64) {
	tick := uint32(now >> ewmaTickShift)
	for {
		old := e.word.Load()
		latency, _ := ewmaParts(old)
		next := uint64(failedMark)<<32 | uint64(tick)
		if latency > 0 {
			next = ewmaWord(float32(max(latency, float64(ns))), tick)
		}
		if e.word.CompareAndSwap(old, next) {
			return
		}
	}
}

// A reading is what an ewma says at one moment.
type reading struct {
	latency float64 // ns; it fades while no sample comes. 0 = there was none
	fresh   bool    // the latency is not older than the time constant
	failed  bool    // no answer yet, and an attempt failed not longer ago than the time constant
}

func (e *ewma) read(now int64) reading {
	word := e.word.Load()
	latency, last := ewmaParts(word)
	elapsed := ticksBetween(last, uint32(now>>ewmaTickShift))
	recent := float64(elapsed) < ewmaTau
	if latency == 0 {
		return reading{failed: recent && word>>32 == failedMark}
	}
	if elapsed > 0 {
		latency *= decay(elapsed)
	}
	return reading{latency: latency, fresh: recent}
}

// last returns the average as it was at the last sample, in ns; 0 = there was none.
func (e *ewma) last() int64 {
	latency, _ := ewmaParts(e.word.Load())
	return int64(latency)
}

// decay returns what is left of 1 after some ticks.
func decay(ticks uint32) float64 { return math.Exp(-float64(ticks) / ewmaTau) }

// ticksBetween returns how many ticks now is after last. Clocks of workers differ: last may be
// a little ahead.
func ticksBetween(last, now uint32) uint32 {
	const ahead = 1 << 16
	if elapsed := now - last; elapsed < math.MaxUint32-ahead {
		return elapsed
	}
	return 0
}
