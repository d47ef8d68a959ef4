package netpoll

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestTranslateEpoll(t *testing.T) {
	f := func(ev uint32, want readiness) {
		t.Helper()
		if got := translate(ev, 0); got != want {
			t.Errorf("translate(%#x) = %06b, want %06b", ev, got, want)
		}
	}
	f(0, 0)
	f(unix.EPOLLIN, readReady)
	f(unix.EPOLLPRI, readReady|readSplit)
	f(unix.EPOLLOUT, writeReady)
	f(unix.EPOLLIN|unix.EPOLLOUT, readReady|writeReady)
	f(unix.EPOLLIN|unix.EPOLLRDHUP, readReady|readClosed)
	f(unix.EPOLLRDHUP, readReady|readClosed)
	f(unix.EPOLLERR, readReady|readClosed|writeReady|socketBroke)
	f(unix.EPOLLHUP, readReady|readClosed|writeReady|socketBroke)
}
