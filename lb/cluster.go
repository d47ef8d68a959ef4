package lb

// Options describe one cluster.
type Options struct {
	Name      string
	Algorithm Algorithm
	// Endpoints are in the order of the configuration. Their IDs differ.
	Endpoints []EndpointOptions
}

// A Cluster is the immutable set of endpoints that a route sends to. It is safe for concurrent
// use.
type Cluster struct {
	name      string
	algorithm Algorithm
	endpoints []*Endpoint
	slots     int
	tiers     []*tier // by ascending priority; none is empty
}

// NewCluster returns the cluster that o describes. prev is the Cluster it follows, or nil:
// an endpoint of prev with the same ID, URL and Address is used again, with all its state.
// prev stays as usable as before, also when the new Cluster is thrown away.
func NewCluster(o Options, prev *Cluster) *Cluster {
	c := &Cluster{name: o.Name, algorithm: o.Algorithm}
	c.endpoints, c.slots = adopt(o.Endpoints, prev)
	c.tiers = newTiers(c.endpoints, o.Endpoints)
	for i, e := range c.endpoints {
		e.weight.Store(clampWeight(o.Endpoints[i].Weight))
	}
	return c
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

// adopt returns an endpoint for each of options, taken from prev where it has it, and the
// number of slots. New endpoints get the lowest free slots.
func adopt(options []EndpointOptions, prev *Cluster) (endpoints []*Endpoint, slots int) {
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
		endpoints[i] = &Endpoint{id: o.ID, url: o.URL, address: o.Address, index: free}
		free++
	}
	return endpoints, max(slots, free)
}

func clampWeight(w int) int64 { return int64(min(max(w, 0), MaxWeight)) }
