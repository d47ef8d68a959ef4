package lb

// A due is a time in the round robin of a group: turns × cycle / weight. Times of one round are
// compared without dividing.
type due struct {
	turns, weight int64
	group         int32
}

// groupBits hold the number of any group: there are no more than different weights.
const groupBits = 20

const _ = uint(1<<groupBits - MaxWeight - 1) // does not compile when they are too few

// earlier returns 1 if d is before o, else 0. Of equal times the heavier group's is the earlier.
//
// It has no branch: a pop asks for the earlier of two children at each level, which no
// processor can foresee, and the wrong guesses were a third of a turn among 1,000 weights
// (BenchmarkPick/round_robin/distinct). Products of turns and weights are below 2^41.
func (d due) earlier(o due) int {
	apart := (d.turns*o.weight-o.turns*d.weight)<<groupBits + int64(d.group-o.group)
	return int(uint64(apart) >> 63)
}

func (d due) before(o due) bool { return d.earlier(o) == 1 }

// A dueHeap is a binary heap, earliest first.
type dueHeap []due

func (h *dueHeap) push(d due) {
	*h = append(*h, d)
	s := *h
	i := len(s) - 1
	for i > 0 && d.before(s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = d
}

func (h *dueHeap) pop() due {
	s := *h
	first, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) {
			child += s[child+1].earlier(s[child])
		}
		if !s[child].before(last) {
			break
		}
		s[i] = s[child]
		i = child
	}
	if len(s) > 0 {
		s[i] = last
	}
	return first
}
