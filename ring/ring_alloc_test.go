//go:build !race

package ring

import "testing"

func TestAllocations(t *testing.T) {
	r := New(equalMembers(40))
	key := []byte("session-0123456789abcdef")
	if n := testing.AllocsPerRun(1000, func() {
		w := r.Walk(Hash(key))
		for range nearby {
			w.Next()
		}
		r.Lookup(HashString("session"))
	}); n != 0 {
		t.Errorf("Hash, Lookup and the first %d of a Walk allocate %v times, want 0", nearby, n)
	}
	if n := testing.AllocsPerRun(100, func() {
		w := r.Walk(Hash(key))
		for w.Next() >= 0 {
		}
	}); n > 1 {
		t.Errorf("a whole Walk allocates %v times, want 1 at most", n)
	}
}
