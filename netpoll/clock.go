package netpoll

import "time"

// A Clock gives monotonic time in nanoseconds, never 0.
type Clock func() int64

// NewClock returns a clock that begins now. Loops that share one agree on the time.
func NewClock() Clock {
	base := time.Now()
	return func() int64 { return int64(time.Since(base)) | 1 }
}
