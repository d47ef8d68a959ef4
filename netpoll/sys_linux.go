package netpoll

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls of the hot path are raw: on a non-blocking descriptor they return at
// once, so telling the Go scheduler about them would cost more than it could gain.

// sysRead is read(2). p must not be empty.
func sysRead(fd int, p []byte) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// sysWrite is write(2). p must not be empty.
func sysWrite(fd int, p []byte) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// sysPeek reads one byte at most, and leaves it where it is.
func sysPeek(fd int) (int, unix.Errno) {
	var b [1]byte
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), 1, unix.MSG_PEEK, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// sysWritev is writev(2) of the parts that are not empty, at least one of which is not.
func sysWritev(fd int, parts ...[]byte) (int, unix.Errno) {
	var iov [maxParts]unix.Iovec
	k := 0
	for _, p := range parts {
		if len(p) > 0 {
			iov[k].Base = &p[0]
			iov[k].SetLen(len(p))
			k++
		}
	}
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&iov[0])), uintptr(k))
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

func acceptFD(fd int) (int, unix.Sockaddr, error) {
	return unix.Accept4(fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
}

func newSocket(family int) (int, error) {
	return unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
}

// keepAliveIdle sets after how many seconds of silence TCP probes the other side.
func keepAliveIdle(fd, seconds int) error {
	return unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds)
}

// balance is how a kernel is asked to spread connections over sockets of one address.
const balance = unix.SO_REUSEPORT
