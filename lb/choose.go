package lb

// choose starts a on the algorithm's choice in the tier of v. A choice that is not to be had is
// drawn again; where that does not help, a pass over the tier looks for what is left.
func (p *Picker) choose(a *Attempt, w *Want, v *view) Verdict {
	t := v.tier
	at := p.placeIn(v.index, t)
	p.passed.enter()
	if at.draws {
		for range redraws {
			i := p.draw(t, at, w.Now)
			if p.startMember(a, t, i, w) {
				return Picked
			}
			if !p.drawsAgain(t, w.Tried) {
				break
			}
		}
	}
	return p.search(a, w, t)
}

// draw returns the algorithm's choice among the members of t.
func (p *Picker) draw(t *tier, at *place, now int64) int {
	switch p.cluster.algorithm {
	case Random:
		return t.all.draw(&p.rng)
	case RoundRobin:
		return at.round.turn()
	case LeastConn:
		return at.tree.least(&p.rng, now)
	case P2CEWMA:
		return t.p2cEWMA(&p.rng, now)
	default:
		return t.twoRandom(&p.rng, now)
	}
}

// drawsAgain reports whether another draw may bring another member.
func (p *Picker) drawsAgain(t *tier, tried *Tried) bool {
	n := len(t.members)
	switch p.cluster.algorithm {
	case LeastConn:
		return false
	case Random, RoundRobin:
		return n > max(1, tried.Len())
	default:
		return n > max(2, tried.Len())
	}
}

// startMember starts a on the i-th member that was drawn, if it is to be had and its ramp lets
// this turn pass.
func (p *Picker) startMember(a *Attempt, t *tier, i int, w *Want) bool {
	m := &t.members[i]
	if !p.ready(m, w.Tried) || m.ramp.length != 0 && p.skipsTurn(m, w.Now) {
		return false
	}
	return p.startReady(a, t, i, w.Now)
}

// skipsTurn reports whether m is in slow start and leaves its turn to another. Algorithms that
// compare loads see a virtual one instead.
func (p *Picker) skipsTurn(m *member, now int64) bool {
	if p.cluster.algorithm != Random && p.cluster.algorithm != RoundRobin {
		return false
	}
	return !m.ramp.passes(&p.rng, now)
}

// ready reports whether m may be started on. One without room is counted as passed over.
func (p *Picker) ready(m *member, tried *Tried) bool {
	e := m.endpoint
	if tried.Has(e) || m.breaker != nil && m.breaker.load().circuit() != Closed {
		return false
	}
	if e.full() {
		p.passed.overloaded(e)
		return false
	}
	return true
}

// startReady starts a on the i-th member. It fails when another worker was faster.
func (p *Picker) startReady(a *Attempt, t *tier, i int, now int64) bool {
	m := &t.members[i]
	if !m.endpoint.take() {
		p.passed.overloaded(m.endpoint)
		return false
	}
	if !p.start(a, &p.cluster.seats[m.seat], now) {
		m.endpoint.active.Add(-1)
		return false
	}
	if tree := p.places[a.tier].tree; tree != nil {
		tree.began(a, i)
	}
	return true
}

// search passes over the tier and starts a on the best of what is to be had.
func (p *Picker) search(a *Attempt, w *Want, t *tier) Verdict {
	for range redraws {
		p.passed.passes++
		i := p.best(t, w)
		if i < 0 {
			break
		}
		if p.startReady(a, t, i, w.Now) {
			return Picked
		}
	}
	if p.passed.any {
		return Full
	}
	return None
}

// best makes one pass over t and returns the member that the algorithm prefers among those
// that are to be had, or -1.
func (p *Picker) best(t *tier, w *Want) int {
	switch p.cluster.algorithm {
	case Random, RoundRobin:
		return p.byWeight(t, w)
	case P2CEWMA:
		return p.byScore(t, w)
	default:
		return p.byLoad(t, w)
	}
}

// byWeight draws by weight, ramps counting.
func (p *Picker) byWeight(t *tier, w *Want) int {
	chosen, sum := -1, int64(0)
	for i := range t.members {
		m := &t.members[i]
		if !p.ready(m, w.Tried) {
			continue
		}
		weight := m.ramp.weight(m.weight, w.Now)
		sum += weight
		if below(&p.rng, sum) < weight {
			chosen = i
		}
	}
	return chosen
}

// byLoad returns a member with the least load / weight; ties go any way.
func (p *Picker) byLoad(t *tier, w *Want) int {
	p.shares = p.shares[:0]
	least, ties := noShare, int64(0)
	for i := range t.members {
		m, mine := &t.members[i], noShare
		if p.ready(m, w.Tried) {
			mine = m.share(m.loadAt(m.endpoint.Active(), &p.rng, w.Now))
		}
		p.shares = append(p.shares, mine)
		switch {
		case mine < least:
			least, ties = mine, 1
		case mine == least:
			ties++
		}
	}
	if least == noShare {
		return -1
	}
	nth := below(&p.rng, ties)
	for i, s := range p.shares {
		if s == least {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	return -1
}

// byScore returns the member that promises the fastest answer.
func (p *Picker) byScore(t *tier, w *Want) int {
	chosen := -1
	for i := range t.members {
		m := &t.members[i]
		if p.ready(m, w.Tried) && (chosen < 0 || m.faster(&t.members[chosen], &p.rng, w.Now)) {
			chosen = i
		}
	}
	return chosen
}
