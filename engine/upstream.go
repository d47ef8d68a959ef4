package engine

import (
	"errors"
	"io"

	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/netpoll"
	"millrace/pool"
)

// An upstream is a connection to an endpoint, busy with one exchange or idle in its
// worker's list. Only its loop touches it.
type upstream struct {
	w         *worker
	conn      *netpoll.Conn
	ep        *endpoint
	x         *exchange // nil when idle
	entry     pool.Entry[*upstream]
	timer     netpoll.Timer
	in        input // the beginning of a response head
	scanned   int
	requests  int
	scheduled bool
}

// take gives an idle connection of this worker. For a request that must not be sent twice
// the connection is asked once more whether it is alive, since there is no second try.
func (e *endpoint) take(w *worker, repeatable bool) *upstream {
	for {
		entry := e.state.idle[w.id].Get()
		if entry == nil {
			return nil
		}
		u := entry.Value
		if repeatable || u.conn.Alive() {
			return u
		}
		u.x = nil
		e.stats.Inc(w.id, stats.ClosedIdle)
		u.shut()
	}
}

// permitBack returns the permits of a connection to this endpoint.
func (e *endpoint) permitBack(w *worker) {
	e.state.permits.Release()
	if e.address.Unix == "" {
		w.engine.upstreams.Release()
	}
}

// reusable reports whether the connection may wait for another exchange.
func (u *upstream) reusable() bool {
	return u.conn.Queued() == 0 && u.conn.WriteErr() == nil && !u.ep.state.left.Load() &&
		(!u.conn.Readable() || u.conn.Alive()) && // its end of stream may stand behind the answer
		u.ep.state.waiting.Len() == 0 && (u.ep.address.Unix != "" || u.w.engine.waiting.Len() == 0)
}

// park makes the connection idle, ready for another exchange.
func (u *upstream) park() {
	now := u.w.loop.Now()
	u.ep.stats.Inc(u.w.id, stats.Parked)
	u.ep.state.idle[u.w.id].Put(&u.entry, now)
	u.w.loop.SetTimer(&u.timer, u, now+u.ep.idleTimeout)
}

// close ends the connection, idle or busy.
func (u *upstream) close() {
	if u.conn.Closed() {
		return
	}
	if u.entry.Idle() {
		u.ep.state.idle[u.w.id].Remove(&u.entry)
		u.ep.stats.Inc(u.w.id, stats.ClosedIdle)
	} else {
		u.ep.stats.Inc(u.w.id, stats.ClosedBusy)
	}
	u.shut()
}

// shut closes a connection that no list holds. Its permit may be used before its descriptor is
// closed, which takes a turn of the loop: where connections are counted, the endpoint hears of
// the end first.
func (u *upstream) shut() {
	if u.ep.upstream.Limit > 0 || u.w.engine.waiting.Len() > 0 {
		u.conn.CloseWrite()
	}
	u.conn.Close()
	u.forget()
}

// abort ends a busy connection with a reset.
func (u *upstream) abort() {
	u.ep.stats.Inc(u.w.id, stats.ClosedBusy)
	u.conn.Abort()
	u.forget()
}

// forget gives back what a closed connection held.
func (u *upstream) forget() {
	u.in.release(&u.w.inputs)
	u.w.loop.DropTimer(&u.timer)
	u.ep.permitBack(u.w)
}

// OnReadable goes on with the answer. Anything that an idle connection says means that it
// is of no further use (RFC 9112, 9.2).
func (u *upstream) OnReadable() {
	switch x := u.x; {
	case x == nil:
		if !u.conn.Alive() { // not just a report that came late
			u.close()
		}
	case x.tunnel:
		x.pumpTunnel()
	default:
		x.pumpResponse()
	}
}

// OnWritable goes on with the upload.
func (u *upstream) OnWritable() {
	x := u.x
	switch {
	case x == nil, u.conn.WriteErr() != nil: // reading tells why
	case x.tunnel:
		x.pumpTunnel()
	case u.conn.Queued() <= lowMark && x.wantsBody():
		x.resumeRequest()
	default:
		u.rearm()
	}
}

// RunLater goes on with what the last turn left.
func (u *upstream) RunLater() {
	u.scheduled = false
	if !u.conn.Closed() && u.x != nil {
		u.OnReadable()
	}
}

// again has the connection go on in the next turn.
func (u *upstream) again() {
	if !u.scheduled {
		u.scheduled = true
		u.w.loop.RunLater(u)
	}
}

// pumpResponse reads the answer and relays it, as long as the client takes it.
func (x *exchange) pumpResponse() {
	u := x.up
	for range readsPerTurn {
		if x.d.conn.Queued() > highMark {
			x.pauseResponse()
			return
		}
		if x.respPaused {
			x.respPaused = false
			u.rearm()
		}
		n, err := u.conn.Read(x.w.fromServer[:x.nextRead()])
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return
		case err != nil:
			x.upstreamEnded(err)
			return
		}
		x.relayResponse(x.w.fromServer[:n])
		if u.x != x || x.tunnel {
			return
		}
		x.adaptRead(n)
	}
	u.again()
}

// pauseResponse waits for the client, whose deadline runs meanwhile.
func (x *exchange) pauseResponse() {
	x.respPaused, x.slow = true, true
	x.d.rearm()
	x.up.rearm()
}

// nextRead is how much of the answer to read at once.
func (x *exchange) nextRead() int { return max(x.readSize, firstRead) }

// adaptRead lets reads grow while the client takes all of them, and keeps them small
// otherwise, since what it does not take waits in memory.
func (x *exchange) adaptRead(n int) {
	switch {
	case x.d.conn.Queued() > 0:
		x.readSize = firstRead
	case n == x.nextRead():
		x.readSize = min(2*n, largestRead)
	}
}

// upstreamEnded handles the end of the endpoint's bytes.
func (x *exchange) upstreamEnded(err error) {
	switch {
	case !x.replied:
		f := failure{status: 502, reason: reasonBadGateway, kind: stats.ConnectionReset, err: err}
		x.attemptFailed(f)
	case x.respBody == h1.BodyClose && errors.Is(err, io.EOF):
		x.respReuse = false
		x.relayEnd()
	default:
		x.truncated(stats.ResponseTruncated)
	}
}

// truncated ends an exchange whose answer broke off.
func (x *exchange) truncated(kind stats.ErrorType) {
	if x.respBody == h1.BodyLength {
		x.ep.stats.Inc(x.w.id, stats.UpstreamTruncated)
		x.w.engine.events.truncated(x)
	}
	r := faulted
	if x.slow {
		r = abandoned // the client kept it waiting
	}
	x.dropUpstream(r)
	x.fail(failure{status: 502, reason: reasonBadGateway, kind: kind})
}
