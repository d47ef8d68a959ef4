package beacon

import "time"

// A throttle gathers events for a log that gets one line a second.
type throttle struct {
	last    time.Time // last line
	pending int       // events since
}

// add counts n events. due is how many the line says that is to be written now; 0 = none.
func (t *throttle) add(n int, now time.Time) (due int) {
	t.pending += n
	return t.flush(now)
}

// flush returns what add would have if more events had come.
func (t *throttle) flush(now time.Time) (due int) {
	if t.pending == 0 || !t.last.IsZero() && now.Sub(t.last) < time.Second {
		return 0
	}
	due, t.pending, t.last = t.pending, 0, now
	return due
}

// A quota lets through so many events a second.
type quota struct {
	begin time.Time // of the second
	used  int
}

// take reports whether one more fits.
func (q *quota) take(most int, now time.Time) bool {
	if q.begin.IsZero() || now.Sub(q.begin) >= time.Second {
		q.begin, q.used = now, 0
	}
	q.used++
	return q.used <= most
}
