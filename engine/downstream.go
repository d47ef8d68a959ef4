package engine

import (
	"errors"
	"io"
	"net/netip"

	"millrace/engine/h1"
	"millrace/netpoll"
)

// A downstream is a client's HTTP/1 connection: request heads in, answers out, one exchange
// at a time in the order of the requests (RFC 9112, 9.3.2). Only its loop touches it.
type downstream struct {
	w        *worker
	conn     *netpoll.Conn
	listener *listener
	settings *settings
	timer    netpoll.Timer
	x        *exchange // nil between requests
	in       input
	scanned  int // bytes of in that were searched for the end of a head

	headBegan int64 // loop time of the first byte of the head that is arriving; 0 = none
	idleUntil int64 // loop time at which it has been idle for too long
	served    bool  // a request was answered
	serving   bool  // advance is at work, and goes on with the next request itself
	closing   bool  // nothing more is read as a request
	scheduled bool  // a RunLater is on its way

	local      netip.Addr  // this side's address, once localKnown
	localKnown bool        // it was asked for
	next, prev *downstream // of the worker's clients
}

// localAddr is the address that the client has connected to, not valid for a unix socket.
func (d *downstream) localAddr() netip.Addr {
	if !d.localKnown {
		d.local, d.localKnown = d.conn.Local().Addr(), true
	}
	return d.local
}

// OnReadable goes on with whatever waits for the client's bytes.
func (d *downstream) OnReadable() {
	switch {
	case d.closing:
	case d.x == nil:
		d.readHeads()
	case d.x.tunnel:
		d.x.pumpTunnel()
	case d.x.wantsBody():
		d.x.pumpRequest()
	default:
		d.watch()
	}
}

// OnWritable goes on with whatever waited for the client to take bytes.
func (d *downstream) OnWritable() {
	if d.conn.WriteErr() != nil {
		d.gone()
		return
	}
	if d.conn.Queued() > lowMark {
		return
	}
	switch {
	case d.x == nil:
		d.readHeads()
	case d.x.tunnel:
		d.x.pumpTunnel()
	case d.x.replied || d.x.respPaused:
		d.x.pumpResponse()
	}
}

// RunLater goes on with what the last turn left.
func (d *downstream) RunLater() {
	d.scheduled = false
	if !d.conn.Closed() && !d.closing {
		d.OnReadable()
	}
}

// again has the connection go on in the next turn.
func (d *downstream) again() {
	if !d.scheduled {
		d.scheduled = true
		d.w.loop.RunLater(d)
	}
}

// readHeads reads and serves requests until none is complete, one waits for its answer,
// or the client does not take the answers it has.
func (d *downstream) readHeads() {
	for range readsPerTurn {
		if !d.advance() {
			return
		}
		n, err := d.conn.Read(d.w.loop.ReadBuffer()[:headRead])
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return
		case err != nil:
			d.ended(err)
			return
		}
		d.in.add(&d.w.inputs, d.w.loop.ReadBuffer()[:n])
	}
	if d.advance() {
		d.again()
	}
}

// advance serves the requests that have arrived. It returns true when more bytes are
// needed for the next one.
func (d *downstream) advance() bool {
	for range headsPerTurn {
		if d.closing || d.x != nil || d.conn.Queued() > highMark {
			d.in.keep(&d.w.inputs)
			if d.x != nil {
				d.watch() // the client's end may have come with its request
			}
			return false
		}
		d.in.use(h1.SkipEmptyLines(d.in.bytes))
		if len(d.in.bytes) == 0 {
			d.in.release(&d.w.inputs)
			return true
		}
		end, scanned, refused := h1.FindRequestHead(d.in.bytes, d.scanned, &d.settings.limits)
		switch {
		case refused != nil:
			d.refuse(refused)
			return false
		case end == 0:
			d.scanned = scanned
			d.headArriving()
			d.in.keep(&d.w.inputs)
			return true
		}
		d.serving = true
		d.begin(end)
		d.serving = false
	}
	d.in.keep(&d.w.inputs)
	d.again()
	return false
}

