package lb

import "math/rand/v2"

// A tier is the endpoints of a cluster that share a priority and may be picked now. It is
// immutable and shared by all workers.
type tier struct {
	members  []member
	weight   int64 // of all
	all      alias // over members
	heaviest int   // the first member with the largest weight
	others   alias // over members without heaviest
}

// A member is an endpoint with what it has in one tier.
type member struct {
	endpoint *Endpoint
	weight   int64    // 1 to MaxWeight
	breaker  *breaker // nil = none
	seat     int32
	ramp     ramp
}

// newTier returns the tier of members, of which there is one at least.
func newTier(members []member) *tier {
	t := &tier{members: members}
	weights := make([]int64, len(members))
	for i := range members {
		weights[i] = members[i].weight
		t.weight += weights[i]
		if weights[i] > weights[t.heaviest] {
			t.heaviest = i
		}
	}
	t.all = newAlias(weights)
	if len(members) > 1 {
		t.others = newAlias(append(weights[:t.heaviest], weights[t.heaviest+1:]...))
	}
	return t
}

// pair draws two different members by weight. With one member it is both.
func (t *tier) pair(rng *rand.PCG) (a, b int) {
	switch len(t.members) {
	case 1:
		return 0, 0
	case 2:
		return 0, 1
	}
	a = t.all.draw(rng)
	return a, t.second(a, rng)
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

// loadAt returns the load of m with that many active attempts and one more.
func (m *member) loadAt(active int64, rng *rand.PCG, now int64) int64 {
	load := active + 1
	if m.ramp.length != 0 {
		load += m.ramp.virtual(rng, now)
	}
	return load
}

// lighter reports whether m is to be preferred to o: by the lower load / weight, ties going
// either way.
func (m *member) lighter(o *member, rng *rand.PCG, now int64) bool {
	mine := m.loadAt(m.endpoint.Active(), rng, now) * o.weight
	its := o.loadAt(o.endpoint.Active(), rng, now) * m.weight
	return mine < its || mine == its && rng.Uint64()&1 == 0
}
