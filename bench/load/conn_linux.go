package main

import "golang.org/x/sys/unix"

// A conn is one connection to the server and at most one request on it. When
// it ends or breaks, the same conn is opened again. It belongs to its thread.
type conn struct {
	*thread
	index  int
	fd     int // -1 while closed
	up     bool
	busy   bool  // a request has begun and is not answered
	spent  bool  // answered in full; the server closes
	due    int64 // ns from the start, when the request should have begun
	count  int64 // requests begun: the place in the timetable
	sent   int64 // bytes of the request that were taken
	failed int64 // when it broke
	answer answer
}

// open starts to connect. In a closed loop the first request begins with it.
func (c *conn) open() {
	fd, err := unix.Socket(familyOf(c.to), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		c.fd = -1
		c.broke(&c.result.connect)
		return
	}
	c.fd, c.up, c.spent = fd, false, false
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(c.index)}
	if err = unix.Connect(fd, c.to); err == nil || err == unix.EINPROGRESS {
		err = unix.EpollCtl(c.poll, unix.EPOLL_CTL_ADD, fd, &event)
	}
	if err != nil {
		c.broke(&c.result.connect)
		return
	}
	if c.Fresh {
		c.begin(c.elapsed()) // connecting is part of the request
	}
}

func familyOf(to unix.Sockaddr) int {
	if _, ok := to.(*unix.SockaddrInet4); ok {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// ready acts on what epoll reported.
func (c *conn) ready(events uint32) {
	if c.fd < 0 {
		return
	}
	if !c.up {
		if events&(unix.EPOLLOUT|unix.EPOLLERR|unix.EPOLLHUP) == 0 {
			return
		}
		if code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || code != 0 {
			c.broke(&c.result.connect)
			return
		}
		c.up = true
		c.begin(c.elapsed())
	}
	if events&unix.EPOLLOUT != 0 {
		c.send()
	}
	if events&^unix.EPOLLOUT != 0 {
		c.receive(events&^(unix.EPOLLOUT|unix.EPOLLIN) != 0)
	}
}

// begin sends the next request if the conn is free and the request due.
func (c *conn) begin(now int64) {
	if c.busy || c.spent || c.fd < 0 || c.budget == 0 {
		return
	}
	due := now
	if c.times != nil {
		if due = c.times.due(c.index, c.count); due > now {
			return
		}
	}
	if c.budget > 0 {
		c.budget--
	}
	c.flying++
	c.count++
	c.busy, c.due, c.sent = true, due, 0
	c.answer.next()
	c.send()
}

// send writes what is left of the request until the socket takes no more.
func (c *conn) send() {
	for c.busy && c.up && c.sent < int64(len(c.request))+c.Upload {
		piece := c.request[min(c.sent, int64(len(c.request))):]
		if len(piece) == 0 {
			piece = c.filler[:min(int64(len(c.filler)), int64(len(c.request))+c.Upload-c.sent)]
		}
		n, err := unix.Write(c.fd, piece)
		if err == unix.EAGAIN || err == unix.EINTR {
			return
		}
		if err != nil {
			c.broke(&c.result.write)
			return
		}
		c.sent += int64(n)
		c.result.sent += int64(n)
	}
}

// receive reads until the socket is drained. A short read means drained,
// unless the server hung up: then the end has to be read as well.
func (c *conn) receive(hungUp bool) {
	for c.fd >= 0 {
		n, err := unix.Read(c.fd, c.buffer)
		if err == unix.EAGAIN {
			return
		}
		if err != nil || n == 0 {
			c.hungUp(err)
			return
		}
		c.result.bytes += int64(n)
		if !c.take(c.buffer[:n]) || n < len(c.buffer) && !hungUp {
			return
		}
	}
}

// take reads answers out of p and reports whether the connection goes on.
func (c *conn) take(p []byte) bool {
	n, done, err := 0, false, error(nil)
	if c.busy {
		n, done, err = c.answer.feed(p)
	}
	if err != nil || n < len(p) { // malformed, or bytes that nobody asked for
		c.broke(&c.result.read)
		return false
	}
	if done {
		c.answered()
	}
	return true
}

// answered ends the request and begins the next one.
func (c *conn) answered() {
	c.busy = false
	c.ended(c.due, c.answer.status)
	c.spent = c.answer.closes || c.Fresh
	if !c.spent {
		c.begin(c.elapsed())
	}
}

// hungUp acts on the end of the connection, regular or not.
func (c *conn) hungUp(err error) {
	if c.busy && err == nil && c.answer.ends() {
		c.answered()
	}
	if c.busy {
		c.broke(&c.result.read)
		return
	}
	c.shut()
	if c.budget != 0 {
		c.open()
	}
}

// broke gives the connection and the request on it up and counts why.
func (c *conn) broke(why *int64) {
	*why++
	if c.busy {
		c.busy = false
		c.flying--
	}
	c.shut()
	c.failed = c.elapsed()
	c.broken = append(c.broken, c)
}

func (c *conn) shut() {
	if c.fd >= 0 {
		unix.Close(c.fd)
	}
	c.fd, c.up = -1, false
}
