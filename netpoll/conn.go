package netpoll

import (
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

// ErrWait says that there is nothing to read now; the handler's OnReadable tells when
// there is.
var ErrWait = errors.New("netpoll: nothing to read yet")

// ErrClosed says that the connection was closed on this side.
var ErrClosed = errors.New("netpoll: connection closed")

// A Handler is told what becomes possible on its connection. It is called on the loop.
type Handler interface {
	// OnReadable says that Read may give bytes, io.EOF or an error. It is repeated only
	// when more arrives, so what is left unread now must be read without being told. It
	// may be early: what it tells of may have been read already, and Read gives ErrWait.
	OnReadable()
	// OnWritable says that the socket took queued bytes, or that writing failed: see
	// Queued and WriteErr.
	OnWritable()
}

// A Conn is one non-blocking stream socket of a loop. All methods are for that loop's
// goroutine. A closed Conn stays safe to call and does nothing.
type Conn struct {
	loop    *Loop
	handler Handler
	out     outQueue
	written int64 // loop clock of the last progress in writing, ns
	werr    error // why nothing can be written any more
	timer   Timer // connecting, flushing, lingering
	ending  *ending
	dial    *dialing
	remote  netip.AddrPort
	fd      int

	readable bool // a read may give something
	hungUp   bool // the other side's end of stream was reported
	ended    bool // the other side's end of stream was read
	split    bool // a read may stop short of what has arrived
	broken   bool // an error was reported
	writable bool // a write may take something
	finished bool // our end of stream is sent, or waits behind the queue
	closed   bool
}

func (l *Loop) newConn(fd int, remote netip.AddrPort) *Conn {
	c := &Conn{loop: l, fd: fd, remote: remote, writable: true}
	l.own(fd, c)
	return c
}

// SetHandler makes h the receiver of the connection's events.
func (c *Conn) SetHandler(h Handler) { c.handler = h }

// Loop is the loop that the connection belongs to.
func (c *Conn) Loop() *Loop { return c.loop }

// Remote is the other side's address; not valid for a unix socket.
func (c *Conn) Remote() netip.AddrPort { return c.remote }

// Local is this side's address; not valid for a unix socket. It costs a system call.
func (c *Conn) Local() netip.AddrPort {
	if c.closed {
		return netip.AddrPort{} // the number may be another connection's
	}
	sa, err := unix.Getsockname(c.fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return addrPort(sa)
}

// ready is the poller's report.
func (c *Conn) ready(r readiness) {
	if c.closed {
		return
	}
	news := c.hinted(r)
	if c.dial != nil {
		c.connectReady(r)
		return
	}
	if r&writeReady != 0 {
		c.writable = true
		if c.out.size > 0 {
			c.flush()
			c.tellWritable()
		}
	}
	if news && c.readable && !c.closed {
		c.tellReadable()
	}
}

// hinted takes what a report says about reading. It returns true when there is something
// to tell: behind the end of stream, which every later report repeats, that is only that
// the connection broke.
func (c *Conn) hinted(r readiness) bool {
	if r&readReady == 0 {
		return false
	}
	news := !c.ended || r&socketBroke != 0 && !c.broken
	c.readable = c.readable || news
	c.hungUp = c.hungUp || r&readClosed != 0
	c.split = c.split || r&readSplit != 0
	c.broken = c.broken || r&socketBroke != 0
	return news
}

func (c *Conn) tellReadable() {
	if c.ending != nil {
		c.discard()
		return
	}
	c.handler.OnReadable()
}

func (c *Conn) tellWritable() {
	if c.ending != nil {
		c.endFlushed()
		return
	}
	c.handler.OnWritable()
}
