package netpoll

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dup is another handle to the listener's socket, for another process: the socket lives, and
// what is queued on it waits, until the last handle is closed. It fails once n is closed.
func (n *Listener) Dup() (*Socket, error) {
	return (&Socket{fd: n.fd, addr: n.addr}).Dup()
}

// Descriptor is the number under which s is open in this process. It remains with s, closes on
// exec, and does not block.
func (s *Socket) Descriptor() int { return s.fd }

// DupDescriptor is another handle to a socket of the Go runtime. It closes on exec; whether it
// blocks, which handles have in common, is as before. The caller owns it.
func DupDescriptor(c syscall.RawConn) (int, error) {
	var fd int
	var failed error
	err := c.Control(func(own uintptr) { fd, failed = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return -1, fmt.Errorf("cannot duplicate a socket: %w", err)
	}
	return fd, nil
}
