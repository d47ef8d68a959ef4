package lb

import "testing"

func TestRandomShares(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		const picks = 100_000
		c := clusterOf(Random, weights...)
		sum := 0
		for _, w := range weights {
			sum += w
		}
		for i, n := range shareOf(c.NewPicker(1), c, picks) {
			wantShare(t, "endpoint", i, n, picks, float64(weights[i])/float64(sum))
		}
	}
	f(1)
	f(1, 1, 1)
	f(6, 3, 1)
	f(0, 2, 0, 1)
	f(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	f(MaxWeight, 1)
}

// TestSeedsAreIndependent looks at the first and second picks of workers with seeds in a row.
func TestSeedsAreIndependent(t *testing.T) {
	const endpoints, seeds = 5, 20_000
	c := clusterOf(Random, 1, 1, 1, 1, 1)
	var first [endpoints]int
	var both [endpoints * endpoints]int
	for seed := range uint64(seeds) {
		p := c.NewPicker(seed)
		a, b := pick(p, nil), pick(p, nil)
		first[a.Index()]++
		both[a.Index()*endpoints+b.Index()]++
		done(a)
		done(b)
	}
	for i, n := range first {
		wantShare(t, "first pick", i, n, seeds, 1.0/endpoints)
	}
	for i, n := range both {
		wantShare(t, "pair of picks", i, n, seeds, 1.0/endpoints/endpoints)
	}
}
