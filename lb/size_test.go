package lb

import (
	"testing"
	"unsafe"
)

// TestOwnCacheLines holds that what one worker writes for each pick, and what all write for each
// attempt, fills whole cache lines: the allocator then puts nothing of others beside it.
func TestOwnCacheLines(t *testing.T) {
	f := func(what string, size uintptr) {
		t.Helper()
		if size%128 != 0 {
			t.Errorf("%s has %d bytes", what, size)
		}
	}
	f("Picker", unsafe.Sizeof(Picker{}))
	f("round", unsafe.Sizeof(round{}))
	f("loadTree", unsafe.Sizeof(loadTree{}))
	var e Endpoint
	if from, to := unsafe.Offsetof(e.active)-64, unsafe.Offsetof(e.latency)+unsafe.Sizeof(e.latency)+48; from < unsafe.Offsetof(e.excluded) || to > unsafe.Sizeof(e) {
		t.Error("the active count of an endpoint has neighbours")
	}
}
