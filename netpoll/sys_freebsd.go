package netpoll

import "golang.org/x/sys/unix"

// keepAliveIdle sets after how many seconds of silence TCP probes the other side.
func keepAliveIdle(fd, seconds int) error {
	return unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds)
}

// balance is how a kernel is asked to spread connections over sockets of one address.
const balance = unix.SO_REUSEPORT_LB
