package lb

import "testing"

func TestTried(t *testing.T) {
	endpoints := clusterOf(Random, make([]int, 3*few)...).Endpoints()
	var tried Tried
	for round := range 2 {
		for i, e := range endpoints {
			if tried.Has(e) {
				t.Fatalf("round %d: endpoint %d is in before Add", round, i)
			}
			tried.Add(e)
			tried.Add(e)
			if !tried.Has(e) || tried.Len() != i+1 {
				t.Fatalf("round %d: after endpoint %d Len() = %d", round, i, tried.Len())
			}
		}
		tried.Reset()
		if tried.Len() != 0 {
			t.Fatalf("round %d: Len() = %d after Reset", round, tried.Len())
		}
	}
	for _, kept := range append(tried.few[:], tried.more[:cap(tried.more)]...) {
		if kept != nil {
			t.Fatal("Reset keeps an endpoint alive")
		}
	}
}

func TestTriedNil(t *testing.T) {
	var none *Tried
	if none.Len() != 0 || none.Has(new(Endpoint)) {
		t.Error("a nil Tried is not empty")
	}
}
