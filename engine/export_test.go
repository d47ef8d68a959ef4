package engine

// Stall has every worker stand still until resume is called. What happens on its sockets
// meanwhile, it learns of in one batch.
func (e *Engine) Stall() (resume func()) { return e.StallThen(nil) }

// StallThen is Stall, and runs f, if it is not nil, on each worker behind that batch.
func (e *Engine) StallThen(f func()) (resume func()) {
	standing := make(chan struct{}, len(e.workers))
	going := make(chan struct{})
	for _, w := range e.workers {
		_ = w.loop.Post(func() {
			standing <- struct{}{}
			<-going
			if f != nil {
				w.loop.RunLater(runner(f))
			}
		})
	}
	for range e.workers {
		<-standing
	}
	return func() { close(going) }
}

type runner func()

func (r runner) RunLater() { r() }

// Held is how many connections count against the limits, of clients and to endpoints.
func (e *Engine) Held() (clients, upstreams int64) { return e.clients.Held(), e.upstreams.Held() }

// Waiting is how many requests wait for an upstream connection of the process.
func (e *Engine) Waiting() int { return int(e.waiting.Len()) }

// Marks of the bytes that wait for a slow reader, and the largest read.
const (
	HighMark    = highMark
	LargestRead = largestRead
	FirstRead   = firstRead
)

// QuietGrace is how long a leaving worker waits for quiet clients.
const QuietGrace = quietGrace

// Queued is how many bytes wait, in all queues and inputs, for somebody to take them.
func (e *Engine) Queued() (n int) {
	e.each(func(w *worker) {
		for d := w.clients.first; d != nil; d = d.next {
			n += d.conn.Queued() + len(d.in.bytes)
			if d.x != nil && d.x.up != nil {
				n += d.x.up.conn.Queued() + len(d.x.up.in.bytes)
			}
		}
	})
	return n
}

// Relayed is how many bytes of bodies the answers that are at work have brought so far.
func (e *Engine) Relayed() (n int64) {
	e.each(func(w *worker) {
		for d := w.clients.first; d != nil; d = d.next {
			if d.x != nil {
				n += d.x.respSeen
			}
		}
	})
	return n
}

// each runs f for every worker on its loop, one after the other.
func (e *Engine) each(f func(w *worker)) {
	for _, w := range e.workers {
		done := make(chan struct{})
		if w.loop.Post(func() { f(w); close(done) }) == nil {
			<-done
		}
	}
}

// InputMemory is how much memory connections hold for bytes that were read.
func (e *Engine) InputMemory() (n int) {
	e.each(func(w *worker) {
		for d := w.clients.first; d != nil; d = d.next {
			n += cap(d.in.own)
		}
		for _, c := range w.engine.current.Load().clusters {
			for _, ep := range c.endpoints {
				for u := ep.state.idle[w.id].Oldest(); u != nil; u = nil {
					n += cap(u.Value.in.own)
				}
			}
		}
	})
	return n
}

// Watched is how many names are watched.
func (e *Engine) Watched() int {
	e.names.mu.Lock()
	defer e.names.mu.Unlock()
	return len(e.names.watches)
}

// NamesPending reports whether there is a name whose first lookup has not ended.
func (e *Engine) NamesPending() bool { return e.names.pending() }
