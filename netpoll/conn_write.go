package netpoll

import "golang.org/x/sys/unix"

// Write sends p behind what is queued, and queues what the socket does not take. p is
// free again when it returns. The error is final: see WriteErr.
func (c *Conn) Write(p []byte) error {
	if c.werr != nil || c.finished || c.closed || len(p) == 0 {
		return c.writeState()
	}
	if c.out.size > 0 || !c.writable {
		c.enqueue(p)
		return nil
	}
	n, errno := sysWrite(c.fd, p)
	if !c.took(n, len(p), errno) {
		return c.werr
	}
	if n = max(n, 0); n < len(p) {
		c.enqueue(p[n:])
	}
	return nil
}

// Writev is Write of the parts one after the other, gathered in one system call.
func (c *Conn) Writev(head, body, tail []byte) error {
	total := len(head) + len(body) + len(tail)
	if c.werr != nil || c.finished || c.closed || total == 0 {
		return c.writeState()
	}
	n := 0
	if c.out.size == 0 && c.writable {
		var errno unix.Errno
		n, errno = sysWritev(c.fd, head, body, tail)
		if !c.took(n, total, errno) {
			return c.werr
		}
		n = max(n, 0)
	}
	for _, p := range [...][]byte{head, body, tail} {
		skip := min(n, len(p))
		n -= skip
		if skip < len(p) {
			c.enqueue(p[skip:])
		}
	}
	return nil
}

// Queued is how many bytes the socket has not taken yet.
func (c *Conn) Queued() int { return c.out.size }

// Progress is the loop time (ns) at which the socket last took bytes, or at which the
// queue began.
func (c *Conn) Progress() int64 { return c.written }

// WriteErr is why nothing can be written any more, nil while writing works. Bytes that
// arrived before may still be read.
func (c *Conn) WriteErr() error { return c.werr }

// CloseWrite sends this side's end of stream behind what is queued. Reading goes on.
func (c *Conn) CloseWrite() {
	if c.closed || c.finished {
		return
	}
	c.finished = true
	if c.out.size == 0 {
		_ = unix.Shutdown(c.fd, unix.SHUT_WR)
	}
}

func (c *Conn) writeState() error {
	switch {
	case c.closed:
		return ErrClosed
	case c.werr == nil && c.finished:
		return ErrClosed
	}
	return c.werr
}

// took records what a write did. It returns false when the connection cannot be written.
func (c *Conn) took(n, of int, errno unix.Errno) bool {
	if errno != 0 && errno != unix.EAGAIN {
		c.broke(errno)
		return false
	}
	if n < of {
		c.writable = false
	}
	return true
}

func (c *Conn) enqueue(p []byte) {
	if c.out.size == 0 {
		c.written = c.loop.Now()
	}
	c.out.append(&c.loop.blocks, p)
}

// flush writes what is queued until the socket is full.
func (c *Conn) flush() {
	for c.out.size > 0 && c.writable {
		var parts [maxParts][]byte
		k := c.out.parts(parts[:])
		offered := 0
		for _, p := range parts[:k] {
			offered += len(p)
		}
		n, errno := sysWritev(c.fd, parts[:k]...)
		if !c.took(n, offered, errno) {
			return
		}
		if n > 0 {
			c.written = c.loop.Now()
			c.out.discard(&c.loop.blocks, n)
		}
	}
	if c.out.size == 0 && c.finished {
		_ = unix.Shutdown(c.fd, unix.SHUT_WR)
	}
}

// broke records why the connection is of no further use for writing. The system gives an
// error once, to whatever call comes next, so that call keeps it for the others.
func (c *Conn) broke(errno unix.Errno) {
	if c.werr == nil {
		c.werr = errno
	}
	c.dropQueue()
}

func (c *Conn) dropQueue() {
	c.out.discard(&c.loop.blocks, c.out.size)
}
