package netpoll

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// waker makes the poller report once more. It is an eventfd registered edge-triggered:
// each write is an edge, so the counter is never read.
type waker struct{ fd int }

func (w *waker) open(l *Loop, s source) error {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	w.fd = fd
	l.own(fd, s)
	if err := l.poller.addRead(fd); err != nil {
		closeFD(fd)
		return fmt.Errorf("eventfd: %w", err)
	}
	return nil
}

func (w *waker) wake() {
	one := [8]byte{7: 0, 0: 1}
	if _, errno := sysWrite(w.fd, one[:]); errno == unix.EAGAIN {
		var drained [8]byte // the counter is full after 2^64 wakes
		_, _ = sysRead(w.fd, drained[:])
		_, _ = sysWrite(w.fd, one[:])
	}
}

func (w *waker) drain() {}

func (w *waker) close() { closeFD(w.fd) }
