package main

import "math/bits"

// Values below 2^subBits have a bucket each; above, every doubling is divided
// into 2^(subBits-1) buckets. So a value is known to 0.1 %.
const (
	subBits = 11
	topBits = 42 // values of 2^42 ns (73 minutes) and more share the last bucket
	half    = 1 << (subBits - 1)
	buckets = (topBits-subBits)*half + 2*half
)

// A histogram counts durations in nanoseconds with the log-linear buckets of
// HdrHistogram at three significant digits. The zero value is ready.
type histogram struct {
	counts [buckets]uint64
	total  uint64
	sum    float64
	max    int64
}

// record counts one value. Negative values count as 0.
func (h *histogram) record(ns int64) {
	ns = max(ns, 0)
	h.counts[bucketOf(ns)]++
	h.total++
	h.sum += float64(ns)
	h.max = max(h.max, ns)
}

// merge adds what other counted.
func (h *histogram) merge(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// mean returns the average in nanoseconds, 0 when nothing was recorded.
func (h *histogram) mean() float64 {
	if h.total == 0 {
		return 0
	}
	return h.sum / float64(h.total)
}

// quantile returns the value, in nanoseconds, that the share q (0 to 1) of all
// values does not exceed; 0 when nothing was recorded.
func (h *histogram) quantile(q float64) int64 {
	rank := uint64(q * float64(h.total))
	if float64(rank) < q*float64(h.total) || rank == 0 {
		rank++
	}
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; seen >= rank && n > 0 {
			return min(highestIn(i), h.max)
		}
	}
	return h.max
}

func bucketOf(ns int64) int {
	v := min(uint64(ns), 1<<topBits-1)
	shift := max(bits.Len64(v)-subBits, 0)
	return shift*half + int(v>>shift)
}

// highestIn returns the largest value that falls into bucket i.
func highestIn(i int) int64 {
	if i < 2*half {
		return int64(i)
	}
	shift := i/half - 1
	return (int64(i-shift*half)+1)<<shift - 1
}
