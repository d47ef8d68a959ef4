package lb

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A tier is the endpoints of a cluster that share a priority and have a weight. It is
// immutable and shared by all workers.
type tier struct {
	members  []member
	all      alias // over members
	heaviest int   // the first member with the largest weight
	others   alias // over members without heaviest
}

// A member is an endpoint with the weight that it has in one tier.
type member struct {
	endpoint *Endpoint
	weight   int64 // 1 to MaxWeight
}

// newTiers groups endpoints by the priorities of options, which describe them in order.
func newTiers(endpoints []*Endpoint, options []EndpointOptions) []*tier {
	order := make([]int, 0, len(options))
	for i, o := range options {
		if o.Weight > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(options[a].Priority, options[b].Priority)
	})
	var tiers []*tier
	for len(order) > 0 {
		var members []member
		priority := options[order[0]].Priority
		for len(order) > 0 && options[order[0]].Priority == priority {
			i := order[0]
			members = append(members, member{endpoints[i], clampWeight(options[i].Weight)})
			order = order[1:]
		}
		tiers = append(tiers, newTier(members))
	}
	return tiers
}

// newTier returns the tier of members, of which there is one at least.
func newTier(members []member) *tier {
	t := &tier{members: members}
	weights := make([]int64, len(members))
	for i, m := range members {
		weights[i] = m.weight
		if m.weight > weights[t.heaviest] {
			t.heaviest = i
		}
	}
	t.all = newAlias(weights)
	if len(members) > 1 {
		t.others = newAlias(slices.Delete(weights, t.heaviest, t.heaviest+1))
	}
	return t
}

// byWeight makes one pass and returns a member that is not in tried, drawn by weight, or nil.
func (t *tier) byWeight(tried *Tried, rng *rand.PCG) *Endpoint {
	var chosen *Endpoint
	sum := int64(0)
	for _, m := range t.members {
		if tried.Has(m.endpoint) {
			continue
		}
		sum += m.weight
		if below(rng, sum) < m.weight {
			chosen = m.endpoint
		}
	}
	return chosen
}

// byLoad makes one pass and returns the least loaded member that is not in tried, or nil. Ties
// go any way.
func (t *tier) byLoad(tried *Tried, rng *rand.PCG) *Endpoint {
	var least *Endpoint
	var load, weight, ties int64
	for _, m := range t.members {
		if tried.Has(m.endpoint) {
			continue
		}
		mine := m.endpoint.Active() + 1
		order := 1
		if least != nil {
			order = cmp.Compare(load*m.weight, mine*weight)
		}
		switch {
		case order > 0:
			ties = 1
		case order == 0:
			ties++
		}
		if order > 0 || order == 0 && below(rng, ties) == 0 {
			least, load, weight = m.endpoint, mine, m.weight
		}
	}
	return least
}
