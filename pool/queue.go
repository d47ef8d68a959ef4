package pool

import (
	"sync"
	"sync/atomic"
)

// A Queue holds those who wait for a permit of any of the Permits that feed it, first come
// first served. It is safe for concurrent use.
//
// Nobody who waits is forgotten: who joins looks once more for a free permit (see
// Permits.TryAcquire), and who gives one back looks once more for a waiter.
type Queue struct {
	length atomic.Int64 // read without the lock, to know that nobody waits
	max    atomic.Int64

	mu         sync.Mutex // guards what follows, and the places of all waiters
	head, tail *Waiter
}

// A Waiter is a place in a Queue. It is part of whoever waits, so that waiting allocates
// nothing. The zero value, with Grant set, is ready. It must not be copied while in a queue.
type Waiter struct {
	// Grant is told the permit that the waiter now holds. It is called once for a Join that
	// Leave did not undo, by the goroutine that gave the permit back, and must not block. A
	// Wake calls it with nil, any number of times.
	Grant func(p *Permits)

	queue      *Queue // nil when not waiting
	next, prev *Waiter
	told       bool // by Wake, and has not looked yet
}

// SetMax bounds how many may wait. Those who already do stay.
func (q *Queue) SetMax(max int64) { q.max.Store(max) }

// Len returns how many wait.
func (q *Queue) Len() int64 { return q.length.Load() }

// Join puts w at the end and reports whether there was room. w must not be waiting.
func (q *Queue) Join(w *Waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.length.Load() >= q.max.Load() {
		return false
	}
	w.queue, w.prev = q, q.tail
	if q.tail != nil {
		q.tail.next = w
	} else {
		q.head = w
	}
	q.tail = w
	q.length.Add(1)
	return true
}

// Wake tells the first waiter that was not told yet, by a Grant of nil, that what it waits for
// may be there. It keeps its place until it calls Leave, so that nobody who comes later takes
// what is its due. A waiter that leaves and is told afterwards owes the others a Wake.
func (q *Queue) Wake() { q.wake(func() *Waiter { return q.head }) }

// WakeBehind is Wake for those behind w, who must be waiting: what is there is not for w.
func (q *Queue) WakeBehind(w *Waiter) { q.wake(func() *Waiter { return w.next }) }

// WakeHead is Wake for the first of all: nobody else is told if that one was already.
func (q *Queue) WakeHead() {
	q.wake(func() *Waiter {
		if q.head != nil && q.head.told {
			return nil
		}
		return q.head
	})
}

// WakeAll is Wake until all are told.
func (q *Queue) WakeAll() {
	if q.Len() == 0 {
		return
	}
	for _, w := range q.tellAll() {
		w.Grant(nil)
	}
}

func (q *Queue) tellAll() (told []*Waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for w := q.head; w != nil; w = w.next {
		if !w.told {
			w.told = true
			told = append(told, w)
		}
	}
	return told
}

// wake tells the first from a place on who was not told yet, if there is one.
func (q *Queue) wake(from func() *Waiter) {
	if w := q.tell(from); w != nil {
		w.Grant(nil)
	}
}

func (q *Queue) tell(from func() *Waiter) *Waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	for w := from(); w != nil; w = w.next {
		if !w.told {
			w.told = true
			return w
		}
	}
	return nil
}

// Look is called by w when it was told, before it looks: what comes from now on is told again.
func (q *Queue) Look(w *Waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.told = false
}

// Leave takes w out and reports whether it was still waiting. If not, a permit was granted
// to it, whose Grant call has been made or is about to be.
func (q *Queue) Leave(w *Waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.queue != q {
		return false
	}
	q.remove(w)
	return true
}

// pop takes the first waiter out, or returns nil.
func (q *Queue) pop() *Waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.head
	if w != nil {
		q.remove(w)
	}
	return w
}

func (q *Queue) remove(w *Waiter) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		q.head = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		q.tail = w.prev
	}
	w.queue, w.next, w.prev, w.told = nil, nil, nil, false
	q.length.Add(-1)
}
