package lb

import "math/rand/v2"

// twoRandom draws two different members by weight and returns the less loaded one.
func (t *tier) twoRandom(rng *rand.PCG) *Endpoint {
	switch len(t.members) {
	case 1:
		return t.members[0].endpoint
	case 2:
		return lighter(&t.members[0], &t.members[1], rng)
	}
	first := t.all.draw(rng)
	return lighter(&t.members[first], &t.members[t.second(first, rng)], rng)
}

// second draws a member other than first, by weight.
//
// A heavy first would be drawn again and again, so the heaviest has a table of the others.
// Any other weighs half of all at most: that the redraws run out has a chance of 2^-8 at
// worst, and then nearly all the rest is the weight of the heaviest.
func (t *tier) second(first int, rng *rand.PCG) int {
	if first == t.heaviest {
		i := t.others.draw(rng)
		if i >= t.heaviest {
			i++
		}
		return i
	}
	for range redraws {
		if i := t.all.draw(rng); i != first {
			return i
		}
	}
	return t.heaviest
}

// lighter returns the endpoint with the lower (active + 1) / weight.
func lighter(a, b *member, rng *rand.PCG) *Endpoint {
	loadA := (a.endpoint.Active() + 1) * b.weight
	loadB := (b.endpoint.Active() + 1) * a.weight
	if loadA < loadB || loadA == loadB && rng.Uint64()&1 == 0 {
		return a.endpoint
	}
	return b.endpoint
}
