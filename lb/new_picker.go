package lb

import "sync/atomic"

// NewPicker returns a Picker of c. Pickers of the same seed make the same random choices.
func (c *Cluster) NewPicker(seed uint64) *Picker {
	p := &Picker{cluster: c}
	p.rng.Seed(seed, seed)
	p.places = make([]place, c.tiers)
	p.reached = make([]atomic.Int64, c.tiers+1, max(c.tiers+1, 16)) // on cache lines of its own
	if c.rings != nil {
		p.loads = make([]tierLoad, c.tiers)
	}
	if c.algorithm == RoundRobin {
		// To find a place in a long round takes a while: better now than in a pick.
		for _, v := range c.current().views {
			if v.tier != nil {
				p.placeIn(v.index, v.tier)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pickers = append(c.pickers, p)
	return p
}
