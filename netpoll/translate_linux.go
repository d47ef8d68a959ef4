package netpoll

import (
	gnet "github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// translate turns an epoll report into readiness.
func translate(ev gnet.IOEvent, _ gnet.IOFlags) readiness {
	var r readiness
	if ev&unix.EPOLLIN != 0 {
		r = readReady
	}
	if ev&unix.EPOLLPRI != 0 {
		r |= readReady | readSplit // no read goes past urgent data
	}
	if ev&unix.EPOLLOUT != 0 {
		r |= writeReady
	}
	if ev&(unix.EPOLLRDHUP|unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		r |= readReady | readClosed
		if ev&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
			r |= writeReady | socketBroke
		}
	}
	return r
}
