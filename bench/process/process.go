package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// stopLimit is how long a program may take to end before it is killed.
const stopLimit = 3 * time.Second

// A Process is a running program. Stop must be called.
type Process struct {
	Pid    int
	log    string
	limit  time.Duration // from Stop to a kill
	cmd    *exec.Cmd
	exited chan struct{}
}

// Start runs a program in the folder dir, which also takes its output, as
// NAME.log.
func Start(dir, name string, args ...string) (*Process, error) {
	p := &Process{log: filepath.Join(dir, filepath.Base(name)+".log"), limit: stopLimit, exited: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(name, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.Pid = p.cmd.Process.Pid
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Listening waits until something accepts connections on addr. The error of a
// program that ended instead shows what it wrote.
func (p *Process) Listening(addr string, within time.Duration) error {
	for end := time.Now().Add(within); time.Now().Before(end); {
		if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			conn.Close()
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended: %s", p.cmd.Path, p.Output())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not listen on %s: %s", p.cmd.Path, addr, p.Output())
}

// Output returns what the program has written so far.
func (p *Process) Output() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Stop ends the program with SIGTERM and returns when it is gone. A program
// that does not obey is killed.
func (p *Process) Stop() { p.StopWith(syscall.SIGTERM) }

// StopWith is Stop with another signal.
func (p *Process) StopWith(signal os.Signal) {
	if err := p.cmd.Process.Signal(signal); errors.Is(err, os.ErrProcessDone) {
		return
	}
	select {
	case <-p.exited:
	case <-time.After(p.limit):
		p.cmd.Process.Kill()
		<-p.exited
	}
}

// FreePort returns a loopback address with a port that nothing listens on.
func FreePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
