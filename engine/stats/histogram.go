package stats

import (
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"
)

// maxBuckets is the most buckets a scale may have, that of +Inf included.
const maxBuckets = 16

// requestScale holds for everything that is about as long as a request.
var requestScale = newScale(
	500*time.Microsecond, time.Millisecond, 2500*time.Microsecond, 5*time.Millisecond, 10*time.Millisecond,
	25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond,
	time.Second, 2500*time.Millisecond, 5*time.Second, 10*time.Second, 30*time.Second)

// waitScale holds for the wait for an upstream connection.
var waitScale = newScale(
	time.Millisecond, 5*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond,
	100*time.Millisecond, 500*time.Millisecond, time.Second, 5*time.Second)

// A scale is the buckets of a histogram: ascending upper bounds, inclusive.
type scale struct {
	bounds []int64   // nanoseconds, without +Inf
	labels []string  // le="0.0005", ..., le="+Inf"
	first  [65]uint8 // by bit length of a value: the first bucket that may hold it
}

func newScale(bounds ...time.Duration) scale {
	var s scale
	for _, b := range bounds {
		s.bounds = append(s.bounds, int64(b))
		s.labels = append(s.labels, label("le", strconv.FormatFloat(b.Seconds(), 'f', -1, 64)))
	}
	s.labels = append(s.labels, label("le", "+Inf"))
	for n := 1; n < len(s.first); n++ {
		i := s.first[n-1]
		for int(i) < len(s.bounds) && uint64(s.bounds[i]) < 1<<(n-1) {
			i++
		}
		s.first[n] = i
	}
	return s
}

// bucket returns the index of the bucket of ns, which is not negative.
func (s *scale) bucket(ns int64) int {
	i := int(s.first[bits.Len64(uint64(ns))])
	for i < len(s.bounds) && ns > s.bounds[i] {
		i++
	}
	return i
}

// A histogram is one worker's counts of durations. Its scale is known to who
// uses it. The sum is kept in microseconds: nanoseconds would overflow within
// a day where 100,000 requests wait at any time.
type histogram struct {
	micros  atomic.Int64
	buckets [maxBuckets]atomic.Int64
}

// observe counts a duration; a negative one counts as 0.
func (h *histogram) observe(s *scale, ns int64) {
	ns = max(ns, 0)
	h.buckets[s.bucket(ns)&(maxBuckets-1)].Add(1)
	h.micros.Add((ns + 500) / 1000)
}

func (h *histogram) count() int64 {
	var n int64
	for i := range h.buckets {
		n += h.buckets[i].Load()
	}
	return n
}

// times is the sum of histograms of one scale.
type times struct {
	micros  int64
	buckets [maxBuckets]int64
}

func (t *times) add(h *histogram) {
	for i := range h.buckets {
		t.buckets[i] += h.buckets[i].Load()
	}
	t.micros += h.micros.Load()
}
