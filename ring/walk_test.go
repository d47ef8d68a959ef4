package ring

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWalk compares with a plain pass over the points.
func TestWalk(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		r := New(weighted(weights...))
		rng := rand.New(rand.NewPCG(9, 10))
		for range 12 {
			hash := rng.Uint64()
			var want []int
			start := r.find(hash)
			for i := range r.owners {
				owner := int(r.owners[(start+i)%len(r.owners)])
				if !slices.Contains(want, owner) {
					want = append(want, owner)
				}
			}
			var got []int
			w := r.Walk(hash)
			for m := w.Next(); m >= 0; m = w.Next() {
				got = append(got, m)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("weights %v: Walk(%#x) visits %v, want %v", weights, hash, got, want)
			}
			if got[0] != r.Lookup(hash) {
				t.Fatalf("weights %v: Walk(%#x) begins at %d, not at Lookup's %d", weights, hash, got[0], r.Lookup(hash))
			}
			if w.Next() != -1 {
				t.Fatalf("weights %v: Next goes on after its end", weights)
			}
		}
	}
	f(1)
	f(1, 1)
	f(5, 2, 1)
	f(0, 1, 0, 3)
	f(100, 1, 1)
	f(slices.Repeat([]int{1}, nearby-1)...)
	f(slices.Repeat([]int{1}, nearby)...)
	f(slices.Repeat([]int{1}, nearby+1)...)
	f(slices.Repeat([]int{1}, 65)...)
	f(slices.Repeat([]int{1, 2, 0}, 40)...)
}
