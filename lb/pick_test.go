package lb

import "testing"

func TestPickAndFinish(t *testing.T) {
	p := clusterOf(RoundRobin, 1, 1).NewPicker(1)
	var tried Tried
	for n := range 2 {
		e := p.Pick(&tried)
		if e == nil || e.Active() != 1 || tried.Has(e) {
			t.Fatalf("pick %d is %v", n, e)
		}
		tried.Add(e)
		e.Finish(Failure)
		if e.Active() != 0 {
			t.Errorf("%d active after the end", e.Active())
		}
	}
	if e := p.Pick(&tried); e != nil {
		t.Errorf("%s came again", e.ID())
	}
}
