package engine

import (
	"slices"
	"time"
)

// quietGrace is how long a client that asks for nothing may go on when its listener is
// closed: its next request may be on its way, and is answered then.
const quietGrace = 500 * time.Millisecond

// statusCutOff stands for the answer that a request did not get when its time was up.
const statusCutOff = 503

// drain has the worker finish what runs and take nothing new: its listeners are closed,
// quiet connections end soon, busy ones with their answer. done is called once, when no
// client is left.
func (w *worker) drain(done func()) {
	w.draining = true
	w.drained = done
	for len(w.listeners) > 0 {
		w.unlisten(w.listeners[0].sockets)
	}
	w.checkDrained()
}

// unlisten closes the listeners on s. What waits to be accepted still is; its quiet
// connections end soon, the busy ones with their answer.
func (w *worker) unlisten(s *sockets) {
	var leaving []*listener
	w.listeners = slices.DeleteFunc(w.listeners, func(l *listener) bool {
		if l.sockets == s {
			leaving = append(leaving, l)
		}
		return l.sockets == s
	})
	for _, l := range leaving {
		l.on.Close()
		l.closed = true
	}
	var next *downstream
	for d := w.clients.first; d != nil; d = next {
		next = d.next
		if d.listener.sockets == s && d.quiet() {
			d.leaveSoon()
		}
	}
}

// leaveSoon ends a quiet connection, unless it still asks for something.
func (d *downstream) leaveSoon() {
	if d.conn.Queued() > 0 { // it is not done with the last answer
		d.end(false)
		return
	}
	d.idleUntil = d.w.loop.Now() + int64(quietGrace)
	d.w.loop.SetTimer(&d.timer, d, d.idleUntil)
}

// cutOff ends every exchange that is left, as it is, so that it is counted and logged.
func (w *worker) cutOff() {
	var all []*downstream
	for d := w.clients.first; d != nil; d = d.next {
		all = append(all, d)
	}
	for _, d := range all {
		if d.x != nil {
			d.x.abandon(statusCutOff)
		}
	}
}

// quiet reports whether no request is at work or on its way, as far as can be seen, which
// takes a look at the socket: what has just arrived was not reported yet. The client may
// still be taking its last answer.
func (d *downstream) quiet() bool {
	return d.x == nil && len(d.in.bytes) == 0 && !d.closing && !d.conn.Readable() && d.conn.Alive()
}

// leaving reports whether the connection ends with the answer at hand.
func (d *downstream) leaving() bool { return d.listener.closed }

// checkDrained tells that the last client has left.
func (w *worker) checkDrained() {
	if w.draining && w.clients.count == 0 && w.drained != nil {
		w.drained()
		w.drained = nil
	}
}
