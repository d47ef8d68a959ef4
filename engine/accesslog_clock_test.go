package engine

import (
	"testing"
	"time"
)

func TestWallClock(t *testing.T) {
	var c wallClock
	c.set(1000, 5000)
	f := func(at, want int64) {
		t.Helper()
		if got := c.unix(at, 1000+wallStep-1); got != want {
			t.Errorf("the loop time %d is %d, want %d", at, got, want)
		}
	}
	f(1000, 5000)
	f(400, 4400)
	f(1500, 5500)
}

// A clock that was set is followed.
func TestWallClockLooksAgain(t *testing.T) {
	var c wallClock
	c.set(1000, 5000)
	now := 1000 + wallStep
	before := time.Now().UnixNano()
	got := c.unix(now-7, now)
	if after := time.Now().UnixNano(); got < before-7 || got > after-7 {
		t.Errorf("7 ns ago is %d, want %d to %d", got, before-7, after-7)
	}
	if again := c.unix(now-7, now+wallStep-1); again != got {
		t.Errorf("and %d a little later", again)
	}
}

func TestSecondText(t *testing.T) {
	var s secondText
	f := func(at string, layout, want string, fraction int64) {
		t.Helper()
		moment, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			t.Fatal(err)
		}
		if got, rest := s.of(moment.UnixNano(), layout); string(got) != want || rest != fraction {
			t.Errorf("%s is %s and %d ns, want %s and %d", at, got, rest, want, fraction)
		}
	}
	f("2026-02-28T23:59:59.999999999Z", jsonDate, "2026-02-28T23:59:59", 999_999_999)
	f("2026-03-01T00:00:00Z", jsonDate, "2026-03-01T00:00:00", 0)
	f("2026-03-01T00:00:00.5Z", jsonDate, "2026-03-01T00:00:00", 500_000_000)
	f("2026-03-01T00:00:00.5Z", combinedDate, "01/Mar/2026:00:00:00", 500_000_000)
	f("2026-03-01T02:30:00+02:00", jsonDate, "2026-03-01T00:30:00", 0)
	f("2026-03-01T00:00:00.000001Z", jsonDate, "2026-03-01T00:00:00", 1000)
}
