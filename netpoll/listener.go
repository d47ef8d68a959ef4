package netpoll

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	acceptsPerTurn = 64
	acceptBackOff  = 100 * time.Millisecond
)

// An Acceptor receives a listener's connections. It is called on the loop.
type Acceptor interface {
	// Admit reports whether one more connection may be accepted, and counts it.
	Admit() bool
	// Dismiss takes back one Admit: no connection came of it.
	Dismiss()
	// OnAccept gives a connection over. Its handler must be set before returning.
	OnAccept(c *Conn)
	// OnAcceptError says why accepting pauses for a moment.
	OnAcceptError(err error)
}

// A Listener accepts connections on one loop.
type Listener struct {
	loop       *Loop
	fd         int
	addr       Addr
	acceptor   Acceptor
	timer      Timer
	acceptable bool // connections may be waiting
	scheduled  bool // a RunLater is on its way
	starved    bool // the last accept failed: only the timer or Resume goes on
	closed     bool
}

// Listen accepts on s from now on. The socket belongs to the listener, also when this fails.
func (l *Loop) Listen(s *Socket, a Acceptor) (*Listener, error) {
	n := &Listener{loop: l, fd: s.fd, addr: s.addr, acceptor: a}
	l.own(n.fd, n)
	if err := l.poller.addRead(n.fd); err != nil {
		l.disown(n.fd)
		closeFD(n.fd)
		return nil, fmt.Errorf("cannot listen on %s: %w", s.addr, err)
	}
	l.listeners = append(l.listeners, n)
	return n, nil
}

// Addr is the address listened on.
func (n *Listener) Addr() Addr { return n.addr }

// Resume goes on accepting when a refused Admit or a shortage had stopped it. It costs
// nothing otherwise.
func (n *Listener) Resume() {
	if n.acceptable && !n.scheduled && !n.closed {
		n.scheduled = true
		n.loop.RunLater(n)
	}
}

// Close stops listening. Connections that the kernel has completed are accepted first,
// since closing the socket would reset them.
func (n *Listener) Close() {
	if n.closed {
		return
	}
	n.closed = true // an acceptor may close the listener from what follows
	n.acceptable = true
	for n.acceptable && n.acceptSome() == nil {
		continue
	}
	n.release()
}

// release gives the socket up.
func (n *Listener) release() {
	n.closed = true
	n.acceptable = false
	n.loop.listeners = slices.DeleteFunc(n.loop.listeners, func(o *Listener) bool { return o == n })
	n.loop.DropTimer(&n.timer)
	n.loop.poller.remove(n.fd)
	n.loop.disown(n.fd)
	n.loop.closeLater(n.fd)
	n.fd = -1
}

// ready is the poller's report. During a shortage each new connection brings one, which
// must not become another error.
func (n *Listener) ready(readiness) {
	n.acceptable = true
	if !n.starved {
		n.accept()
	}
}

// RunLater goes on with what the last turn left.
func (n *Listener) RunLater() {
	n.scheduled = false
	n.accept()
}

// OnTimer tries again after a shortage or at the connection limit.
func (n *Listener) OnTimer(*Timer) { n.accept() }

func (n *Listener) accept() {
	if n.closed {
		return
	}
	err := n.acceptSome()
	if n.closed {
		return
	}
	n.starved = err != nil && !errors.Is(err, errNotAdmitted)
	switch {
	case err != nil:
		n.loop.SetTimer(&n.timer, n, n.loop.Now()+int64(acceptBackOff))
	case n.acceptable:
		n.Resume()
	}
}

// errNotAdmitted says that the acceptor takes no more connections for now.
var errNotAdmitted = errors.New("connection limit reached")

// acceptSome accepts until nothing waits, one turn's share is done, or an error.
func (n *Listener) acceptSome() error {
	for range acceptsPerTurn {
		if n.fd < 0 {
			return nil // the acceptor closed the listener
		}
		if !n.acceptor.Admit() {
			return errNotAdmitted
		}
		c, err := n.acceptOne()
		if err == nil {
			n.acceptor.OnAccept(c)
			continue
		}
		n.acceptor.Dismiss()
		switch {
		case errors.Is(err, unix.EAGAIN):
			n.acceptable = false
			return nil
		case !isStillborn(err):
			n.acceptor.OnAcceptError(err)
			return err
		}
	}
	return nil
}

func (n *Listener) acceptOne() (*Conn, error) {
	fd, sa, err := acceptFD(n.fd)
	if err != nil {
		return nil, err
	}
	if err := n.loop.poller.add(fd); err != nil {
		closeFD(fd)
		return nil, err
	}
	return n.loop.newConn(fd, addrPort(sa)), nil
}
