package ring

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// equalMembers returns n members of weight 1 with keys as a cluster has them.
func equalMembers(n int) []Member {
	members := make([]Member, n)
	for i := range members {
		address := fmt.Sprintf("10.0.%d.%d:8080", i/250, i%250+1)
		members[i] = Member{"http://app.example:8080|" + address, 1}
	}
	return members
}

// weighted returns members with those weights.
func weighted(weights ...int) []Member {
	members := equalMembers(len(weights))
	for i, w := range weights {
		members[i].Weight = w
	}
	return members
}

// shares returns the part of all hashes that each member owns, exactly.
func shares(r *Ring) []float64 {
	parts := make([]float64, r.members)
	for i, hash := range r.hashes {
		before := r.hashes[(i+len(r.hashes)-1)%len(r.hashes)]
		parts[r.owners[i]] += float64(hash-before) / math.Exp2(64)
	}
	return parts
}

// reference is the definition of a ring, without tables: points sorted, first one at or after.
func reference(members []Member) func(hash uint64) int {
	type point struct {
		hash  uint64
		owner int
	}
	var points []point
	for i, n := range pointCounts(members) {
		for k := range n {
			points = append(points, point{spread(HashString(members[i].Key), uint64(k)), i})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.hash, b.hash) })
	return func(hash uint64) int {
		for _, p := range points {
			if p.hash >= hash {
				return p.owner
			}
		}
		return points[0].owner
	}
}

func TestLookupMatchesReference(t *testing.T) {
	f := func(weights ...int) {
		t.Helper()
		members := weighted(weights...)
		r, want := New(members), reference(members)
		check := func(hash uint64) {
			t.Helper()
			if got := r.Lookup(hash); got != want(hash) {
				t.Fatalf("weights %v: Lookup(%#x) = %d, want %d", weights, hash, got, want(hash))
			}
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 40 {
			check(rng.Uint64())
			point := r.hashes[rng.IntN(len(r.hashes))]
			check(point)
			check(point + 1)
			check(point - 1)
		}
		check(0)
		check(math.MaxUint64)
		check(r.hashes[0])
		check(r.hashes[len(r.hashes)-1])
		check(r.hashes[len(r.hashes)-1] + 1)
	}
	f(1)
	f(1, 1)
	f(5, 2, 1)
	f(0, 3, 0, 1)
	f(1_000_000, 1)
}

func TestRingIsSorted(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 300} {
		if r := New(equalMembers(n)); !slices.IsSorted(r.hashes) {
			t.Errorf("the points of %d members are not sorted", n)
		}
	}
}

func TestEmpty(t *testing.T) {
	f := func(members []Member) {
		t.Helper()
		r := New(members)
		if got := r.Lookup(42); got != -1 {
			t.Errorf("Lookup on %v = %d, want -1", members, got)
		}
		w := r.Walk(42)
		if got := w.Next(); got != -1 {
			t.Errorf("Next on %v = %d, want -1", members, got)
		}
	}
	f(nil)
	f([]Member{})
	f(weighted(0))
	f(weighted(0, -1))
}

// TestGolden holds the ring still: other values here mean that a fleet of mixed versions
// disagrees about its keys. They were computed by a second implementation.
func TestGolden(t *testing.T) {
	f := func(members []Member, key string, hash uint64, want int) {
		t.Helper()
		if got := HashString(key); got != hash {
			t.Errorf("HashString(%q) = %#x, want %#x", key, got, hash)
		}
		if got := Hash([]byte(key)); got != hash {
			t.Errorf("Hash(%q) = %#x, want %#x", key, got, hash)
		}
		if got := New(members).Lookup(hash); got != want {
			t.Errorf("Lookup of %q among %d = %d, want %d", key, len(members), got, want)
		}
	}
	f(equalMembers(3), "", 0xef46db3751d8e999, 2)
	f(equalMembers(3), "a", 0xd24ec4f1a98c6e5b, 2)
	f(equalMembers(3), "session-0123456789abcdef", 0xcfe71a97207da08a, 1)
	f(equalMembers(3), "203.0.113.7", 0xc80153a2410eb0ff, 2)
	f(equalMembers(3), "a key that is longer than thirty-two bytes", 0x6dfebdf0ac90de03, 0)
	f(weighted(5, 2, 1), "", 0xef46db3751d8e999, 0)
	f(weighted(5, 2, 1), "a", 0xd24ec4f1a98c6e5b, 2)
	f(weighted(5, 2, 1), "session-0123456789abcdef", 0xcfe71a97207da08a, 1)
	f(weighted(5, 2, 1), "203.0.113.7", 0xc80153a2410eb0ff, 2)
	f(weighted(5, 2, 1), "a key that is longer than thirty-two bytes", 0x6dfebdf0ac90de03, 0)
	f(equalMembers(64), "", 0xef46db3751d8e999, 40)
	f(equalMembers(64), "a", 0xd24ec4f1a98c6e5b, 8)
	f(equalMembers(64), "session-0123456789abcdef", 0xcfe71a97207da08a, 38)
	f(equalMembers(64), "203.0.113.7", 0xc80153a2410eb0ff, 2)
	f(equalMembers(64), "a key that is longer than thirty-two bytes", 0x6dfebdf0ac90de03, 20)
	f(equalMembers(1000), "", 0xef46db3751d8e999, 658)
	f(equalMembers(1000), "a", 0xd24ec4f1a98c6e5b, 212)
	f(equalMembers(1000), "session-0123456789abcdef", 0xcfe71a97207da08a, 938)
	f(equalMembers(1000), "203.0.113.7", 0xc80153a2410eb0ff, 698)
	f(equalMembers(1000), "a key that is longer than thirty-two bytes", 0x6dfebdf0ac90de03, 235)
}

// TestOrderOfMembers looks keys up in rings of the same members in other orders.
func TestOrderOfMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, weights := range [][]int{{1, 1, 1, 1, 1}, {5, 2, 1}, {1000, 1, 77, 3}} {
		members := weighted(weights...)
		r := New(members)
		shuffled := slices.Clone(members)
		for range 5 {
			rng.Shuffle(len(shuffled), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			other := New(shuffled)
			for range 200 {
				hash := rng.Uint64()
				a, b := members[r.Lookup(hash)].Key, shuffled[other.Lookup(hash)].Key
				if a != b {
					t.Fatalf("weights %v: %#x belongs to %s, in another order to %s", weights, hash, a, b)
				}
			}
		}
	}
}

// TestOrderOfCollidingPoints puts two owners on one hash, which no test keys do by themselves.
func TestOrderOfCollidingPoints(t *testing.T) {
	f := func(members []Member) {
		t.Helper()
		r := &Ring{hashes: []uint64{9, 9, 3}, owners: []uint32{0, 1, 0}}
		r.order(members)
		if owner := members[r.owners[1]].Key; r.hashes[0] != 3 || owner != "a" {
			t.Errorf("members %v: the first on hash 9 is %q, want \"a\"", members, owner)
		}
	}
	f([]Member{{"a", 1}, {"b", 1}})
	f([]Member{{"b", 1}, {"a", 1}})
}
