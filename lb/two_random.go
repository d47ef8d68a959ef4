package lb

import "math/rand/v2"

// twoRandom draws two different members by weight and returns the less loaded one.
func (t *tier) twoRandom(rng *rand.PCG, now int64) int {
	a, b := t.pair(rng)
	if a != b && t.members[b].lighter(&t.members[a], rng, now) {
		return b
	}
	return a
}
