package engine

import (
	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// OnTimer is the client's deadline. Which one it was follows from what the connection is
// doing.
func (d *downstream) OnTimer(*netpoll.Timer) {
	now := d.w.loop.Now()
	switch {
	case d.conn.Queued() > 0 && d.takesTooLong(now):
		d.stuck()
	case d.x == nil:
		d.headTimer(now)
	case d.x.tunnel:
		d.x.tunnelTimer(now)
	case d.x.halfClosed && !d.x.sent:
		d.gone()
	case d.x.waiter != nil:
		d.x.waitTimer(now)
	case d.x.wantsBody() && d.x.bodyDeadline() <= now:
		d.x.bodyTimeout()
	default:
		d.rearm()
	}
}

// takesTooLong reports whether the client took nothing for too long.
func (d *downstream) takesTooLong(now int64) bool {
	return d.settings.writeIdle > 0 && now-d.conn.Progress() >= d.settings.writeIdle
}

// stuck is for a client that does not take its answer.
func (d *downstream) stuck() {
	if d.x != nil {
		d.x.clientGone()
		return
	}
	d.abort()
}

// headTimer ends a connection that was idle for too long, or whose head took too long. A
// client that sent nothing is owed no answer (RFC 9110, 15.5.9).
func (d *downstream) headTimer(now int64) {
	switch {
	case d.conn.Queued() > 0:
		d.w.loop.SetTimer(&d.timer, d, d.conn.Progress()+d.settings.writeIdle)
	case len(d.in.bytes) > 0:
		d.refuse(errHeadTimeout)
	case now < d.idleUntil:
		d.w.loop.SetTimer(&d.timer, d, d.idleUntil)
	default:
		d.end(false)
	}
}

// errHeadTimeout answers a head that did not arrive in time.
var errHeadTimeout = &h1.Error{Status: 408, Reason: "request timeout"}

// rearm sets the client's deadline for what the exchange at hand is doing.
func (d *downstream) rearm() {
	x := d.x
	var at int64
	switch {
	case x == nil:
		return
	case d.conn.Queued() > 0:
		at = d.conn.Progress() + d.settings.writeIdle
	case x.wantsBody() && x.waitsForClient():
		at = x.bodyDeadline()
	default:
		d.w.loop.StopTimer(&d.timer)
		return
	}
	d.w.loop.SetTimer(&d.timer, d, at)
}

// bodyDeadline is when the upload has paused or lasted for too long.
func (x *exchange) bodyDeadline() int64 {
	s := x.d.settings
	at := x.heard + s.bodyIdle
	if s.body > 0 {
		at = min(at, x.began+s.body)
	}
	return at
}

// bodyTimeout ends an exchange whose upload stands still. The endpoint has no part in it.
func (x *exchange) bodyTimeout() {
	x.dropUpstream(abandoned)
	x.fail(failure{status: 408, reason: reasonBodyTimeout, kind: stats.BodyTimeout})
}

// OnTimer is the endpoint's deadline: of an answer, of silence inside it, or of idleness.
func (u *upstream) OnTimer(*netpoll.Timer) {
	x := u.x
	switch {
	case x == nil:
		u.close()
	case x.replied:
		x.truncated(stats.ResponseIdle)
	case u.conn.Queued() > 0 && u.w.loop.Now()-u.conn.Progress() < x.cluster.headerTimeout:
		u.w.loop.SetTimer(&u.timer, u, u.conn.Progress()+x.cluster.headerTimeout)
	default:
		x.attemptFailed(failure{status: 504, reason: reasonTimeout, kind: stats.Timeout, late: true})
	}
}

// rearm sets the endpoint's deadline for what the exchange at hand waits for.
func (u *upstream) rearm() {
	x := u.x
	loop := u.w.loop
	switch {
	case x.respPaused:
		loop.StopTimer(&u.timer) // the client does not take what is there
	case x.replied && x.cluster.responseIdle > 0:
		loop.SetTimer(&u.timer, u, loop.Now()+x.cluster.responseIdle)
	case x.replied:
		loop.StopTimer(&u.timer)
	case x.reqDone || u.conn.Queued() > 0:
		loop.SetTimer(&u.timer, u, loop.Now()+x.cluster.headerTimeout)
	default:
		loop.StopTimer(&u.timer) // the client is the one waited for
	}
}
