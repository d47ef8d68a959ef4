package beacon

import "testing"

func TestLosses(t *testing.T) {
	f := func(inherited bool, counts []uint32, want ...int) {
		t.Helper()
		l := losses{known: !inherited}
		for i, count := range counts {
			if got := l.since(count); got != want[i] {
				t.Errorf("%v: at %d: %d lost, want %d", counts, i, got, want[i])
			}
		}
	}
	f(false, []uint32{0, 3, 3, 10}, 0, 3, 0, 7)
	f(true, []uint32{5, 5, 6}, 0, 0, 1)
	f(true, []uint32{0, 2}, 0, 2)
	f(false, []uint32{1 << 30, 1 << 31, 3 << 30, 1<<32 - 2, 3}, 1<<30, 1<<30, 1<<30, 1<<30-2, 5)
	f(false, []uint32{4, 0, 3, 5}, 4, 0, 0, 1) // the kernel never does that
}
