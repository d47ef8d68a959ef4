//go:build darwin || freebsd

package netpoll

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// waker makes the poller report once more. It is a pipe: a posted task that posts itself
// again, as work put off may, would run before the poller looks at a socket.
type waker struct{ reading, writing int }

func (w *waker) open(l *Loop, s source) error {
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	w.reading, w.writing = ends[0], ends[1]
	if err := w.register(l, s); err != nil {
		w.close()
		return fmt.Errorf("pipe: %w", err)
	}
	return nil
}

func (w *waker) register(l *Loop, s source) error {
	for _, fd := range []int{w.reading, w.writing} {
		if err := prepare(fd); err != nil {
			return err
		}
	}
	l.own(w.reading, s)
	return l.poller.addRead(w.reading)
}

func (w *waker) wake() {
	var one [1]byte
	_, _ = sysWrite(w.writing, one[:]) // full = it reports anyway
}

func (w *waker) drain() {
	var wakes [16]byte
	_, _ = sysRead(w.reading, wakes[:])
}

func (w *waker) close() {
	closeFD(w.reading)
	closeFD(w.writing)
}
