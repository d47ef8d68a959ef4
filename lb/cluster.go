package lb

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Options describe one cluster.
type Options struct {
	Name      string
	Algorithm Algorithm
	// Endpoints are in the order of the configuration. Their IDs differ.
	Endpoints []EndpointOptions
	// Breakers are those of the configuration. Nil leaves endpoints alone that fail.
	Breakers *Breakers
	Breaker  BreakerSettings
	// Budget caps retries; nil does not.
	Budget *BudgetSettings
	// Keyed readies the Cluster for picks by key.
	Keyed bool
}

// A Cluster is the set of endpoints that a route sends to. What the configuration says of them
// does not change; which of them may be picked is kept in tables that are swapped whole. It is
// safe for concurrent use.
type Cluster struct {
	name      string
	algorithm Algorithm
	endpoints []*Endpoint
	slots     int
	seats     []seat  // of endpoints, in their order
	bySlot    []int32 // the seat of an Index, or -1
	tiers     int
	sizes     []int       // of the tiers
	rings     []*tierRing // by tier; nil unless Keyed
	budget    *Budget     // nil = none
	line      *line
	circuits  *wiring // of the breakers; never nil

	table atomic.Pointer[table]

	mu       sync.Mutex // guards the rest, and the making of tables
	ramps    []ramp     // by seat
	pickers  []*Picker
	counted  []int64        // by seat: picks in which its exclusion is counted so far
	deducted []atomic.Int64 // by seat: of them, picks that are not to be counted; read and written without mu
}

// A seat is an endpoint's place in one Cluster.
type seat struct {
	endpoint *Endpoint
	weight   int64 // configured
	tier     int
	capacity int64
	breaker  *breaker // nil = none
}

// A line is what a Cluster and those that follow it have in common.
type line struct {
	changes atomic.Uint64 // counts changes of the endpoints that a table depends on
}

// NewCluster returns the cluster that o describes. prev is the Cluster it follows, or nil:
// an endpoint of prev with the same ID, URL and Address is used again, with all its state.
// prev stays as usable as before, also when the new Cluster is thrown away.
func NewCluster(o Options, prev *Cluster) *Cluster {
	c := &Cluster{name: o.Name, algorithm: o.Algorithm, line: new(line), circuits: new(wiring)}
	if prev != nil {
		c.line = prev.line
	}
	if o.Breakers != nil {
		c.circuits = o.Breakers.wiring
	}
	c.endpoints, c.slots = c.adopt(o.Endpoints, prev)
	c.settle(o.Endpoints)
	if o.Breakers != nil {
		for i, e := range c.endpoints {
			c.seats[i].breaker = o.Breakers.find(&o.Endpoints[i], o.Breaker, prev.breakerOf(e))
		}
	}
	c.Present()
	if o.Keyed {
		c.rings = newTierRings(c, prev)
	}
	c.budget = newBudget(o.Budget, prev)
	c.ramps = make([]ramp, len(c.seats))
	c.counted = make([]int64, len(c.seats))
	c.deducted = make([]atomic.Int64, len(c.seats))
	c.table.Store(c.newTable(&table{excluded: make([]Reason, len(c.seats))}))
	return c
}

// Present makes c the Cluster that its endpoints speak for: in Weight, Circuit and CircuitCounts,
// in CheckPassed, and in how many attempts they take. NewCluster has done so; it is to be called
// for prev when the new Cluster is thrown away.
func (c *Cluster) Present() {
	for i := range c.seats {
		s := &c.seats[i]
		s.endpoint.weight.Store(s.weight)
		s.endpoint.capacity.Store(s.capacity)
		s.endpoint.breaker.Store(s.breaker)
	}
}

// Name returns the name of c in the configuration.
func (c *Cluster) Name() string { return c.name }

// Algorithm returns how c chooses.
func (c *Cluster) Algorithm() Algorithm { return c.algorithm }

// Endpoints returns the endpoints of c in the order of its Options. The caller must not change
// the slice.
func (c *Cluster) Endpoints() []*Endpoint { return c.endpoints }

