package lb

import "math/rand/v2"

// caution is how much slower than its rival an endpoint is taken to be while an attempt is out
// to find out how slow it is.
const caution = 4

// p2cEWMA draws two different members by weight and returns the one that promises the faster
// answer.
func (t *tier) p2cEWMA(rng *rand.PCG, now int64) int {
	a, b := t.pair(rng)
	if a != b && t.members[b].faster(&t.members[a], rng, now) {
		return b
	}
	return a
}

// faster reports whether m is to be preferred to o: by the lower latency × (active + 1) /
// weight, ties going either way.
//
// A latency that nobody has seen, or not for long, is found out by one attempt at a time. An
// idle endpoint is taken at what it promises, which is nothing at first and less and less as
// time goes by; as soon as an attempt is out there, it counts as slower than the other by
// caution, so that it gets a small share until the answer tells. With both unknown the load
// decides.
func (m *member) faster(o *member, rng *rand.PCG, now int64) bool {
	mine, its := m.promise(now), o.promise(now)
	mineAt, itsAt := mine.latency, its.latency
	if mine.doubtful {
		mineAt = max(mineAt, caution*its.latency)
	}
	if its.doubtful {
		itsAt = max(itsAt, caution*mine.latency)
	}
	if mineAt == 0 && itsAt == 0 {
		mineAt, itsAt = 1, 1
	}
	scoreMine := mineAt * float64(m.loadAt(mine.active, rng, now)) * float64(o.weight)
	scoreIts := itsAt * float64(o.loadAt(its.active, rng, now)) * float64(m.weight)
	return scoreMine < scoreIts || scoreMine == scoreIts && rng.Uint64()&1 == 0
}

// A promise is what is known of an endpoint's latency.
type promise struct {
	latency  float64 // ns; 0 = nothing is known
	active   int64
	doubtful bool // it is being found out right now, or the last try failed
}

func (m *member) promise(now int64) promise {
	e := m.endpoint
	r, active := e.latency.read(now), e.active.Load()
	return promise{
		latency:  r.latency,
		active:   active,
		doubtful: !r.fresh && active > 0 || r.failed,
	}
}
