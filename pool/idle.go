package pool

// An Entry links one connection into an Idle list. It is embedded in the connection, so that
// going idle allocates nothing. The zero value, with Value set, is ready. An Entry is in one
// list at most and must not be copied while it is in one.
type Entry[C any] struct {
	// Value is the connection that embeds the entry.
	Value C
	// Since is the loop clock, in nanoseconds, of the latest Put.
	Since int64

	list         *Idle[C] // nil when not idle
	newer, older *Entry[C]
}

// Idle reports whether e is in a list.
func (e *Entry[C]) Idle() bool { return e.list != nil }

// Idle holds the idle connections of one worker to one key, newest first. The zero value is an
// empty list. It must not be copied after first use and is not for concurrent use.
type Idle[C any] struct {
	newest, oldest *Entry[C]
	length         int
}

// Len returns how many connections are idle.
func (l *Idle[C]) Len() int { return l.length }

// Put makes e the newest of l. now is the loop clock in nanoseconds and must not run backwards
// from one Put to the next, or Oldest is no longer the one that is idle for longest.
// An entry that is idle already, here or in another list, leaves its place first.
func (l *Idle[C]) Put(e *Entry[C], now int64) {
	if e.list != nil {
		e.list.Remove(e)
	}
	e.list, e.Since, e.older = l, now, l.newest
	if l.newest != nil {
		l.newest.newer = e
	} else {
		l.oldest = e
	}
	l.newest = e
	l.length++
}

// Get removes the newest connection and returns it, or nil when none is idle.
func (l *Idle[C]) Get() *Entry[C] {
	e := l.newest
	if e != nil {
		l.Remove(e)
	}
	return e
}

// Oldest returns the connection that is idle for longest and leaves it in l, or returns nil
// when none is idle.
func (l *Idle[C]) Oldest() *Entry[C] { return l.oldest }

// Remove takes e out of l, wherever it is. It has no effect when e is not in l.
func (l *Idle[C]) Remove(e *Entry[C]) {
	if e.list != l {
		return
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.newest = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.oldest = e.newer
	}
	e.list, e.newer, e.older = nil, nil, nil
	l.length--
}
