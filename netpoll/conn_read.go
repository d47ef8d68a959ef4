package netpoll

import (
	"io"

	"golang.org/x/sys/unix"
)

// Readable reports whether a read may give something that was not read yet.
func (c *Conn) Readable() bool { return c.readable && !c.closed }

// Read reads into p, which must not be empty. It returns ErrWait when there is nothing
// now, io.EOF at the other side's end of stream, or why the connection broke.
func (c *Conn) Read(p []byte) (int, error) {
	if c.closed {
		return 0, ErrClosed
	}
	if !c.readable {
		return 0, c.nothing()
	}
	n, errno := sysRead(c.fd, p)
	switch {
	case errno == unix.EAGAIN:
		c.readable = false
		return 0, ErrWait
	case errno != 0:
		c.readable = false
		c.broke(errno)
		return 0, errno
	case n == 0:
		c.readable = false
		c.ended = true
		return 0, c.nothing()
	case n < len(p) && !c.hungUp && !c.split:
		c.readable = false // drained: the next byte is a new report
	}
	return n, nil
}

// nothing is what a read means that gives no bytes. After a reset whose error another
// call got, the system gives an end of stream where there is none. EPIPE is different: it
// is what writing gives after an end of stream that did arrive.
func (c *Conn) nothing() error {
	switch {
	case !c.ended:
		return ErrWait
	case c.werr != nil && c.werr != unix.EPIPE: //nolint:errorlint // an Errno, never wrapped
		return c.werr
	}
	return io.EOF
}

// PeerFinished reports whether the other side has sent its end of stream and nothing
// before it is left unread. It costs a system call only when the poller has hinted so.
func (c *Conn) PeerFinished() bool {
	if c.closed || !c.hungUp {
		return false
	}
	n, errno := c.peek()
	return n == 0 && errno == 0 && c.werr == nil
}

// Reset returns the error that ended the connection from the other side, nil when there is
// none. It costs a system call only when the poller has hinted so.
func (c *Conn) Reset() error {
	if c.closed || !c.broken || c.werr != nil {
		return c.werr
	}
	errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	switch {
	case err != nil:
		return err
	case errno != 0:
		c.broke(unix.Errno(errno))
	}
	return c.werr
}

// Alive reports whether an idle connection is still of use: nothing to read and no end of
// stream. It always costs a system call.
func (c *Conn) Alive() bool {
	if c.closed || c.werr != nil {
		return false
	}
	_, errno := c.peek()
	return errno == unix.EAGAIN
}

// peek looks at what a read would give.
func (c *Conn) peek() (int, unix.Errno) {
	n, errno := sysPeek(c.fd)
	if errno != 0 && errno != unix.EAGAIN {
		c.broke(errno)
	}
	return n, errno
}
