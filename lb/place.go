package lb

// A place is where one worker stands in one tier.
type place struct {
	tier  *tier
	round *round    // RoundRobin
	tree  *loadTree // LeastConn among many
	draws bool      // a choice costs less than a pass
}

// scanned is up to how many members LeastConn looks at all of them.
const scanned = 16

// placeIn returns the place in t, which is the tier of that index: the one the worker had
// before, unless the tier has changed.
func (p *Picker) placeIn(index int, t *tier) *place {
	at := &p.places[index]
	if at.tier == t {
		return at
	}
	*at = place{tier: t, draws: true}
	switch p.cluster.algorithm {
	case RoundRobin:
		at.round = newRound(t, &p.rng)
	case LeastConn:
		at.draws = len(t.members) > scanned
		if at.draws {
			at.tree = newLoadTree(t)
		}
	}
	return at
}
