package lb

import "slices"

// An EndpointRecord is what an Endpoint knows that no configuration says, for the process that
// follows. It is made to be stored as JSON. Whether the discovery has disabled a member is not in
// it: the discovery hands that over itself.
type EndpointRecord struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Address string `json:"address"`
	Admin   string `json:"admin,omitempty"`  // the operator's word; empty = none
	Weight  int    `json:"weight,omitempty"` // by SetWeight; 0 = the configured one
	Health  string `json:"health,omitempty"` // the verdict; empty = none
}

// Export returns what c's endpoints know. One of which there is nothing to tell is left out.
func (c *Cluster) Export() []EndpointRecord {
	var all []EndpointRecord
	for _, e := range c.endpoints {
		r := EndpointRecord{ID: e.id, URL: e.url, Address: e.address, Weight: int(e.override.Load())}
		bits := e.bits()
		if own := State(bits & stateBits); own != Enabled {
			r.Admin = own.String()
		}
		if h := bits.health(); h != Unchecked {
			r.Health = h.String()
		}
		if r.Admin != "" || r.Weight != 0 || r.Health != "" {
			all = append(all, r)
		}
	}
	return all
}

// Import gives the endpoints of c what records tell of them, before the first pick. Records of
// other endpoints, and words that nobody knows, are left aside.
func (c *Cluster) Import(records []EndpointRecord) {
	known := make(map[string]*Endpoint, len(c.endpoints))
	for _, e := range c.endpoints {
		known[e.id] = e
	}
	for i := range records {
		r := &records[i]
		if e := known[r.ID]; e != nil && e.url == r.URL && e.address == r.Address {
			e.restore(r)
		}
	}
}

func (e *Endpoint) restore(r *EndpointRecord) {
	if s := slices.Index(stateNames[:], r.Admin); s >= 0 {
		e.SetAdmin(State(s))
	}
	if h := slices.Index(healthNames[:], r.Health); h >= 0 {
		e.setBits(healthBits, uint32(h)<<healthShift)
	}
	if r.Weight != 0 {
		e.SetWeight(r.Weight)
	}
}
