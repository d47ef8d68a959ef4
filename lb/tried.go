package lb

// few is how many endpoints a Tried holds without allocating.
const few = 8

// Tried is the set of endpoints that one exchange has tried. The zero value is empty. It is
// not for concurrent use and must not be copied while more than 8 endpoints are in it.
type Tried struct {
	few  [few]*Endpoint
	n    int // in few
	more []*Endpoint
}

// Add puts e into t. Adding it again changes nothing.
func (t *Tried) Add(e *Endpoint) {
	switch {
	case t.Has(e):
	case t.n < few:
		t.few[t.n] = e
		t.n++
	default:
		t.more = append(t.more, e)
	}
}

// Has reports whether e is in t. A nil t is empty.
func (t *Tried) Has(e *Endpoint) bool {
	if t == nil {
		return false
	}
	for _, tried := range t.few[:t.n] {
		if tried == e {
			return true
		}
	}
	for _, tried := range t.more {
		if tried == e {
			return true
		}
	}
	return false
}

// Len returns how many endpoints are in t. A nil t is empty.
func (t *Tried) Len() int {
	if t == nil {
		return 0
	}
	return t.n + len(t.more)
}

// at returns the i-th endpoint in t.
func (t *Tried) at(i int) *Endpoint {
	if i < t.n {
		return t.few[i]
	}
	return t.more[i-t.n]
}

// Reset empties t, which then keeps no endpoint alive.
func (t *Tried) Reset() {
	clear(t.few[:t.n])
	clear(t.more)
	t.n, t.more = 0, t.more[:0]
}
