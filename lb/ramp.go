package lb

import "math/rand/v2"

// A ramp is the slow start of a member whose circuit has closed. The zero ramp is none.
//
// Algorithms that compare loads see a virtual load, which falls in a straight line from height
// to nothing: they take the member as busy as the others at first. Those that do not compare
// take its turns with a chance that rises from nothing to one.
type ramp struct {
	start, length int64 // ns; length 0 = no ramp
	height        float64
}

// left returns how much of the ramp is left at now, from 1 to 0.
func (r *ramp) left(now int64) float64 {
	if r.length == 0 {
		return 0
	}
	return min(1, max(0, 1-float64(now-r.start)/float64(r.length)))
}

// virtual returns the virtual load at now. It is whole, and on average the point on the line:
// real loads are whole too, and most are equal at low traffic, where the least fraction would
// decide for the whole length of the ramp.
func (r *ramp) virtual(rng *rand.PCG, now int64) int64 {
	left := r.left(now)
	if left == 0 {
		return 0
	}
	return int64(left*r.height + chance(rng))
}

// passes reports whether a turn at now may be taken.
func (r *ramp) passes(rng *rand.PCG, now int64) bool {
	left := r.left(now)
	return left == 0 || chance(rng) >= left
}

// weight returns what weight counts for at now, in units of 1/1024 and at least one of them.
func (r *ramp) weight(weight, now int64) int64 {
	const unit = 1024
	left := r.left(now)
	if left == 0 {
		return weight * unit
	}
	return max(1, int64(float64(weight*unit)*(1-left)))
}

// chance returns a random number from 0 to 1, without 1.
func chance(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }
