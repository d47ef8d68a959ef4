package ring

import (
	"math"
	"slices"
	"testing"
)

func TestPointCounts(t *testing.T) {
	f := func(weights []int, want ...int) {
		t.Helper()
		if got := pointCounts(weighted(weights...)); !slices.Equal(got, want) {
			t.Errorf("pointCounts of weights %v = %v, want %v", weights, got, want)
		}
	}
	f(nil)
	f([]int{1}, 2048)
	f([]int{1_000_000}, 2048)
	f([]int{7, 7}, 2048, 2048)
	f([]int{5, 2, 1}, 10240, 4096, 2048)
	f([]int{50, 20, 10}, 10240, 4096, 2048)
	f([]int{0, 4, -3, 2}, 0, 4096, 0, 2048)
	f([]int{127, 1}, 127*2048, 2048)
	f([]int{128, 1}, 128*1024, 1024)
	f([]int{1_000_000, 1}, 250_000, 8)
	f([]int{1_000_000, 999_999, 25}, 125_000, 125_000, 8)
}

// TestPointCountsBounds holds the sizes of large rings.
func TestPointCountsBounds(t *testing.T) {
	f := func(n, each int) {
		t.Helper()
		counts := pointCounts(equalMembers(n))
		if slices.Min(counts) != each || slices.Max(counts) != each {
			t.Errorf("%d members own %d to %d points, want %d each",
				n, slices.Min(counts), slices.Max(counts), each)
		}
	}
	f(64, 2048)
	f(128, 2048)
	f(129, 1024)
	f(256, 1024)
	f(257, 512)
	f(1000, 256)
	f(10_000, 16)
	f(32_768, 8)
	f(40_000, 8)
}

// TestEvenness measures how far the shares of equal members are from even.
func TestEvenness(t *testing.T) {
	f := func(n int, bar float64) {
		t.Helper()
		for i, share := range shares(New(equalMembers(n))) {
			if off := math.Abs(share*float64(n) - 1); off > bar {
				t.Errorf("member %d of %d is %.1f %% off even, want at most %.0f %%", i, n, 100*off, 100*bar)
			}
		}
	}
	for n := 2; n <= 64; n++ {
		f(n, 0.10)
	}
	f(65, 0.35)
	f(129, 0.35)
	f(300, 0.35)
	f(1000, 0.35)
}

func TestWeights(t *testing.T) {
	f := func(bar float64, weights ...int) {
		t.Helper()
		sum := 0
		for _, w := range weights {
			sum += w
		}
		for i, share := range shares(New(weighted(weights...))) {
			want := float64(weights[i]) / float64(sum)
			if math.Abs(share-want) > bar*want {
				t.Errorf("weights %v: member %d owns %.4f, want %.4f within %.0f %%",
					weights, i, share, want, 100*bar)
			}
		}
	}
	f(0.10, 3, 1)
	f(0.10, 5, 2, 1)
	f(0.10, 0, 1, 4)
	f(0.10, 100, 50, 25)
	f(0.10, 1000, 999, 998)
	f(0.10, 63, 1, 1, 1, 1, 1, 1, 1, 1, 1)
}
