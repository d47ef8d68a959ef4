package lb

import "sync/atomic"

// windowBuckets is into how many parts a window is divided: failures leave it in steps of 3 %.
const windowBuckets = 32

// A failureWindow counts the failures of the last while. All methods are safe for concurrent
// use. A bucket is one word:
//
//	15 bits  the generation of the breaker that it counts for
//	32 bits  its number since the beginning of time
//	17 bits  failures
//
// A bucket of another generation or of an older number is empty, so nothing ever has to clear
// the window.
type failureWindow struct {
	width   int64 // of a bucket, ns
	buckets [windowBuckets]atomic.Uint64
}

const (
	countBits = 17
	countMask = 1<<countBits - 1
)

// MaxFails is the largest number of failures that a breaker can wait for.
const MaxFails = 100_000

const _ = uint(countMask - MaxFails) // does not compile when a bucket holds too few

// width returns the nanoseconds of a bucket when all are to cover window at most.
func bucketWidth(window int64) int64 { return max(1, window/windowBuckets) }

func bucketWord(g generation, number uint32, count uint64) uint64 {
	return uint64(g)<<(32+countBits) | uint64(number)<<countBits | count
}

// add counts a failure at now for generation g and returns how many are in the window. of is
// the word of the breaker: when it has left g, nothing is counted and ok is false.
func (f *failureWindow) add(g generation, now int64, of *atomic.Uint64) (failures int, ok bool) {
	number := uint32(now / f.width)
	b := &f.buckets[number%windowBuckets]
	for {
		// The bucket is read before the breaker: a bucket of a newer generation is then always
		// seen together with a breaker that has left g.
		old := b.Load()
		if circuitWord(of.Load()).generation() != g {
			return 0, false
		}
		if b.CompareAndSwap(old, withFailure(old, g, number)) {
			return f.failures(g, number), true
		}
	}
}

// withFailure returns the bucket old with one more failure.
func withFailure(old uint64, g generation, number uint32) uint64 {
	its, count := uint32(old>>countBits), old&countMask
	if generation(old>>(32+countBits)) != g || int32(its-number) < 0 {
		return bucketWord(g, number, 1)
	}
	return bucketWord(g, its, min(count+1, countMask)) // its may be ahead: clocks of workers differ
}

// failures returns how many are in the window that ends with bucket number.
func (f *failureWindow) failures(g generation, number uint32) int {
	sum := 0
	for i := range f.buckets {
		w := f.buckets[i].Load()
		age := int32(number - uint32(w>>countBits))
		if generation(w>>(32+countBits)) == g && age < windowBuckets {
			sum += int(w & countMask)
		}
	}
	return sum
}

// copyFrom takes the failures of o over, if both windows are the same.
func (f *failureWindow) copyFrom(o *failureWindow) {
	if f.width != o.width {
		return
	}
	for i := range f.buckets {
		f.buckets[i].Store(o.buckets[i].Load())
	}
}
