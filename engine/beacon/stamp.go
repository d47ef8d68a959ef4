package beacon

import "sync/atomic"

// A stamp makes the times of announcements. Receivers drop what is not above the last one,
// so they rise strictly, whatever the wall clock does.
type stamp struct{ last atomic.Int64 }

// next returns now, or one more than the last time if that is later. Microseconds.
func (s *stamp) next(now int64) int64 {
	for {
		last := s.last.Load()
		ts := max(now, last+1)
		if s.last.CompareAndSwap(last, ts) {
			return ts
		}
	}
}
