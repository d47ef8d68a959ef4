package engine

import (
	"millrace/engine/stats"
	"millrace/netpoll"
)

// A listener accepts client connections on one worker.
type listener struct {
	w       *worker
	sockets *sockets
	port    uint16 // 0 on a unix socket
	on      *netpoll.Listener
	closed  bool // its connections end with their answers
}

// Admit counts one more client connection, unless the limit is reached.
func (l *listener) Admit() bool { return l.w.engine.clients.TryAcquire() }

// Dismiss takes back one Admit.
func (l *listener) Dismiss() { l.w.engine.clients.Release() }

// OnAccept begins to serve a connection.
func (l *listener) OnAccept(c *netpoll.Conn) {
	w := l.w
	d := &downstream{w: w, conn: c, listener: l, settings: w.engine.current.Load().settings}
	c.SetHandler(d)
	w.clients.add(d)
	l.sockets.stats.Open(w.id)
	w.loop.SetTimer(&d.timer, d, w.loop.Now()+d.settings.header)
}

// OnAcceptError tells of a shortage. Accepting goes on by itself.
func (l *listener) OnAcceptError(err error) {
	l.w.sheet.Inc(stats.AcceptErrors)
	l.w.engine.events.acceptFailed(l.sockets.key, err)
}
