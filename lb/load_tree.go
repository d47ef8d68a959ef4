package lb

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A loadTree is one worker's view of how loaded the members of a tier are. It finds one with the
// least load / weight without looking at all of them.
//
// The leaves hold what the worker last saw, each node the least below it. Attempts that the
// worker chose by it are entered as they begin and end. Others are seen when a leaf is looked at:
// the one that is about to be chosen always is, so nobody is taken for idle who is busy, and with
// each pick one more, round about. Until then a member that others have left counts as busy.
type loadTree struct {
	tier  *tier
	depth int
	nodes []share // the root at 1, the children of i at 2i and 2i+1
	next  int     // the member to look at next
	_     [80]byte
}

// A share is load / weight, as the bits of a float64: those of positive numbers are in the order
// of the numbers. Equal fractions have equal shares, and different ones different shares while
// loads are below 2^30.
type share int64

// noShare is above any share.
const noShare share = math.MaxInt64

// looks is how many members that turn out busier than they seemed are passed by in one pick.
const looks = 8

func newLoadTree(t *tier) *loadTree {
	tree := &loadTree{tier: t, depth: bits.Len(uint(len(t.members) - 1))}
	tree.nodes = make([]share, 2<<tree.depth)
	for i := range tree.nodes {
		tree.nodes[i] = noShare
	}
	for i := range t.members {
		m := &t.members[i]
		tree.set(i, m.share(m.endpoint.Active()+1))
	}
	return tree
}

func (m *member) share(load int64) share {
	return share(math.Float64bits(float64(load) / float64(m.weight)))
}

// less returns 1 if s is below o, else 0.
func (s share) less(o share) uint { return uint(uint64(s-o) >> 63) }

// least returns a member with the least load / weight; ties go any way.
func (t *loadTree) least(rng *rand.PCG, now int64) int {
	t.look(t.next, rng, now)
	if t.next++; t.next == len(t.tier.members) {
		t.next = 0
	}
	i := t.walk(rng)
	for range looks {
		seen := *t.leaf(i)
		if t.look(i, rng, now); *t.leaf(i) <= seen {
			break
		}
		i = t.walk(rng)
	}
	return i
}

func (t *loadTree) leaf(i int) *share { return &t.nodes[1<<t.depth+i] }

// walk returns a leaf with the least share: one drawn at random if it has it, else one not far
// from there.
//
// It has no branch: which way it goes is a matter of chance, which no processor can foresee.
func (t *loadTree) walk(rng *rand.PCG) int {
	drawn := uint(below(rng, int64(len(t.tier.members))))
	i := uint(1)
	for level := t.depth - 1; level >= 0; level-- {
		left, right := t.nodes[2*i], t.nodes[2*i+1]
		mustRight, mustLeft := right.less(left), left.less(right)
		i = 2*i + (mustRight | drawn>>(level&63)&1&^mustLeft)
	}
	return int(i) - 1<<t.depth
}

// look brings the leaf of the i-th member up to date. A member without room is behind all
// others.
func (t *loadTree) look(i int, rng *rand.PCG, now int64) {
	m := &t.tier.members[i]
	if m.endpoint.full() {
		t.set(i, noShare)
		return
	}
	t.set(i, m.share(m.loadAt(m.endpoint.Active(), rng, now)))
}

// began enters an attempt of this worker on the i-th member.
func (t *loadTree) began(a *Attempt, i int) {
	a.load, a.leaf = t, int32(i)
	m := &t.tier.members[i]
	t.set(i, max(*t.leaf(i), m.share(m.endpoint.Active()+1)))
}

// ended enters the end of one, which left that many active.
func (t *loadTree) ended(i int, active int64) { t.set(i, t.tier.members[i].share(active+1)) }

func (t *loadTree) set(i int, s share) {
	i += 1 << t.depth
	if t.nodes[i] == s {
		return
	}
	t.nodes[i] = s
	for i /= 2; i > 0; i /= 2 {
		least := min(t.nodes[2*i], t.nodes[2*i+1])
		if t.nodes[i] == least {
			return
		}
		t.nodes[i] = least
	}
}
