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
	// Leave did not undo, by the goroutine that gave the permit back, and must not block.
	Grant func(p *Permits)

	queue      *Queue // nil when not waiting
	next, prev *Waiter
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

// JoinFirst puts w in front of all others, who came after it: it was granted something
// that turned out not to be there. w must not be waiting.
func (q *Queue) JoinFirst(w *Waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.queue, w.next = q, q.head
	if q.head != nil {
		q.head.prev = w
	} else {
		q.tail = w
	}
	q.head = w
	q.length.Add(1)
}

// Wake takes the first waiter out, if there is one, and calls its Grant with nil: what it
// waits for may be there, and it is its turn to look.
func (q *Queue) Wake() {
	if w := q.pop(); w != nil {
		w.Grant(nil)
	}
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
	w.queue, w.next, w.prev = nil, nil, nil
	q.length.Add(-1)
}
