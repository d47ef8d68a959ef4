package netpoll

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ticker is a timerfd in the loop's own poller.
type ticker struct{ fd int }

func (t *ticker) open(l *Loop, s source) error {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("timerfd: %w", err)
	}
	t.fd = fd
	l.own(fd, s)
	if err := l.poller.addRead(fd); err != nil {
		closeFD(fd)
		return fmt.Errorf("timerfd: %w", err)
	}
	return nil
}

// arm reports once in ns nanoseconds, instead of any earlier arm.
func (t *ticker) arm(ns int64) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(ns, 1))}
	if err := unix.TimerfdSettime(t.fd, 0, &spec, nil); err != nil {
		panic("BUG: timerfd_settime: " + err.Error())
	}
}

func (t *ticker) drain() {
	var expirations [8]byte
	_, _ = sysRead(t.fd, expirations[:])
}

func (t *ticker) close() { closeFD(t.fd) }
