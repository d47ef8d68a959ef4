package engine

import (
	"millrace/engine/h1"
	"millrace/engine/route"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// A worker serves the connections of one event loop. Only that loop touches it.
type worker struct {
	engine   *Engine
	id       int
	loop     *netpoll.Loop
	sheet    *stats.Sheet
	access   *accessBuffer
	parser   *h1.RequestParser
	scratch  route.Scratch
	response h1.Response // of the head at hand

	listeners []*listener
	clients   clientList
	free      *exchange // exchanges for reuse
	freeCount int
	inputs    inputList
	draining  bool
	drained   func() // told once, when draining and no client is left

	// Scratch of one callback.
	out        []byte // what is sent in front of a body
	tail       []byte // what is sent behind it
	fromServer []byte // read buffer for upstream connections; the loop's is for clients
	key        []byte // of the affinity
	date       dateClock
}

// keepExchanges is how many exchanges a worker keeps for reuse.
const keepExchanges = 256

func newWorker(e *Engine, id int) (*worker, error) {
	loop, err := netpoll.NewLoop(e.clock)
	if err != nil {
		return nil, err
	}
	return &worker{
		engine:     e,
		id:         id,
		loop:       loop,
		sheet:      e.stats.Sheet(id),
		access:     e.access.buffers[id],
		parser:     h1.NewRequestParser(),
		fromServer: make([]byte, largestRead),
	}, nil
}

// getExchange takes an exchange, blank but for the capacity of its buffers.
func (w *worker) getExchange() *exchange {
	x := w.free
	if x == nil {
		return &exchange{w: w}
	}
	w.free, x.nextFree = x.nextFree, nil
	w.freeCount--
	return x
}

// putExchange gives x back. Nobody may use it any more.
func (w *worker) putExchange(x *exchange) {
	x.blank()
	if w.freeCount < keepExchanges {
		x.nextFree, w.free = w.free, x
		w.freeCount++
	}
}

// clientList is the worker's open client connections, for draining.
type clientList struct {
	first *downstream
	count int
}

func (l *clientList) add(d *downstream) {
	d.next = l.first
	if l.first != nil {
		l.first.prev = d
	}
	l.first = d
	l.count++
}

func (l *clientList) remove(d *downstream) {
	if d.prev != nil {
		d.prev.next = d.next
	} else {
		l.first = d.next
	}
	if d.next != nil {
		d.next.prev = d.prev
	}
	d.next, d.prev = nil, nil
	l.count--
}
