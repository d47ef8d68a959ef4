package lb

import "slices"

// A table says which endpoints of a Cluster may be picked. It is immutable and shared by all
// workers; when something changes that it stands on, the next pick swaps it for another.
type table struct {
	line, circuits uint64 // the changes that it knows of
	views          []view // by tier, of those that a pick must look at
	excluded       []Reason
}

// A view is one tier as a table knows it.
type view struct {
	index  int
	tier   *tier   // those that may be picked; nil = nobody
	trials []int32 // seats whose circuit is all that keeps them out
	due    int64   // when the first of trials may be tried; never = not before a change
}

// current returns the table to pick by.
func (c *Cluster) current() *table {
	t := c.table.Load()
	if t.line == c.line.changes.Load() && t.circuits == c.circuits.changes.Load() {
		return t
	}
	return c.refresh()
}

// refresh makes a table of how things are now.
func (c *Cluster) refresh() *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table.Load()
	if t.line == c.line.changes.Load() && t.circuits == c.circuits.changes.Load() {
		return t // another worker was faster
	}
	c.countExclusions()
	t = c.newTable(t)
	c.table.Store(t)
	return t
}

// A draft is one tier on its way to be a view.
type draft struct {
	members []member
	trials  []int32
	due     int64
	tied    bool // somebody drains, who still gets what is tied to him
}

// newTable returns the table that follows old. It is called with mu held, or before c is used.
func (c *Cluster) newTable(old *table) *table {
	// What is read before the states is never newer than they are: a change in between makes
	// the table out of date at once.
	t := &table{line: c.line.changes.Load(), circuits: c.circuits.changes.Load()}
	t.excluded = make([]Reason, len(c.seats))
	drafts := make([]draft, c.tiers)
	for i := range drafts {
		drafts[i] = draft{members: make([]member, 0, c.sizes[i]), due: never}
	}
	for i := range c.seats {
		t.excluded[i] = drafts[c.seats[i].tier].add(c, i)
	}
	for i := range drafts {
		d := &drafts[i]
		v := view{index: i, trials: d.trials, due: d.due}
		if len(d.members) > 0 {
			c.raiseRamps(d.members)
			v.tier = old.tierOf(i, d.members)
		}
		if v.tier != nil || len(d.trials) > 0 || d.tied {
			t.views = append(t.views, v)
		}
	}
	return t
}

// add puts the i-th seat of c where it belongs and returns why it is no member.
func (d *draft) add(c *Cluster, i int) Reason {
	s := &c.seats[i]
	weight := c.weightOf(s)
	if weight == 0 {
		return NotExcluded
	}
	reason := s.exclusion()
	switch reason {
	case NotExcluded:
		d.members = append(d.members, member{endpoint: s.endpoint, weight: weight, breaker: s.breaker, seat: int32(i)})
	case CircuitOpen:
		d.trials = append(d.trials, int32(i))
		d.due = min(d.due, s.breaker.load().availableAt())
	case Held:
		d.tied = d.tied || s.endpoint.bits().serves(true)
	}
	return reason
}

// exclusion returns why no pick may choose the endpoint of s now.
func (s *seat) exclusion() Reason {
	bits := s.endpoint.bits()
	switch {
	case bits.health() == Unhealthy:
		return CheckFailed
	case !bits.serves(false):
		return Held
	case s.breaker != nil && s.breaker.load().circuit() != Closed:
		return CircuitOpen
	}
	return NotExcluded
}

// tierOf returns the tier of that index and members: that of t if it is the same, so that the
// workers keep their place in it.
func (t *table) tierOf(index int, members []member) *tier {
	for i := range t.views {
		v := &t.views[i]
		if v.index == index && v.tier != nil && slices.Equal(v.tier.members, members) {
			return v.tier
		}
	}
	return newTier(members)
}

// raiseRamps gives the members of one tier that are in slow start their ramps. A ramp that
// begins is as high as the others are loaded.
func (c *Cluster) raiseRamps(members []member) {
	load, weight := int64(0), int64(0)
	for i := range members {
		m := &members[i]
		if start, ok := m.slowStart(); ok {
			m.ramp = ramp{start: start, length: int64(m.breaker.settings.SlowStart)}
			continue
		}
		load += m.endpoint.Active() + 1
		weight += m.weight
	}
	for i := range members {
		m := &members[i]
		if m.ramp.length == 0 {
			continue
		}
		known := &c.ramps[m.seat]
		if known.start != m.ramp.start {
			*known = m.ramp
			known.height = max(1, float64(load)*float64(m.weight)/float64(max(1, weight)))
		}
		m.ramp = *known
	}
}

func (m *member) slowStart() (start int64, ok bool) {
	if m.breaker == nil {
		return 0, false
	}
	return m.breaker.rampSince()
}
