package ring

import "math/bits"

// A Member is what keys are spread over.
type Member struct {
	// Key names the member, as "scheme://host:port|address". It alone decides where the points
	// are. Keys of one ring differ from each other.
	Key string
	// Weight is the member's share relative to the others'. Below 1 it owns nothing.
	Weight int
}

// A Ring is immutable and safe for concurrent use.
type Ring struct {
	hashes  []uint64 // of the points, ascending
	owners  []uint32 // owners[i] is the index of the member that owns hashes[i]
	first   []uint32 // first[b] is the first point at or after the start of bucket b
	shift   uint     // a hash's bucket is hash >> shift
	members int      // as given to New
	owning  int      // members that own a point
}

// New returns the ring of members. Lookup and Walk return indexes into members, which New does
// not keep.
func New(members []Member) *Ring {
	counts := pointCounts(members)
	total, owning := 0, 0
	for _, n := range counts {
		total += n
		if n > 0 {
			owning++
		}
	}
	depth := uint(bits.Len(uint(total))) // one to two buckets a point
	r := &Ring{
		hashes:  make([]uint64, total),
		owners:  make([]uint32, total),
		first:   make([]uint32, 1<<depth),
		shift:   64 - depth,
		members: len(members),
		owning:  owning,
	}
	r.place(members, counts)
	r.order(members)
	return r
}

// Lookup returns the index of the member that hash belongs to, or -1 when no member owns a
// point.
func (r *Ring) Lookup(hash uint64) int {
	if len(r.owners) == 0 {
		return -1
	}
	return int(r.owners[r.find(hash)])
}

// find returns the first point at or after hash, going round at the end. There is one.
func (r *Ring) find(hash uint64) int {
	i := int(r.first[hash>>r.shift])
	for i < len(r.hashes) && r.hashes[i] < hash {
		i++
	}
	if i == len(r.hashes) {
		return 0
	}
	return i
}
