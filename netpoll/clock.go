package netpoll

import "time"

// startClock returns a monotonic clock: nanoseconds from now on, never 0.
func startClock() func() int64 {
	base := time.Now()
	return func() int64 { return int64(time.Since(base)) | 1 }
}
