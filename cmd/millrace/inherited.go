package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	firstInherited = 3    // descriptor
	mostInherited  = 1024 // sockets; more is a mistake
)

// An inherited socket was opened by the service manager for this process. Which listener it
// belongs to, its address tells.
type inherited struct {
	fd   int
	name string // of the socket unit, or as it says; "unknown" if nobody said
}

// inheritedSockets takes the sockets over that came with the process, by the protocol of
// sd_listen_fds(3), and no child of it gets them again: the descriptors close on exec and
// the environment is cleared of them. The caller owns the descriptors. They may block, and
// may be of any kind.
func inheritedSockets() ([]inherited, error) {
	sockets, err := parseInherited(os.Getenv, os.Getpid())
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"} {
		if unset := os.Unsetenv(name); unset != nil {
			return nil, unset
		}
	}
	if err != nil {
		return nil, err
	}
	for _, s := range sockets {
		if err := s.check(); err != nil {
			return nil, err
		}
		syscall.CloseOnExec(s.fd)
	}
	return sockets, nil
}

// parseInherited reads the environment, through lookup, of the process pid. What is meant
// for another process is no error.
func parseInherited(lookup func(string) string, pid int) ([]inherited, error) {
	if lookup("LISTEN_FDS") == "" || lookup("LISTEN_PID") != strconv.Itoa(pid) {
		return nil, nil
	}
	count, err := strconv.Atoi(lookup("LISTEN_FDS"))
	if err != nil || count < 0 || count > mostInherited {
		return nil, fmt.Errorf("LISTEN_FDS is %q: want a number of at most %d", lookup("LISTEN_FDS"), mostInherited)
	}
	var names []string
	if text := lookup("LISTEN_FDNAMES"); text != "" {
		names = strings.Split(text, ":")
	}
	if names != nil && len(names) != count {
		return nil, fmt.Errorf("LISTEN_FDNAMES has %d names for %d sockets", len(names), count)
	}
	var sockets []inherited
	for i := range count {
		s := inherited{fd: firstInherited + i, name: "unknown"}
		if names != nil {
			s.name = names[i]
		}
		sockets = append(sockets, s)
	}
	return sockets, nil
}

// check returns an error unless the descriptor is an open socket.
func (s inherited) check() error {
	err := checkDescriptor(s.fd, syscall.S_IFSOCK)
	if err != nil {
		return fmt.Errorf("LISTEN_FDS promises descriptor %d: %w", s.fd, err)
	}
	return nil
}

// checkDescriptor returns an error unless the descriptor is open and of that kind.
func checkDescriptor(fd int, kind uint32) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if uint32(st.Mode)&syscall.S_IFMT == kind {
		return nil
	}
	if kind == syscall.S_IFSOCK {
		return errors.New("it is no socket")
	}
	return errors.New("it is no pipe")
}
