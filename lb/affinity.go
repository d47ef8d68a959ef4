package lb

const (
	// boundLeast and boundShare bound the load of an endpoint that a key leads to: it may have 8
	// attempts, or 1.25 times its part of those on its tier, whatever is more.
	boundLeast = 8
	boundShare = 1.25

	// spills is how many alternates of a key are asked when its own endpoint has too much. After
	// them the algorithm chooses: a key that fills sixteen endpoints is a key of all.
	spills = 15

	// staleAfter is how old a tierLoad may get, ns.
	staleAfter = 1_000_000
)

// beginKeyed starts a on the endpoint that the key of w leads to, in the tier of v. If that one
// does not serve, it is for the algorithm to choose. If it has more than its bound, the key is
// passed on along the ring, to endpoints that serve everybody and are under theirs.
func (p *Picker) beginKeyed(a *Attempt, w *Want, v *view) bool {
	r := p.cluster.rings
	if r == nil {
		return false
	}
	keys := r[v.index]
	first := keys.ring.Lookup(w.Key)
	if first < 0 {
		return false
	}
	home := &p.cluster.seats[keys.seats[first]]
	if w.Tried.Has(home.endpoint) || !home.endpoint.bits().serves(true) {
		return false
	}
	if p.bounded(home, v, w.Now) {
		return p.beginAt(a, home.endpoint, w.Now)
	}
	if !home.admits(w.Now) {
		return false
	}
	return p.spill(a, w, v)
}

// spill starts a on an alternate.
func (p *Picker) spill(a *Attempt, w *Want, v *view) bool {
	keys := p.cluster.rings[v.index]
	walk := keys.ring.Walk(w.Key)
	walk.Next()
	for range spills {
		next := walk.Next()
		if next < 0 {
			return false
		}
		s := &p.cluster.seats[keys.seats[next]]
		if s.exclusion() != NotExcluded || w.Tried.Has(s.endpoint) || !p.bounded(s, v, w.Now) {
			continue
		}
		if p.beginAt(a, s.endpoint, w.Now) {
			return true
		}
	}
	return false
}

// bounded reports whether one more attempt keeps the endpoint of s in its bound.
func (p *Picker) bounded(s *seat, v *view, now int64) bool {
	active := s.endpoint.Active() + 1
	if active <= boundLeast {
		return true
	}
	if v.tier == nil {
		return false
	}
	total := p.loads[v.index].of(v.tier, now) + 1
	weight := p.cluster.weightOf(s)
	return float64(active) <= boundShare*float64(total)*float64(weight)/float64(v.tier.weight)
}

// A tierLoad is how many attempts run on a tier, as one worker last counted them. It counts
// again after a millisecond, or after a part of as many questions as there are members: a
// question costs the same in a large tier as in a small one.
type tierLoad struct {
	tier   *tier
	at     int64
	left   int // questions until it counts again
	active int64
}

func (l *tierLoad) of(t *tier, now int64) int64 {
	if l.left--; l.tier == t && l.left > 0 && now-l.at < staleAfter {
		return l.active
	}
	*l = tierLoad{tier: t, at: now, left: 1 + len(t.members)/4}
	for i := range t.members {
		l.active += t.members[i].endpoint.Active()
	}
	return l.active
}
