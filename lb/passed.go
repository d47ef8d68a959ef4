package lb

import "slices"

// passed remembers which endpoints one pick passed over for want of room, so that each is
// counted once, however often it is met.
type passed struct {
	any    bool // in the tier at hand
	passes int  // over the tier at hand; the first one meets everybody
	met    []*Endpoint
}

// begin readies p for another pick.
func (p *passed) begin() {
	if len(p.met) > 0 {
		clear(p.met)
		p.met = p.met[:0]
	}
}

// enter readies p for another tier of the same pick.
func (p *passed) enter() { p.any, p.passes = false, 0 }

func (p *passed) overloaded(e *Endpoint) {
	p.any = true
	if p.passes > 1 || slices.Contains(p.met, e) {
		return
	}
	e.excluded[Overloaded].Add(1)
	if p.passes == 0 {
		p.met = append(p.met, e)
	}
}
