package beacon

import (
	"fmt"
	"time"
)

// losses follow the kernel's count of datagrams that one socket had no room for.
type losses struct {
	count uint32 // the last one; it wraps around
	// known is false for an inherited socket until its first count, which begins with what
	// another process has seen.
	known bool
}

// since returns how many were lost between the count before and this one.
func (l *losses) since(count uint32) int {
	n := int32(count - l.count)
	if n > 0 || !l.known {
		l.count = count
	}
	if !l.known {
		l.known = true
		return 0
	}
	return max(0, int(n))
}

// lost notes that the kernel had no room for n datagrams.
func (r *Receiver) lost(n int, now time.Time) {
	r.work.Lock()
	defer r.work.Unlock()
	r.counts.lost.Add(uint64(n))
	r.logLosses(r.full.add(n, now))
}

// logLosses writes the line about n losses, if there are any.
func (r *Receiver) logLosses(n int) {
	if n > 0 {
		r.log.Warn(fmt.Sprintf("lost %d datagram(s): the receive queue was full", n), "listen", r.listen)
	}
}
