package lb

import (
	"slices"

	"millrace/ring"
)

// A tierRing spreads keys over the endpoints of one tier. It depends on nothing but the
// configuration: neither health nor circuits nor a weight set by an operator move a key.
type tierRing struct {
	ring    *ring.Ring
	members []ring.Member
	seats   []int32 // of members
}

// newTierRings returns the rings of c by tier, those of prev where they are the same.
func newTierRings(c, prev *Cluster) []*tierRing {
	rings := make([]*tierRing, c.tiers)
	for i := range rings {
		rings[i] = new(tierRing)
	}
	for i := range c.seats {
		s := &c.seats[i]
		r := rings[s.tier]
		key := s.endpoint.url + "|" + s.endpoint.address
		r.members = append(r.members, ring.Member{Key: key, Weight: int(s.weight)})
		r.seats = append(r.seats, int32(i))
	}
	for _, r := range rings {
		r.ring = prev.ringOver(r.members)
	}
	return rings
}

// ringOver returns the ring over members, in that order; c may be nil.
func (c *Cluster) ringOver(members []ring.Member) *ring.Ring {
	if c != nil {
		for _, r := range c.rings {
			if slices.Equal(r.members, members) {
				return r.ring
			}
		}
	}
	return ring.New(members)
}
