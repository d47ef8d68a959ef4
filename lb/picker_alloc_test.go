//go:build !race

package lb

import "testing"

func TestAllocations(t *testing.T) {
	f := func(a Algorithm, weights ...int) {
		t.Helper()
		p := clusterOf(a, weights...).NewPicker(1)
		var tried Tried
		if n := testing.AllocsPerRun(2000, func() {
			for range few {
				e := p.Pick(&tried)
				if e == nil {
					break
				}
				tried.Add(e)
				e.Finish(Failure)
			}
			tried.Reset()
		}); n != 0 {
			t.Errorf("%v over %d endpoints: an exchange with fail-over allocates %v times, want 0", a, len(weights), n)
		}
	}
	many := make([]int, 200)
	for i := range many {
		many[i] = 1 + i%37
	}
	for _, a := range algorithms {
		f(a, 1)
		f(a, 3, 1)
		f(a, 5, 2, 1)
		f(a, many...)
	}
}
