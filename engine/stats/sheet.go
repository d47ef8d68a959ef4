package stats

import "sync/atomic"

// A Counter is a process-wide counter without labels.
type Counter uint8

const (
	AcceptErrors      Counter = iota // accepts that failed for want of descriptors or memory
	AccessLogDropped                 // lines the access log could not take
	TraceSpansDropped                // spans that were not exported
	counterCount
)

// A Sheet is one worker's block of process-wide counters. It is made for one
// writer, on cache lines of its own; other goroutines may write to it too.
type Sheet struct {
	counters [counterCount]atomic.Int64
	failures [errorTypeCount]outcomes
	_        [64]byte
}

// Sheet returns the block of a worker. It stays the same for the life of the
// registry.
func (r *Registry) Sheet(worker int) *Sheet { return &r.sheets[worker] }

// Inc adds 1 to c.
func (s *Sheet) Inc(c Counter) { s.counters[c].Add(1) }

// Add adds n, which is not negative, to c.
func (s *Sheet) Add(c Counter, n int64) { s.counters[c].Add(n) }

// Failure counts a proxied request that ended without an answer of an
// endpoint. status is what the client was answered.
func (s *Sheet) Failure(e ErrorType, status int) { s.failures[e].observe(status, untimed) }

func (r *Registry) total(c Counter) int64 {
	var n int64
	for i := range r.sheets {
		n += r.sheets[i].counters[c].Load()
	}
	return n
}
