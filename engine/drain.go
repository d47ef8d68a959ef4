package engine

// drain has the worker finish what runs and take nothing new: its listeners are closed,
// quiet connections end, busy ones end with their answer. done is called once, when no
// client is left.
func (w *worker) drain(done func()) {
	w.draining = true
	w.drained = done
	for _, l := range w.listeners {
		l.on.Close()
	}
	var next *downstream
	for d := w.clients.first; d != nil; d = next {
		next = d.next
		if d.x == nil && len(d.in.bytes) == 0 && !d.closing && !d.conn.Readable() {
			d.end(false)
		}
	}
	w.checkDrained()
}

// checkDrained tells that the last client has left.
func (w *worker) checkDrained() {
	if w.draining && w.clients.count == 0 && w.drained != nil {
		w.drained()
		w.drained = nil
	}
}
