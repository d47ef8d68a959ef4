package ring

// What a ring is made of. A change of one of these moves keys in a fleet whose proxies are not
// all upgraded at once.
const (
	unitPoints   = 2048      // points of a weight unit, before halving
	mostPoints   = 256 << 10 // of a ring
	fewestPoints = 8         // of a member with a weight
)

// pointCounts returns how many points each member owns.
func pointCounts(members []Member) []int {
	unit := 0
	for _, m := range members {
		if m.Weight > 0 {
			unit = gcd(unit, m.Weight)
		}
	}
	counts := make([]int, len(members))
	for halvings := uint(0); ; halvings++ {
		total, fewest := 0, true
		for i, m := range members {
			counts[i] = points(m.Weight, unit, halvings)
			total += counts[i]
			fewest = fewest && counts[i] <= fewestPoints
		}
		if total <= mostPoints || fewest {
			return counts
		}
	}
}

// points returns how many points a member of weight owns when weights are divided by unit and
// points halved so many times, rounded to the nearest.
func points(weight, unit int, halvings uint) int {
	if weight < 1 {
		return 0
	}
	doubled := (uint64(weight/unit) * unitPoints << 1) >> halvings
	return max(fewestPoints, int((doubled+1)>>1))
}

// gcd returns the greatest common divisor of a and b, of which b is above 0.
func gcd(a, b int) int {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// place puts the points of all members into their buckets, in any order within a bucket.
func (r *Ring) place(members []Member, counts []int) {
	each := func(visit func(hash uint64, owner int)) {
		for i, m := range members {
			seed := HashString(m.Key)
			for k := range counts[i] {
				visit(spread(seed, uint64(k)), i)
			}
		}
	}
	each(func(hash uint64, _ int) { r.first[hash>>r.shift]++ })
	end := uint32(0)
	for b, n := range r.first {
		end += n
		r.first[b] = end
	}
	// Filled from its end down, each bucket leaves its start behind in first.
	each(func(hash uint64, owner int) {
		at := &r.first[hash>>r.shift]
		*at--
		r.hashes[*at], r.owners[*at] = hash, uint32(owner)
	})
}

// order sorts the points by insertion, which moves none out of its bucket. Points of one hash
// are in the order of their owners' keys, so that the order of members does not matter.
func (r *Ring) order(members []Member) {
	for i := range r.hashes {
		hash, owner := r.hashes[i], r.owners[i]
		at := i
		for at > 0 && (hash < r.hashes[at-1] ||
			hash == r.hashes[at-1] && members[owner].Key < members[r.owners[at-1]].Key) {
			r.hashes[at], r.owners[at] = r.hashes[at-1], r.owners[at-1]
			at--
		}
		r.hashes[at], r.owners[at] = hash, owner
	}
}

// spread returns the k-th point of the member whose key hashes to seed: a step by 2^64 over the
// golden ratio, then the finishing mix of SplitMix64, under which neighbouring steps land
// anywhere.
func spread(seed, k uint64) uint64 {
	x := seed + k*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
