package netpoll

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// Lingering says how long an ending connection may take. Silence and Total bound the wait
// that Discard asks for, so 0 is no wait.
type Lingering struct {
	WriteIdle time.Duration // without progress in writing what is queued; 0 = for ever
	Silence   time.Duration // after our end of stream, without a byte from the other side
	Total     time.Duration // after our end of stream
	Discard   bool          // the other side may still be sending: read and drop it
}

// ending is the state of a connection whose handler has left it.
type ending struct {
	limits  Lingering
	since   int64 // loop clock of our end of stream, ns; 0 = the queue is not flushed yet
	heard   int64 // loop clock of the last byte, ns
	later   bool  // a RunLater is on its way
	onClose func()
}

// Close ends the connection at once; what is queued is lost. Its handler is not called
// again. The descriptor is closed in the loop's next turn.
func (c *Conn) Close() {
	if c.closed {
		return
	}
	c.closed = true
	c.readable = false
	c.dropQueue()
	c.loop.DropTimer(&c.timer)
	c.loop.disown(c.fd)
	c.loop.closeLater(c.fd)
	if e := c.ending; e != nil && e.onClose != nil {
		e.onClose()
	}
}

// Abort is Close with a reset instead of an orderly end, so that the other side knows
// that what it got is not whole.
func (c *Conn) Abort() {
	if c.closed {
		return
	}
	_ = unix.SetsockoptLinger(c.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	c.Close()
}

// Closed reports whether the connection was closed on this side.
func (c *Conn) Closed() bool { return c.closed }

// End closes the connection in order: what is queued is sent, then the end of stream. With
// Discard whatever still comes is read and dropped until the other side ends, since a close
// with unread bytes resets the connection and may destroy what the other side has not read
// (RFC 9112, 9.6), and the other side may read only once it has sent all. Without Discard
// that is done only if something has come by the time at which all is sent. The handler is
// not called again; onClose is, once, when the connection is closed, which may be before
// End returns. End does not touch the loop's read buffer.
func (c *Conn) End(limits Lingering, onClose func()) {
	if c.closed {
		if onClose != nil {
			onClose()
		}
		return
	}
	c.ending = &ending{limits: limits, onClose: onClose}
	c.handler = nil
	c.endFlushed()
	if c.readable && limits.Discard {
		c.discardLater()
	}
}

// endFlushed goes on once the queue is empty or writing has failed.
func (c *Conn) endFlushed() {
	e := c.ending
	if c.werr != nil {
		c.Close()
		return
	}
	if c.out.size > 0 {
		if e.limits.WriteIdle > 0 {
			c.loop.SetTimer(&c.timer, c, c.written+int64(e.limits.WriteIdle))
		}
		return
	}
	if c.ended || !e.limits.Discard && !c.readable {
		c.Close()
		return
	}
	e.limits.Discard = true // what has come unread meanwhile would make the close a reset
	c.CloseWrite()
	e.since = c.loop.Now()
	e.heard = e.since
	c.loop.SetTimer(&c.timer, c, e.deadline())
	if c.readable {
		c.discardLater()
	}
}

func (e *ending) deadline() int64 {
	return min(e.heard+int64(e.limits.Silence), e.since+int64(e.limits.Total))
}

// discardReads bounds the reads of one callback, so that a fast sender does not hold the loop.
const discardReads = 8

// discard drops what arrives.
func (c *Conn) discard() {
	e := c.ending
	if !e.limits.Discard {
		return
	}
	for range discardReads {
		_, err := c.Read(c.loop.buffer)
		switch {
		case errors.Is(err, ErrWait), errors.Is(err, io.EOF) && e.since == 0:
			return // endFlushed ends what is still flushing
		case err != nil:
			c.Close()
			return
		}
		e.heard = c.loop.Now()
		if e.since > 0 {
			c.loop.SetTimer(&c.timer, c, e.deadline())
		}
	}
	c.discardLater()
}

func (c *Conn) discardLater() {
	if e := c.ending; !c.closed && !e.later {
		e.later = true
		c.loop.RunLater(c)
	}
}

// RunLater goes on with what the last turn left.
func (c *Conn) RunLater() {
	if c.closed || c.ending == nil {
		return
	}
	c.ending.later = false
	if c.readable {
		c.discard()
	}
}

// OnTimer ends a connection that took too long to connect, to flush or to end.
func (c *Conn) OnTimer(*Timer) {
	switch {
	case c.closed:
	case c.dial != nil:
		c.connectTimer()
	case c.ending != nil && c.ending.since == 0 && c.loop.Now()-c.written < int64(c.ending.limits.WriteIdle):
		c.loop.SetTimer(&c.timer, c, c.written+int64(c.ending.limits.WriteIdle))
	case c.ending != nil && c.ending.since == 0:
		c.Abort()
	default:
		c.Close()
	}
}
