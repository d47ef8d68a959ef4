package lb

// A due is a time in the round robin of a group: turns × cycle / weight. Times of one round are
// compared without dividing.
type due struct {
	turns, weight int64
	group         int32
}

// before reports whether d is earlier than o. Of equal times the heavier group's is.
func (d due) before(o due) bool {
	mine, other := d.turns*o.weight, o.turns*d.weight
	return mine < other || mine == other && d.group < o.group
}

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
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
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
