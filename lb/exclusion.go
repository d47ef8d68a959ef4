package lb

// A Reason is why a pick passed an endpoint over.
type Reason uint8

const (
	// NotExcluded is no reason.
	NotExcluded Reason = iota
	// CircuitOpen is a circuit that is open, or half-open with its trial out.
	CircuitOpen
	// AlreadyTried is an attempt of the same exchange before.
	AlreadyTried
	// Overloaded is an endpoint that has as many attempts as it may.
	Overloaded
	// CheckFailed is the verdict of the active checks.
	CheckFailed
	// Held is the word of the operator or of the discovery.
	Held

	reasons
)

// Excluded returns how often picks passed e over for a reason, as far as CountExclusions has
// brought it up to date.
func (e *Endpoint) Excluded(r Reason) int64 {
	if r >= reasons {
		return 0
	}
	return e.excluded[r].Load()
}

// CountExclusions brings the counts of Excluded up to date. It is called before they are read,
// and for a Cluster that another has followed. It takes a lock.
func (c *Cluster) CountExclusions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.countExclusions()
}

// countExclusions counts the picks since the last time for those that the table excludes. A
// pick counts nothing but itself, by the tier that it came to; who was excluded meanwhile was
// passed over by each of those that looked into his tier. It is called with mu held.
func (c *Cluster) countExclusions() {
	looked := make([]int64, c.tiers+1) // by tier
	for _, p := range c.pickers {
		for i := range looked {
			looked[i] += p.reached[i].Load()
		}
	}
	for i := c.tiers - 1; i >= 0; i-- {
		looked[i] += looked[i+1]
	}
	excluded := c.table.Load().excluded
	for i := range c.seats {
		s := &c.seats[i]
		now := looked[s.tier] - c.deducted[i].Load()
		if excluded[i] == NotExcluded {
			c.counted[i] = now
			continue
		}
		if passed := now - c.counted[i]; passed > 0 {
			s.endpoint.excluded[excluded[i]].Add(passed)
			c.counted[i] = now
		}
	}
}

// countTried counts those in tried as passed over by a pick that looked into the tiers up to
// reached. If a table excludes one as well, it was passed over for this reason alone.
func (p *Picker) countTried(tried *Tried, reached int) {
	c := p.cluster
	for i := range tried.Len() {
		e := tried.at(i)
		s := c.seatOf(e)
		if s < 0 || c.seats[s].tier > reached {
			continue
		}
		e.excluded[AlreadyTried].Add(1)
		c.deducted[s].Add(1)
	}
}
