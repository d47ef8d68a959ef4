package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// upgradeVariable tells a process in its environment that it follows another one: how many
// sockets came with it. Descriptors are its own business.
const upgradeVariable = "MILLRACE_UPGRADE"

// Descriptors of a successor.
const (
	linkFrom    = 3
	linkTo      = 4
	firstPassed = 5
)

// A successor is the process that takes over, as the one before sees it.
type successor struct {
	link    *link
	limit   time.Duration // until it is ready
	process *os.Process
	ready   atomic.Bool   // it serves clients
	ended   chan struct{} // closed when the process is no more
	how     string        // it ended; set before ended is closed
}

// startSuccessor runs the program anew, with the arguments of this process and these sockets.
func startSuccessor(program string, sockets []int) (*successor, error) {
	own, other, err := newLinks()
	if err != nil {
		return nil, err
	}
	defer other.close()
	// Descriptors go as they are: an os.File for a socket would make it block, here as well.
	files := []uintptr{0, 1, 2, other.from.Fd(), other.to.Fd()}
	for _, fd := range sockets {
		files = append(files, uintptr(fd))
	}
	pid, err := syscall.ForkExec(program, os.Args, &syscall.ProcAttr{
		Env:   successorEnvironment(os.Environ(), len(sockets)),
		Files: files,
	})
	if err != nil {
		own.close()
		return nil, fmt.Errorf("cannot start %s: %w", program, err)
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		own.close()
		return nil, err
	}
	s := &successor{link: own, process: process, ended: make(chan struct{})}
	go s.await()
	return s, nil
}

// await notes how the process ends.
func (s *successor) await() {
	defer close(s.ended)
	state, err := s.process.Wait()
	if err != nil {
		s.how = err.Error()
		return
	}
	s.how = state.String()
}

// alive returns an error once the process has ended.
func (s *successor) alive() error {
	select {
	case <-s.ended:
		return fmt.Errorf("it ended: %s", s.how)
	default:
		return nil
	}
}

// end has the process end without taking over: at once, or in its own time if clients have
// reached it already.
func (s *successor) end() {
	if s.ready.Load() {
		_ = s.process.Signal(syscall.SIGTERM) // it fails when the process is no more
	} else {
		_ = s.process.Kill()
	}
}

// explain tells why a step failed with err: a process that ended is the better reason.
func (s *successor) explain(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it was not ready within %v", s.limit)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	select {
	case <-s.ended:
		return s.alive()
	case <-time.After(time.Second): // it closed the pipes, and goes on
		return errors.New("it does not want to take over")
	}
}

// successorEnvironment is the environment of a process that gets so many sockets: that of
// this one, without what the service manager said to this one alone.
func successorEnvironment(own []string, sockets int) []string {
	var env []string
	for _, line := range own {
		name, _, _ := strings.Cut(line, "=")
		switch {
		case name == upgradeVariable, name == "WATCHDOG_PID", strings.HasPrefix(name, "LISTEN_"):
		default:
			env = append(env, line)
		}
	}
	return append(env, upgradeVariable+"="+strconv.Itoa(sockets))
}

// programPath is where the program with that name was found when it was started. A symbolic
// link stays one, so that a successor is what it leads to by then.
func programPath(name string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return own, nil
	}
	if found, err = filepath.Abs(found); err != nil {
		return own, nil
	}
	a, errA := os.Stat(found)
	b, errB := os.Stat(own)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return own, nil // the name was the caller's invention
	}
	return found, nil
}
