package beacon

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	var b backoff
	for i, want := range []time.Duration{30, 60, 120, 240, 480, 600, 600, 600} {
		if got := b.next(); got != want*time.Second {
			t.Errorf("wait %d: %v, want %v", i, got, want*time.Second)
		}
	}
	b = 0
	if got := b.next(); got != firstWait {
		t.Errorf("anew: %v", got)
	}
}

func TestStamp(t *testing.T) {
	var s stamp
	f := func(now, want int64) {
		t.Helper()
		if got := s.next(now); got != want {
			t.Errorf("at %d: %d, want %d", now, got, want)
		}
	}
	f(100, 100)
	f(100, 101)
	f(50, 102) // the clock was set back
	f(102, 103)
	f(200, 200)
}
