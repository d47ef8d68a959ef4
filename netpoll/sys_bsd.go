//go:build darwin || freebsd

package netpoll

import (
	"errors"

	"golang.org/x/sys/unix"
)

// sysRead is read(2). p must not be empty.
func sysRead(fd int, p []byte) (int, unix.Errno) {
	for {
		n, err := unix.Read(fd, p)
		if errno := toErrno(err); errno != unix.EINTR {
			return n, errno
		}
	}
}

// sysWrite is write(2). p must not be empty.
func sysWrite(fd int, p []byte) (int, unix.Errno) {
	for {
		n, err := unix.Write(fd, p)
		if errno := toErrno(err); errno != unix.EINTR {
			return n, errno
		}
	}
}

// sysPeek reads one byte at most, and leaves it where it is.
func sysPeek(fd int) (int, unix.Errno) {
	var b [1]byte
	for {
		n, _, err := unix.Recvfrom(fd, b[:], unix.MSG_PEEK)
		if errno := toErrno(err); errno != unix.EINTR {
			return n, errno
		}
	}
}

// sysWritev writes the parts in order until the socket is full.
func sysWritev(fd int, parts ...[]byte) (int, unix.Errno) {
	total := 0
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		n, errno := sysWrite(fd, p)
		if errno != 0 {
			if total > 0 {
				return total, 0
			}
			return n, errno
		}
		total += n
		if n < len(p) {
			break
		}
	}
	return total, 0
}

func toErrno(err error) unix.Errno {
	var errno unix.Errno
	if err == nil || !errors.As(err, &errno) {
		return 0
	}
	return errno
}

func acceptFD(fd int) (int, unix.Sockaddr, error) {
	n, sa, err := unix.Accept(fd)
	if err != nil {
		return -1, nil, err
	}
	if err := prepare(n); err != nil {
		closeFD(n)
		return -1, nil, err
	}
	return n, sa, nil
}

func newSocket(family int) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	if err := prepare(fd); err != nil {
		closeFD(fd)
		return -1, err
	}
	return fd, nil
}

func prepare(fd int) error {
	unix.CloseOnExec(fd)
	return unix.SetNonblock(fd, true)
}
