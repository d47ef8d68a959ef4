package lb

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// leastPhases is how many turns of a cycle, if it has as many, a round may start at. With fewer
// an endpoint whose turn is early in a long cycle would profit from each new round.
const leastPhases = 1024

// A round is one worker's place in the smooth weighted round robin over a tier.
//
// A cycle is as many turns as the sum of the reduced weights. The k-th turn of an endpoint
// (from 0) is released at time k × cycle / weight and due at (k+1) × cycle / weight. Each turn
// goes to the released endpoint that is due first. There always is one, since all turns had and
// all shares of the time sum up to the same. What an endpoint had then differs from its share by
// less than one turn at any time, so a cycle ends exact and no one gets ahead in a burst.
//
// Endpoints of equal weight go one after the other and need one entry in the heaps together: a
// turn costs O(log of the number of different weights), amortised.
type round struct {
	groups []group // by descending weight
	cycle  int64
	now    int64   // turns of this cycle that were had
	ready  dueHeap // released groups; the key is when they are due
	rest   dueHeap // the others; the key is when they are released
	_      [40]byte
}

// A group is the members of one weight. They take turns in order, so that only the first of
// those who had the fewest matters.
type group struct {
	members []int32 // of the tier
	weight  int64   // reduced
	next    int     // who is first
	had     int64   // turns that members[next] had in this cycle
}

// newRound returns the round over t, some turns into a cycle at random: workers, and rounds
// that a reload began anew, then do not all start with the same endpoint.
func newRound(t *tier, rng *rand.PCG) *round {
	r := &round{groups: newGroups(t.members)}
	for _, g := range r.groups {
		r.cycle += g.weight * int64(len(g.members))
	}
	r.ready = make(dueHeap, 0, len(r.groups))
	r.rest = make(dueHeap, 0, len(r.groups))
	r.begin()
	most := max(4*int64(len(t.members)), leastPhases)
	for range below(rng, min(r.cycle, most)) {
		r.turn()
	}
	return r
}

func newGroups(members []member) []group {
	order := make([]int32, len(members))
	unit := int64(0)
	for i := range members {
		order[i] = int32(i)
		unit = gcd(unit, members[i].weight)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(members[b].weight, members[a].weight) })
	var groups []group
	for len(order) > 0 {
		weight, n := members[order[0]].weight, 1
		for n < len(order) && members[order[n]].weight == weight {
			n++
		}
		groups = append(groups, group{members: order[:n], weight: weight / unit})
		order = order[n:]
	}
	return groups
}

// begin starts a cycle. All groups are released, and the heavier is due earlier: groups in
// their order are a heap.
func (r *round) begin() {
	r.now = 0
	r.ready, r.rest = r.ready[:0], r.rest[:0]
	for i := range r.groups {
		g := &r.groups[i]
		g.next, g.had = 0, 0
		r.ready = append(r.ready, due{1, g.weight, int32(i)})
	}
}

// turn returns the member whose turn it is.
func (r *round) turn() int {
	if r.now == r.cycle {
		r.begin()
	}
	for len(r.rest) > 0 && r.released(r.rest[0]) {
		d := r.rest.pop()
		d.turns++
		r.ready.push(d)
	}
	g := &r.groups[r.ready[0].group]
	member := int(g.members[g.next])
	r.now++
	if g.next++; g.next < len(g.members) {
		return member // the next of the group is released and due at the same times
	}
	g.next = 0
	g.had++
	d := r.ready.pop()
	d.turns = g.had
	r.rest.push(d)
	return member
}

// released reports whether the time d, of a release, has come.
func (r *round) released(d due) bool { return d.turns*r.cycle <= r.now*d.weight }

func gcd(a, b int64) int64 {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}
