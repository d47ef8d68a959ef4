package netpoll

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// ErrTimeout says that a connect took too long.
var ErrTimeout = errors.New("connect timed out")

// ErrShortage says that this process or machine lacks descriptors, ports or memory for
// another connection. The address dialled has no part in it.
var ErrShortage = errors.New("no descriptors or ports left for another connection")

// A Dialer is told how a dial ended, exactly once, on the loop.
type Dialer interface {
	// OnConnected gives the connection over. Its handler must be set before returning.
	OnConnected(c *Conn)
	// OnDialError says why there is none: ErrTimeout, ErrShortage or the system's error,
	// possibly wrapped.
	OnDialError(err error)
}

// A Dial is a connect on its way.
type Dial struct{ conn *Conn }

// Cancel gives the connect up. Its Dialer is not called any more.
func (d Dial) Cancel() {
	if d.conn != nil && d.conn.dial != nil {
		d.conn.dial = nil
		d.conn.closeUnconnected()
	}
}

// dialing is the state of a connection that is not connected yet.
type dialing struct {
	dialer Dialer
	addr   Addr
	until  int64 // loop clock, ns; 0 = no limit
	retry  bool  // the timer is for another connect, see startConnect
}

// unixRetry is how long to wait when a unix socket's backlog is full.
const unixRetry = 5 * time.Millisecond

// Dial starts a connect to addr and returns without waiting; timeout 0 means none. The
// Dialer is never called before Dial has returned.
func (l *Loop) Dial(addr Addr, timeout time.Duration, d Dialer) Dial {
	c := &Conn{loop: l, fd: -1, remote: addr.IP, dial: &dialing{dialer: d, addr: addr}}
	if timeout > 0 {
		c.dial.until = l.Now() + int64(timeout)
		l.SetTimer(&c.timer, c, c.dial.until)
	}
	if err := c.openSocket(); err != nil {
		c.failLater(err)
		return Dial{c}
	}
	c.startConnect()
	return Dial{c}
}

// openSocket makes the socket, with the loop's reserve when there is no other descriptor.
func (c *Conn) openSocket() error {
	_, family := c.dial.addr.sockaddr()
	fd, err := newSocket(family)
	if isShortage(err) && c.loop.reserve.lend() {
		fd, err = newSocket(family)
	}
	if err != nil {
		return err
	}
	c.fd = fd
	c.loop.own(fd, c)
	if family != unix.AF_UNIX {
		setStreamOptions(fd)
	}
	return nil
}

// startConnect connects, then registers: a socket that is registered before it connects
// reports a hang-up at once.
func (c *Conn) startConnect() {
	sa, _ := c.dial.addr.sockaddr()
	err := unix.Connect(c.fd, sa)
	switch {
	case err == nil, errors.Is(err, unix.EINPROGRESS), errors.Is(err, unix.EINTR):
	case errors.Is(err, unix.EAGAIN) && c.dial.addr.Unix != "":
		c.retryConnect()
		return
	default:
		c.failLater(err)
		return
	}
	if err := c.loop.poller.add(c.fd); err != nil {
		c.failLater(fmt.Errorf("%w: %w", ErrShortage, err))
	}
}

// retryConnect waits for a unix listener whose backlog is full: such a connect does not
// go on by itself.
func (c *Conn) retryConnect() {
	c.dial.retry = true
	at := c.loop.Now() + int64(unixRetry)
	if c.dial.until > 0 {
		at = min(at, c.dial.until)
	}
	c.loop.SetTimer(&c.timer, c, at)
}

// connectTimer is either another try, or the end of patience.
func (c *Conn) connectTimer() {
	d := c.dial
	if d.until > 0 && c.loop.Now() >= d.until {
		c.failConnect(ErrTimeout)
		return
	}
	if !d.retry {
		return
	}
	d.retry = false
	if d.until > 0 {
		c.loop.SetTimer(&c.timer, c, d.until)
	}
	c.startConnect()
}

// connectReady is the poller's report on a connecting socket.
func (c *Conn) connectReady(r readiness) {
	if r&(writeReady|socketBroke) == 0 {
		return
	}
	errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		err = unix.Errno(errno)
	}
	if err != nil {
		c.failConnect(err)
		return
	}
	if _, err := unix.Getpeername(c.fd); errors.Is(err, unix.ENOTCONN) {
		return // not connected yet, whatever the report meant
	}
	d := c.dial
	c.dial = nil
	c.writable = true
	c.loop.StopTimer(&c.timer)
	d.dialer.OnConnected(c)
	if c.readable && !c.closed {
		c.tellReadable()
	}
}

// failConnect ends a dial, the first time that it is called.
func (c *Conn) failConnect(err error) {
	d := c.dial
	if d == nil {
		return
	}
	c.dial = nil
	c.closeUnconnected()
	if isShortage(err) && !errors.Is(err, ErrShortage) {
		err = fmt.Errorf("%w: %w", ErrShortage, err)
	}
	d.dialer.OnDialError(err)
}

func (c *Conn) closeUnconnected() {
	if c.fd >= 0 {
		c.Close()
		return
	}
	c.closed = true
	c.loop.DropTimer(&c.timer)
}

// failLater reports err in the next turn, since Dial's caller is still at work.
func (c *Conn) failLater(err error) {
	c.loop.RunLater(dialFailure{c, err})
}

type dialFailure struct {
	conn *Conn
	err  error
}

// RunLater reports the failure, unless the dial was cancelled or timed out meanwhile.
func (f dialFailure) RunLater() { f.conn.failConnect(f.err) }
