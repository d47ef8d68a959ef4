package netpoll

// A Runner is work that a handler puts off to the loop's next turn.
type Runner interface {
	// RunLater is called once for each RunLater of the loop.
	RunLater()
}

// turn holds what waits for the next turn of the loop: work put off, and descriptors to
// close. A descriptor stays open until then, so that its number is not handed out again
// while the batch at hand may still hold a report for it. The waker's report says that
// the batch at hand is a later one than that in which the waker was armed, and no more:
// it may stand behind reports of its own batch. So only the descriptors that were there
// when it was armed are ripe; the others wait for its next report.
type turn struct {
	loop    *Loop
	wake    waker
	armed   bool
	later   []Runner
	running []Runner
	closing []int
	ripe    int // how many of closing were there when the waker was armed
}

func (t *turn) open(l *Loop) error {
	t.loop = l
	return t.wake.open(l, t)
}

func (t *turn) close() { t.wake.close() }

// ready is the waker's report.
func (t *turn) ready(readiness) {
	t.wake.drain()
	t.act()
}

// act closes descriptors first, so that the work that follows finds their numbers free.
func (t *turn) act() {
	t.armed = false
	t.closeRipe()
	t.running, t.later = t.later, t.running[:0]
	for i, r := range t.running {
		t.running[i] = nil
		t.loop.now = 0
		r.RunLater()
	}
}

func (t *turn) closeRipe() {
	n := t.ripe
	t.ripe = 0
	for _, fd := range t.closing[:n] {
		closeFD(fd)
	}
	t.closing = t.closing[:copy(t.closing, t.closing[n:])]
	if len(t.closing) > 0 {
		t.arm()
	}
	if n > 0 {
		t.loop.descriptorsFreed()
	}
}

// closeAll closes without waiting, when there are no more reports.
func (t *turn) closeAll() {
	for _, fd := range t.closing {
		closeFD(fd)
	}
	t.closing, t.ripe = nil, 0
}

func (t *turn) arm() {
	if !t.armed {
		t.armed = true
		t.ripe = len(t.closing)
		t.wake.wake()
	}
}

// RunLater calls r.RunLater in the loop's next turn, in the order of the calls and never
// inside the present callback. Work put off by such a call waits for the turn after, so
// that sockets have theirs in between. It allocates nothing in steady state.
func (l *Loop) RunLater(r Runner) {
	l.turn.later = append(l.turn.later, r)
	l.turn.arm()
}

// closeLater closes fd once no report for it can be at hand any more.
func (l *Loop) closeLater(fd int) {
	l.turn.closing = append(l.turn.closing, fd)
	l.turn.arm()
}