// begin starts the exchange whose head is the first end bytes of the input.
func (d *downstream) begin(end int) {
	x := d.w.getExchange()
	x.raw = append(x.raw[:0], d.in.bytes[:end]...)
	d.in.use(end)
	d.scanned, d.headBegan = 0, 0
	d.x, x.d = x, d
	x.began = d.w.loop.Now()
	x.snap = d.w.engine.current.Load()
	if err := d.w.parser.Parse(&x.req, x.raw, &d.settings.limits); err != nil {
		x.refuse(err)
		return
	}
	d.w.loop.StopTimer(&d.timer)
	x.begin()
}

// headArriving starts the clock for the rest of a head. The one of a connection's first
// head has run since accept, unless the listener was closed meanwhile.
func (d *downstream) headArriving() {
	if d.headBegan != 0 {
		return
	}
	d.headBegan = d.w.loop.Now()
	if d.served || d.leaving() {
		d.w.loop.SetTimer(&d.timer, d, d.headBegan+d.settings.header)
	}
}

// refuse answers bytes that are no acceptable head, and ends the connection.
func (d *downstream) refuse(err *h1.Error) {
	x := d.w.getExchange()
	d.x, x.d = x, d
	x.began = d.w.loop.Now()
	if d.headBegan != 0 {
		x.began = d.headBegan // the whole of it has not come
	}
	x.snap = d.w.engine.current.Load()
	x.refuse(err)
}

// watch looks whether the client has left while its request is at work.
func (d *downstream) watch() {
	switch {
	case d.conn.Reset() != nil:
		d.gone()
	case d.x != nil && !d.x.sent && !d.x.halfClosed && d.conn.PeerFinished():
		d.x.halfClosed = true
		d.w.loop.SetTimer(&d.timer, d, d.w.loop.Now()+halfClosedGrace)
	}
}

// ended handles the end of the client's bytes between requests or inside a head.
func (d *downstream) ended(err error) {
	d.closing = true
	if !errors.Is(err, io.EOF) {
		d.close()
		return
	}
	d.end(false)
}

// gone is for a client that left: reset, or it cannot be written to.
func (d *downstream) gone() {
	if d.x != nil {
		d.x.clientGone()
		return
	}
	d.close()
}

// idle puts the connection between requests, and goes on if the next one is there.
func (d *downstream) idle() {
	d.served = true
	if len(d.in.bytes) == 0 {
		d.in.release(&d.w.inputs)
	}
	d.idleUntil = d.w.loop.Now() + d.settings.idle
	at := d.idleUntil
	if d.conn.Queued() > 0 {
		at = min(at, d.conn.Progress()+d.settings.writeIdle)
	}
	d.w.loop.SetTimer(&d.timer, d, at)
	if !d.serving && (len(d.in.bytes) > 0 || d.conn.Readable()) {
		d.readHeads()
	}
}

// close ends the connection at once.
func (d *downstream) close() {
	d.conn.Close()
	d.left()
}

// abort ends the connection with a reset: what the client got is not whole, and nothing
// else would tell it.
func (d *downstream) abort() {
	d.conn.Abort()
	d.left()
}

// end closes the connection once what is queued is sent. With discard the client may
// still be sending, and is heard out for a while.
func (d *downstream) end(discard bool) {
	limits := d.settings.ending
	limits.Discard = discard
	d.detach()
	d.conn.End(limits, d.left)
}

// detach ends the reading of requests.
func (d *downstream) detach() {
	d.closing = true
	d.in.release(&d.w.inputs)
	d.w.loop.DropTimer(&d.timer)
}

// left forgets a connection that is closed.
func (d *downstream) left() {
	d.detach()
	w := d.w
	w.clients.remove(d)
	d.listener.sockets.stats.Closed(w.id)
	w.engine.clients.Release()
	for _, l := range w.listeners {
		l.on.Resume()
	}
	w.checkDrained()
}
