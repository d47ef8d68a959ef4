package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// plainBucket is bucket as anybody would write it.
func plainBucket(s *scale, ns int64) int {
	for i, b := range s.bounds {
		if ns <= b {
			return i
		}
	}
	return len(s.bounds)
}

func TestBucketAgreesWithSearch(t *testing.T) {
	for _, s := range []*scale{&requestScale, &waitScale} {
		values := []int64{0, 1, math.MaxInt64}
		for _, b := range s.bounds {
			values = append(values, b-1, b, b+1)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 20000 {
			values = append(values, random.Int64()>>random.IntN(63))
		}
		for _, v := range values {
			if got, want := s.bucket(v), plainBucket(s, v); got != want {
				t.Errorf("bucket(%d) is %d, want %d", v, got, want)
			}
		}
	}
}

func TestScales(t *testing.T) {
	f := func(s *scale, want string) {
		t.Helper()
		got := strings.NewReplacer(`le="`, "", `"`, "").Replace(strings.Join(s.labels, " "))
		if got != want {
			t.Errorf("buckets %s, want %s", got, want)
		}
		if len(s.labels) > maxBuckets {
			t.Errorf("%d buckets, room for %d", len(s.labels), maxBuckets)
		}
	}
	f(&requestScale, "0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 +Inf")
	f(&waitScale, "0.001 0.005 0.01 0.05 0.1 0.5 1 5 +Inf")
}

func TestHistogramSum(t *testing.T) {
	var h histogram
	h.observe(&requestScale, int64(1499*time.Nanosecond)) // 1 us
	h.observe(&requestScale, int64(1500*time.Nanosecond)) // 2 us
	h.observe(&requestScale, -5)                          // 0
	h.observe(&requestScale, int64(time.Hour))
	if got, want := h.micros.Load(), int64(3600_000_003); got != want {
		t.Errorf("sum %d us, want %d", got, want)
	}
	if h.count() != 4 || h.buckets[0].Load() != 3 || h.buckets[15].Load() != 1 {
		t.Errorf("%d observations, want 4: 3 in the first bucket and 1 in the last", h.count())
	}
}

// Blocks of different workers lie side by side; if they do not fill whole cache
// lines, one worker's writes slow the other's down.
func TestBlocksFillCacheLines(t *testing.T) {
	f := func(name string, size uintptr) {
		t.Helper()
		if size%64 != 0 {
			t.Errorf("%s takes %d bytes, want a multiple of 64", name, size)
		}
	}
	f("cell", unsafe.Sizeof(cell{}))
	f("endpointSheet", unsafe.Sizeof(endpointSheet{}))
	f("listenerSheet", unsafe.Sizeof(listenerSheet{}))
}
