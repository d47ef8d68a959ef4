package netpoll

import (
	"errors"

	"golang.org/x/sys/unix"
)

// maxParts is the most parts that one gathered write takes.
const maxParts = 16

// closeFD closes a descriptor. Its result says nothing that could be acted on: the
// descriptor is gone either way.
func closeFD(fd int) { _ = unix.Close(fd) }

// isShortage reports whether err says that this process or machine ran out of
// descriptors, ports or memory, which is never the other side's fault.
func isShortage(err error) bool {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.EADDRNOTAVAIL:
		return true
	}
	return false
}

// isStillborn reports whether err, from an accept, is about the one connection that was
// next, which is gone. Linux also gives its pending network errors this way.
func isStillborn(err error) bool {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case unix.EINTR, unix.ECONNABORTED, unix.ECONNRESET, unix.EPROTO, unix.EPERM, unix.ENOPROTOOPT,
		unix.ENETDOWN, unix.ENETUNREACH, unix.EHOSTDOWN, unix.EHOSTUNREACH, unix.ETIMEDOUT:
		return true
	}
	return false
}
