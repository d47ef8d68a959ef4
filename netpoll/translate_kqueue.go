//go:build darwin || freebsd

package netpoll

import (
	gnet "github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// translate turns a kqueue report into readiness.
func translate(ev gnet.IOEvent, flags gnet.IOFlags) readiness {
	var r readiness
	switch ev {
	case unix.EVFILT_READ:
		r = readReady | readSplit // there may be urgent data, which is not reported
		if flags&unix.EV_EOF != 0 {
			r |= readClosed
		}
	case unix.EVFILT_WRITE:
		r = writeReady
		if flags&unix.EV_EOF != 0 {
			r |= readReady | socketBroke
		}
	}
	if flags&unix.EV_ERROR != 0 {
		r |= readReady | writeReady | socketBroke
	}
	return r
}