// Slots returns one more than the highest Index in c: the length of a table by Index. It can
// exceed the number of endpoints after some have left.
func (c *Cluster) Slots() int { return c.slots }

// Tiers returns how many tiers c has. They are numbered from 0, lowest priority first.
func (c *Cluster) Tiers() int { return c.tiers }

// Tier returns the tier of e, or -1 when e is not in c.
func (c *Cluster) Tier(e *Endpoint) int {
	if s := c.seatOf(e); s >= 0 {
		return c.seats[s].tier
	}
	return -1
}

// Budget returns the retry budget of c, or nil.
func (c *Cluster) Budget() *Budget { return c.budget }

// Score returns what e is preferred by at now, lower being better: (active + 1) / weight, and
// with P2CEWMA that times the latency in seconds. It is 0 when e gets nothing.
func (c *Cluster) Score(e *Endpoint, now int64) float64 {
	s := c.seatOf(e)
	if s < 0 || c.weightOf(&c.seats[s]) == 0 {
		return 0
	}
	score := float64(e.Active()+1) / float64(c.weightOf(&c.seats[s]))
	if c.algorithm == P2CEWMA {
		score *= e.latency.read(now).latency / 1e9
	}
	return score
}

// seatOf returns the seat of e, or -1 when e is not in c.
func (c *Cluster) seatOf(e *Endpoint) int {
	if e.index < len(c.bySlot) {
		if s := c.bySlot[e.index]; s >= 0 && c.endpoints[s] == e {
			return int(s)
		}
	}
	return -1
}

// breakerOf returns the breaker that e has in c, or nil; c may be nil.
func (c *Cluster) breakerOf(e *Endpoint) *breaker {
	if c == nil {
		return nil
	}
	if s := c.seatOf(e); s >= 0 {
		return c.seats[s].breaker
	}
	return nil
}

// adopt returns an endpoint for each of options, taken from prev where it has it, and the
// number of slots. New endpoints get the lowest free slots.
func (c *Cluster) adopt(options []EndpointOptions, prev *Cluster) (endpoints []*Endpoint, slots int) {
	known := make(map[string]*Endpoint)
	if prev != nil {
		for _, e := range prev.endpoints {
			known[e.id] = e
		}
	}
	endpoints = make([]*Endpoint, len(options))
	taken := make(map[int]bool)
	for i, o := range options {
		e := known[o.ID]
		if e == nil || e.url != o.URL || e.address != o.Address {
			continue
		}
		delete(known, o.ID)
		endpoints[i] = e
		taken[e.index] = true
		slots = max(slots, e.index+1)
	}
	free := 0
	for i, o := range options {
		if endpoints[i] != nil {
			continue
		}
		for taken[free] {
			free++
		}
		endpoints[i] = &Endpoint{id: o.ID, url: o.URL, address: o.Address, index: free, line: c.line}
		free++
	}
	return endpoints, max(slots, free)
}

// settle gives each endpoint its seat.
func (c *Cluster) settle(options []EndpointOptions) {
	var priorities []int
	for _, o := range options {
		priorities = append(priorities, o.Priority)
	}
	slices.Sort(priorities)
	priorities = slices.Compact(priorities)
	c.tiers = len(priorities)
	c.seats = make([]seat, len(options))
	c.sizes = make([]int, c.tiers)
	c.bySlot = slices.Repeat([]int32{-1}, c.slots)
	for i, e := range c.endpoints {
		o := &options[i]
		tier, _ := slices.BinarySearchFunc(priorities, o.Priority, cmp.Compare[int])
		c.seats[i] = seat{endpoint: e, weight: clampWeight(o.Weight), tier: tier, capacity: int64(max(o.Capacity, 0))}
		c.sizes[tier]++
		c.bySlot[e.index] = int32(i)
	}
}

// weightOf returns the weight in force of a seat.
func (c *Cluster) weightOf(s *seat) int64 {
	if w := s.endpoint.override.Load(); w != 0 {
		return w
	}
	return s.weight
}

func clampWeight(w int) int64 { return int64(min(max(w, 0), MaxWeight)) }
