package ring

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// moved returns the part of all hashes whose owner differs between the rings of a and b, and
// the part of it that newcomer owns in b. Both are exact.
func moved(a, b []Member, newcomer string) (all, toNewcomer float64) {
	from, to := New(a), New(b)
	edges := slices.Concat(from.hashes, to.hashes)
	slices.Sort(edges)
	for i, hash := range edges {
		before := edges[(i+len(edges)-1)%len(edges)]
		if hash == before {
			continue
		}
		owner := b[to.Lookup(hash)].Key
		if a[from.Lookup(hash)].Key == owner {
			continue
		}
		part := float64(hash-before) / math.Exp2(64)
		all += part
		if owner == newcomer {
			toNewcomer += part
		}
	}
	return all, toNewcomer
}

// TestDisruption has rings of n members with and without one of them. Either way, only the
// keys of that one may move, and they are 1.5/n of all at most.
func TestDisruption(t *testing.T) {
	f := func(n, one int) {
		t.Helper()
		with := equalMembers(n)
		key := with[one].Key
		without := slices.Delete(slices.Clone(with), one, one+1)
		all, its := moved(without, with, key)
		if bar := 1.5 / float64(n); all > bar || math.Abs(all-its) > 1e-12 {
			t.Errorf("with and without member %d of %d, %.4f of the keys differ and %.4f are its own; want the same, at most %.4f",
				one, n, all, its, bar)
		}
	}
	for _, n := range []int{2, 3, 4, 5, 6, 8, 10, 16, 32, 64} {
		f(n, n-1)
	}
	f(2, 0)
	f(5, 2)
	f(10, 0)
	f(33, 17)
	f(65, 64) // the promise of evenness changes here, the points do not
	f(128, 127)
	f(200, 100)
	f(1000, 999)
}

// TestDisruptionAtHalving holds what the package comment admits: where the points of all are
// halved, about half of the keys move.
func TestDisruptionAtHalving(t *testing.T) {
	all, _ := moved(equalMembers(128), equalMembers(129), "")
	if all < 0.4 || all > 0.6 {
		t.Errorf("from 128 to 129 members %.2f of the keys move, want about half", all)
	}
}

// TestDisruptionWeighted adds a member to others of different weights: it gets its share, and
// the others exchange nothing.
func TestDisruptionWeighted(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		with := weighted(weights...)
		n, sum := len(weights), 0
		for _, w := range weights {
			sum += w
		}
		share := float64(weights[n-1]) / float64(sum)
		added, taken := moved(with[:n-1], with, with[n-1].Key)
		if added > 1.1*share || math.Abs(added-taken) > 1e-12 {
			t.Errorf("weights %v: adding the last moves %.4f, %.4f of it to the last; its share is %.4f",
				weights, added, taken, share)
		}
	}
	f(5, 2, 1)
	f(3, 1, 1)
	f(10, 20, 30, 10)
	f(7, 1, 5, 3, 2, 9)
}

// TestRemovedKeysFollowTheWalk takes each member away: its keys must go to their first
// alternates, and no other key may move.
func TestRemovedKeysFollowTheWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	members := weighted(1, 4, 2, 1, 1)
	r := New(members)
	for gone := range members {
		left := slices.Delete(slices.Clone(members), gone, gone+1)
		without := New(left)
		for range 300 {
			hash := rng.Uint64()
			w := r.Walk(hash)
			want := w.Next()
			if want == gone {
				want = w.Next()
			}
			if got := left[without.Lookup(hash)].Key; got != members[want].Key {
				t.Fatalf("without %d, %#x belongs to %s, want %s", gone, hash, got, members[want].Key)
			}
		}
	}
}
