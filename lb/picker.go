package lb

import "math/rand/v2"

// redraws is how often a draw is repeated before a slower way is taken.
const redraws = 8

// A Picker is one worker's view of one Cluster. It is not for concurrent use.
type Picker struct {
	cluster *Cluster
	rng     rand.PCG
	rounds  []*round // by tier; RoundRobin only
}

// NewPicker returns a Picker of c. Pickers of the same seed make the same random choices.
func (c *Cluster) NewPicker(seed uint64) *Picker {
	p := &Picker{cluster: c}
	p.rng.Seed(seed, seed)
	if c.algorithm == RoundRobin {
		for _, t := range c.tiers {
			p.rounds = append(p.rounds, newRound(t, &p.rng))
		}
	}
	return p
}

// Pick returns the endpoint for the next attempt and counts it active, until Finish. It
// returns nil when no endpoint is left. tried holds what this exchange has tried and may be
// nil; Pick does not add to it.
//
// A turn of the round robin that falls on an endpoint in tried is spent.
func (p *Picker) Pick(tried *Tried) *Endpoint {
	for i := range p.cluster.tiers {
		if e := p.pickIn(i, tried); e != nil {
			e.active.Add(1)
			return e
		}
	}
	return nil
}

// pickIn returns an endpoint of tier i that is not in tried, or nil.
func (p *Picker) pickIn(i int, tried *Tried) *Endpoint {
	if tried.Len() == 0 {
		return p.draw(i)
	}
	for range redraws {
		if e := p.draw(i); !tried.Has(e) {
			return e
		}
		if tried.Len() >= len(p.cluster.tiers[i].members) {
			break // likely all of them
		}
	}
	if p.cluster.algorithm == TwoRandom {
		return p.cluster.tiers[i].byLoad(tried, &p.rng)
	}
	return p.cluster.tiers[i].byWeight(tried, &p.rng)
}

// draw returns the algorithm's choice in tier i.
func (p *Picker) draw(i int) *Endpoint {
	t := p.cluster.tiers[i]
	switch p.cluster.algorithm {
	case RoundRobin:
		return p.rounds[i].turn()
	case Random:
		return t.members[t.all.draw(&p.rng)].endpoint
	default:
		return t.twoRandom(&p.rng)
	}
}
