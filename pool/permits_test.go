package pool

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A step is '+' for a TryAcquire that must succeed, '!' for one that must not, '-' for
// Release, a digit for SetMax.
func TestPermits(t *testing.T) {
	f := func(max int64, steps string, held int64) {
		t.Helper()
		p := NewPermits(max)
		for i, step := range []byte(steps) {
			switch step {
			case '+', '!':
				if got := p.TryAcquire(); got != (step == '+') {
					t.Errorf("max %d, %q: TryAcquire at step %d returned %v", max, steps, i, got)
				}
			case '-':
				p.Release()
			default:
				p.SetMax(int64(step - '0'))
			}
		}
		if p.Held() != held {
			t.Errorf("max %d, %q: %d held, want %d", max, steps, p.Held(), held)
		}
	}
	f(1, "", 0)
	f(1, "+!", 1)
	f(1, "+!!-+!", 1)
	f(3, "+++!-+!---", 0)
	f(2, "++!3+!", 3)
	f(3, "+++1!-!-!-+!", 1)
	f(0, "+++++", 5)
	f(-1, "++", 2)
	f(1, "+!0++", 3)
	f(0, "+++2!--+!", 2)
}

func TestPermitsReleaseUnheld(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Release of a permit that nobody holds did not panic")
		}
	}()
	NewPermits(1).Release()
}

// TestPermitsShared has more takers than permits and watches the ceiling from outside.
func TestPermitsShared(t *testing.T) {
	const takers, most, rounds = 8, 3, 3000
	p := NewPermits(most)
	var inside, peak, granted atomic.Int64
	var wg sync.WaitGroup
	for range takers {
		wg.Go(func() {
			for range rounds {
				if !p.TryAcquire() {
					continue
				}
				granted.Add(1)
				now := inside.Add(1)
				for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
				}
				inside.Add(-1)
				p.Release()
			}
		})
	}
	wg.Wait()
	if peak.Load() > most {
		t.Errorf("%d held at once, want at most %d", peak.Load(), most)
	}
	if p.Held() != 0 || granted.Load() == 0 {
		t.Errorf("%d held at the end of %d grants", p.Held(), granted.Load())
	}
}

// TestPermitsAllGranted has as many permits as takers: nobody may be refused.
func TestPermitsAllGranted(t *testing.T) {
	const takers, rounds = 4, 3000
	p := NewPermits(takers)
	var refused atomic.Int64
	var wg sync.WaitGroup
	for range takers {
		wg.Go(func() {
			for range rounds {
				if !p.TryAcquire() {
					refused.Add(1)
					continue
				}
				p.Release()
			}
		})
	}
	wg.Wait()
	if refused.Load() != 0 {
		t.Errorf("%d refused with a permit for each taker", refused.Load())
	}
}
