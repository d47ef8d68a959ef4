package ring

// nearby is how many members a Walk remembers without allocating.
const nearby = 16

// A Walk goes along the ring from one hash and visits each member that owns points once: first
// the one that Lookup returns, then the alternates in the order of their nearest points. It is
// a value of one caller and not for concurrent use.
type Walk struct {
	ring    *Ring
	at      int // the next point to look at
	visited int
	near    [nearby]uint32 // the first members visited
	far     []uint64       // all members visited as a bit set, once near is full
}

// Walk returns a walk that starts at hash.
func (r *Ring) Walk(hash uint64) Walk {
	w := Walk{ring: r}
	if r.owning > 0 {
		w.at = r.find(hash)
	}
	return w
}

// Next returns the index of the next member, or -1 when all were visited. It allocates once,
// after sixteen members. Its cost is that of the points it passes over: one or two while few
// members were visited, more towards the last or when weights differ greatly.
func (w *Walk) Next() int {
	if w.visited == w.ring.owning {
		return -1
	}
	for {
		owner := w.ring.owners[w.at]
		w.at++
		if w.at == len(w.ring.owners) {
			w.at = 0
		}
		if w.visit(owner) {
			return int(owner)
		}
	}
}

// visit remembers member and reports whether it is new.
func (w *Walk) visit(member uint32) bool {
	if w.visited >= nearby {
		return w.visitFar(member)
	}
	for _, seen := range w.near[:w.visited] {
		if seen == member {
			return false
		}
	}
	w.near[w.visited] = member
	w.visited++
	return true
}

func (w *Walk) visitFar(member uint32) bool {
	if w.far == nil {
		w.far = make([]uint64, (w.ring.members+63)/64)
		for _, seen := range w.near {
			w.far[seen/64] |= 1 << (seen % 64)
		}
	}
	word, bit := &w.far[member/64], uint64(1)<<(member%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	w.visited++
	return true
}
