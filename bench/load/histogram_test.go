package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHistogramQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h, part histogram
	var all []int64
	for i := range 20_000 {
		v := int64(math.Exp(random.Float64() * 25)) // 1 ns to 72 s
		all = append(all, v)
		if i%2 == 0 {
			h.record(v)
		} else {
			part.record(v)
		}
	}
	h.merge(&part)
	slices.Sort(all)
	for _, q := range []float64{0.0001, .5, .9, .99, .999, .9999, 1} {
		want := all[max(int(math.Ceil(q*float64(len(all))))-1, 0)]
		got := h.quantile(q)
		if diff := math.Abs(float64(got - want)); diff > 0.001*float64(want) {
			t.Errorf("quantile(%v) = %d, want %d within 0.1%%", q, got, want)
		}
	}
	if h.max != all[len(all)-1] || h.total != uint64(len(all)) {
		t.Errorf("max %d of %d, want %d of %d", h.max, h.total, all[len(all)-1], len(all))
	}
}

func TestHistogramBuckets(t *testing.T) {
	for _, v := range []int64{0, 1, 2047, 2048, 2049, 4095, 4096, 1 << 20, 1<<20 + 1023, 1<<topBits - 1, math.MaxInt64} {
		i := bucketOf(v)
		if i < 0 || i >= buckets {
			t.Fatalf("bucketOf(%d) = %d, of %d", v, i, buckets)
		}
		if v < 1<<topBits && (highestIn(i) < v || i > 0 && highestIn(i-1) >= v) {
			t.Errorf("%d is in bucket %d, which is (%d, %d]", v, i, highestIn(i-1), highestIn(i))
		}
	}
}

func TestHistogramEmptyAndNegative(t *testing.T) {
	var h histogram
	if h.quantile(.5) != 0 || h.mean() != 0 {
		t.Errorf("empty: median %d, mean %v, want 0", h.quantile(.5), h.mean())
	}
	h.record(-5)
	if h.quantile(1) != 0 || h.total != 1 {
		t.Errorf("negative: max %d of %d, want 0 of 1", h.quantile(1), h.total)
	}
}
