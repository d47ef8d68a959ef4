package lb

import (
	"slices"
	"sync"
)

// flaps remembers the last transitions of a breaker, and of the one that takes its place when a
// reload changes the settings. It is safe for concurrent use.
type flaps struct {
	address string

	mu     sync.Mutex // guards the rest
	times  []int64    // of transitions inside the window, in order; no more than it takes to flap
	last   int64
	window int64 // of the latest note
	on     bool
}

// note adds a transition at now. quiet says that the breaker flaps, begins that it does so from
// this transition on.
func (f *flaps) note(now int64, s *BreakerSettings) (quiet, begins bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.window = now, int64(s.FlappingWindow)
	if s.FlappingTransitions == 0 {
		return f.on, false
	}
	since := now - f.window
	f.times = slices.DeleteFunc(append(f.times, now), func(at int64) bool { return at <= since })
	if len(f.times) < s.FlappingTransitions {
		return f.on, false
	}
	f.times = slices.Delete(f.times, 0, len(f.times)-s.FlappingTransitions+1)
	begins = !f.on
	f.on = true
	return true, begins
}

// settle takes the mark away, and reports that it did, if there was no transition for a whole
// window.
func (f *flaps) settle(now int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now-f.last < f.window {
		return false
	}
	f.on, f.times = false, nil
	return true
}

func (f *flaps) flapping() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.on
}

// flappingSet is what flaps.
type flappingSet struct {
	mu  sync.Mutex // guards all; it may be held when the mutex of a flaps is taken
	all []*flaps
}

func (s *flappingSet) add(f *flaps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, f)
}

// takeSettled removes those that stop flapping at now and returns them.
func (s *flappingSet) takeSettled(now int64) (settled []*flaps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(f *flaps) bool {
		if !f.settle(now) {
			return false
		}
		settled = append(settled, f)
		return true
	})
	return settled
}
