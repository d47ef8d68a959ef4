package netpoll

import "math/bits"

const (
	tickShift  = 24 // a tick is 2^24 ns, about 16.8 ms
	wheelSlots = 2048
	wheelWords = wheelSlots / 64
)

// A TimerHandler is told when its timer expires.
type TimerHandler interface {
	// OnTimer is called on the loop. The timer is off then and may be set again.
	OnTimer(t *Timer)
}

// A Timer is one deadline of its owner, part of the owner's struct. The zero value is off.
// Moving a deadline away from the present is one store, since the wheel looks at the
// deadline again when the timer's old slot comes up; so a timer may be set per request.
type Timer struct {
	next, prev *Timer
	handler    TimerHandler
	at         int64 // loop clock, ns; 0 = off
	tick       int64 // in the wheel under this tick; 0 = not in the wheel
}

// wheel is a timer wheel of one level: a deadline beyond its horizon (about 34 s) waits in
// the last slot and is looked at again from there.
type wheel struct {
	loop     *Loop
	ticker   ticker
	arm      func(ns int64)     // the ticker's, or that of a test
	slots    [wheelSlots]*Timer // each slot a list
	occupied [wheelWords]uint64
	count    int
	done     int64 // all ticks up to this one have been handled
	armed    int64 // the ticker is set for this tick; 0 = not set
}

func (w *wheel) open(l *Loop) error {
	w.loop = l
	w.arm = w.ticker.arm
	return w.ticker.open(l, w)
}

func (w *wheel) close() { w.ticker.close() }

// SetTimer makes t expire at the loop time at (nanoseconds, see [Loop.Now]), at most two
// ticks late and never early, and replaces its earlier deadline.
func (l *Loop) SetTimer(t *Timer, h TimerHandler, at int64) {
	t.handler = h
	t.at = at
	if t.tick != 0 && t.tick <= tickAfter(at) {
		return
	}
	l.wheel.place(t, l.Now())
}

// StopTimer turns t off. Its owner stays reachable for up to the wheel's horizon; see
// DropTimer.
func (l *Loop) StopTimer(t *Timer) { t.at = 0 }

// DropTimer turns t off and forgets its owner, which is going away.
func (l *Loop) DropTimer(t *Timer) {
	t.at = 0
	l.wheel.unlink(t)
}

// Deadline is the loop time at which t expires, 0 when it is off.
func (t *Timer) Deadline() int64 { return t.at }

// tickAfter is the first tick that begins at or after at.
func tickAfter(at int64) int64 { return (at-1)>>tickShift + 1 }

func (w *wheel) place(t *Timer, now int64) {
	w.unlink(t)
	if w.count == 0 {
		w.done = max(w.done, now>>tickShift-1) // nothing was due while the wheel was empty
	}
	w.count++
	first := max(w.done+1, now>>tickShift)
	t.tick = min(max(tickAfter(t.at), first), w.done+wheelSlots-1)
	slot := t.tick % wheelSlots
	if head := w.slots[slot]; head != nil {
		head.prev = t
		t.next = head
	}
	w.slots[slot] = t
	w.occupied[slot/64] |= 1 << (slot % 64)
	if w.armed == 0 || t.tick < w.armed {
		w.armed = t.tick
		w.arm(t.tick<<tickShift - now)
	}
}

func (w *wheel) unlink(t *Timer) {
	if t.tick == 0 {
		return
	}
	slot := t.tick % wheelSlots
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		w.slots[slot] = t.next
		if t.next == nil {
			w.occupied[slot/64] &^= 1 << (slot % 64)
		}
	}
	if t.next != nil {
		t.next.prev = t.prev
	}
	t.next, t.prev, t.tick = nil, nil, 0
	w.count--
}

// ready is the ticker's report.
func (w *wheel) ready(readiness) {
	w.ticker.drain()
	w.turn()
}

// turn handles what is due and arms the ticker for what comes next.
func (w *wheel) turn() {
	w.armed = 0
	w.advance(w.loop.Now())
	if next := w.nextOccupied(); next != 0 && (w.armed == 0 || next < w.armed) {
		w.armed = next
		w.arm(next<<tickShift - w.loop.Now())
	}
}

// advance handles every slot whose tick has begun.
func (w *wheel) advance(now int64) {
	current := now >> tickShift
	for w.done < current {
		next := w.nextOccupied()
		if next == 0 || next > current {
			w.done = current
			return
		}
		w.done = next
		w.expire(next, now)
	}
}

// expire handles the timers of one tick. A handler may set, stop or drop any timer. One
// that is set while the wheel is empty moves done, so it may come into the slot at hand
// under a tick one round later.
func (w *wheel) expire(tick, now int64) {
	slot := tick % wheelSlots
	for t := w.slots[slot]; t != nil && t.tick == tick; t = w.slots[slot] {
		w.unlink(t)
		switch {
		case t.at == 0:
		case t.at > now:
			w.place(t, w.loop.Now()) // handlers took their time
		default:
			t.at = 0
			w.loop.now = 0
			t.handler.OnTimer(t)
		}
	}
}

// nextOccupied is the first tick after done whose slot holds a timer, 0 when none does.
func (w *wheel) nextOccupied() int64 {
	start := (w.done + 1) % wheelSlots
	word, bit := start/64, start%64
	masked := w.occupied[word] >> bit << bit
	for i := int64(0); i <= wheelWords; i++ {
		if masked != 0 {
			slot := (word+i)%wheelWords*64 + int64(bits.TrailingZeros64(masked))
			return w.done + 1 + (slot-start+wheelSlots)%wheelSlots
		}
		masked = w.occupied[(word+i+1)%wheelWords]
	}
	return 0
}
