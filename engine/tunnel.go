package engine

import (
	"errors"

	"millrace/engine/h1"
	"millrace/netpoll"
)

// switchProtocol turns the exchange into a tunnel, if that is what the client asked for
// (RFC 9110, 15.2.2). HTTP's timers end; the tunnel's begins.
func (x *exchange) switchProtocol(r *h1.Response) {
	if !x.req.Websocket || !r.Websocket {
		x.status = 0
		x.headTime = 0
		x.malformed(errUnaskedSwitch)
		return
	}
	x.replied = true
	x.tunnel = true
	x.lastAnswer = true
	out := x.appendStatusLine(x.w.out[:0], r)
	for i := range r.Fields {
		if f := &r.Fields[i]; !f.Drop && f.ID != h1.FieldContentLength && !x.cluster.responseRules.drops(&r.Head, i) {
			out = append(out, r.Line(i)...)
		}
	}
	out = append(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n"...)
	out = x.cluster.responseRules.appendTo(out, x)
	out = append(out, "\r\n"...)
	u, d := x.up, x.d
	early := u.in.bytes
	if !x.sendClient(out, early, nil) {
		return
	}
	u.in.release(&x.w.inputs)
	if len(d.in.bytes) > 0 {
		x.sendUpstream(d.in.bytes, nil, nil)
		d.in.release(&x.w.inputs)
	}
	x.w.loop.StopTimer(&u.timer)
	x.pumpTunnel()
}

var errUnaskedSwitch = &h1.Error{Status: 502, Reason: "switch to a protocol that was not asked for"}

// pumpTunnel moves bytes both ways, and ends the exchange when both ends of stream were
// relayed or a side broke.
func (x *exchange) pumpTunnel() {
	d, u := x.d, x.up
	client := x.pumpOneWay(d.conn, u.conn, &x.clientDone)
	if x.up != u {
		return
	}
	server := x.pumpOneWay(u.conn, d.conn, &x.serverDone)
	switch {
	case !client, !server:
		x.endTunnel(false)
		return
	case x.clientDone && x.serverDone && u.conn.Queued() == 0:
		x.endTunnel(true)
		return
	}
	x.touchTunnel()
}

// pumpOneWay relays from one connection to the other. done is set when the end of stream
// was passed on, which leaves the other direction open. It returns false when a side broke.
func (x *exchange) pumpOneWay(from, to *netpoll.Conn, done *bool) bool {
	for range readsPerTurn {
		if *done || to.Queued() > highMark {
			left := (*done || from == x.d.conn) && from.Reset() != nil // an endpoint is read first
			return to.WriteErr() == nil && !left
		}
		n, err := from.Read(x.w.fromServer[:firstRead])
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return to.WriteErr() == nil
		case errors.Is(err, errEOF):
			*done = true
			to.CloseWrite()
			return true
		case err != nil:
			return false
		}
		if from == x.d.conn {
			x.reqSeen += int64(n)
		} else {
			x.respSeen += int64(n)
		}
		if to.Write(x.w.fromServer[:n]) != nil {
			return false
		}
	}
	x.d.again()
	return true
}

// endTunnel closes both sides: in order, or with a reset as one of them had.
func (x *exchange) endTunnel(whole bool) {
	d := x.d
	u := x.up
	if !whole {
		x.up, u.x = nil, nil
		u.abort()
	}
	x.dropUpstream(succeeded)
	x.finish()
	if whole {
		d.end(false)
	} else {
		d.abort()
	}
}

// touchTunnel starts the idle clock anew.
func (x *exchange) touchTunnel() {
	if x.d.settings.tunnel > 0 {
		x.heard = x.w.loop.Now()
		x.w.loop.SetTimer(&x.d.timer, x.d, x.heard+x.d.settings.tunnel)
	} else if x.d.conn.Queued() > 0 {
		x.d.rearm()
	}
}

// tunnelTimer ends a tunnel through which nothing went for too long.
func (x *exchange) tunnelTimer(now int64) {
	switch limit := x.d.settings.tunnel; {
	case limit == 0:
		x.d.rearm() // it was for bytes that the client has taken meanwhile
	case now-x.heard >= limit:
		x.endTunnel(true)
	default:
		x.w.loop.SetTimer(&x.d.timer, x.d, x.heard+limit)
	}
}
