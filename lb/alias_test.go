package lb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// chances returns how likely draw returns each index, read from the table.
func chances(a alias) []float64 {
	odds := make([]float64, len(a))
	for i, s := range a {
		keep := float64(s.keep) / math.Exp2(64)
		odds[i] += keep / float64(len(a))
		odds[s.other] += (1 - keep) / float64(len(a))
	}
	return odds
}

func TestAliasIsExact(t *testing.T) {
	f := func(weights ...int64) {
		t.Helper()
		sum := int64(0)
		for _, w := range weights {
			sum += w
		}
		for i, got := range chances(newAlias(weights)) {
			want := float64(weights[i]) / float64(sum)
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("weights %v: index %d is drawn with probability %v, want %v", weights, i, got, want)
			}
		}
	}
	f(1)
	f(MaxWeight)
	f(1, 1)
	f(3, 1)
	f(5, 2, 1)
	f(1, 1, 1, 1, 1)
	f(MaxWeight, 1)
	f(1, MaxWeight, 1)
	f(MaxWeight, MaxWeight, MaxWeight)
	f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		weights := make([]int64, 1+rng.IntN(200))
		for i := range weights {
			weights[i] = 1 + rng.Int64N(1+rng.Int64N(MaxWeight))
		}
		f(weights...)
	}
}

func TestAliasDraws(t *testing.T) {
	weights := []int64{6, 3, 1}
	a := newAlias(weights)
	rng := rand.NewPCG(1, 2)
	counts := make([]int, len(weights))
	const draws = 100_000
	for range draws {
		counts[a.draw(rng)]++
	}
	for i, w := range weights {
		wantShare(t, "index", i, counts[i], draws, float64(w)/10)
	}
}

// wantShare fails when count of draws is more than five standard deviations off share.
func wantShare(t *testing.T, what string, i, count, draws int, share float64) {
	t.Helper()
	mean := share * float64(draws)
	bound := 5 * math.Sqrt(mean*(1-share))
	if off := math.Abs(float64(count) - mean); off > bound {
		t.Errorf("%s %d came %d times of %d, want %.0f within %.0f", what, i, count, draws, mean, bound)
	}
}

func TestBelow(t *testing.T) {
	rng := rand.NewPCG(1, 3)
	var counts [7]int
	const draws = 70_000
	for range draws {
		counts[below(rng, int64(len(counts)))]++
	}
	for i, n := range counts {
		wantShare(t, "number", i, n, draws, 1.0/7)
	}
	if got := below(rng, 1); got != 0 {
		t.Errorf("below(1) = %d", got)
	}
}
