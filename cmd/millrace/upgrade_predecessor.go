package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"syscall"

	"millrace/engine"
)

// A predecessor is the process that was in charge before, as its successor sees it.
type predecessor struct {
	link    *link
	sockets int // how many came

	admin   net.Listener // of its operators' listener, until somebody takes it; nil = none
	address string       // of admin in the configuration
}

// findPredecessor returns the process that this one is to take over from, by the environment,
// which no child inherits; nil if there is none.
func findPredecessor() (*predecessor, error) {
	text, ok := os.LookupEnv(upgradeVariable)
	if !ok {
		return nil, nil
	}
	if err := os.Unsetenv(upgradeVariable); err != nil {
		return nil, err
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 0 {
		return nil, fmt.Errorf("%s is %q: want a number of sockets", upgradeVariable, text)
	}
	for fd := linkFrom; fd < firstPassed+count; fd++ {
		want := uint32(syscall.S_IFSOCK)
		if fd < firstPassed {
			want = syscall.S_IFIFO
		}
		if err := checkDescriptor(fd, want); err != nil {
			return nil, fmt.Errorf("%s promises descriptor %d: %w", upgradeVariable, fd, err)
		}
		syscall.CloseOnExec(fd)
	}
	return &predecessor{
		link:    newLink(os.NewFile(linkFrom, "from the process before"), os.NewFile(linkTo, "to the process before")),
		sockets: count,
	}, nil
}

// begin asks for what the predecessor has, and adds it to the options.
func (b *predecessor) begin(o *engine.Options) error {
	if err := b.link.send(&handoverMessage{Step: stepBegin, Version: engine.HandoverVersion}); err != nil {
		return gone(err)
	}
	m, err := b.link.expect(stepState)
	if err != nil {
		return gone(err)
	}
	own := b.sockets
	if m.Admin != "" {
		own--
	}
	if own != len(m.Sockets) {
		return fmt.Errorf("the process before tells of %d sockets, and %d came", len(m.Sockets), own)
	}
	for i := range m.Sockets {
		m.Sockets[i].Descriptor = firstPassed + i
	}
	o.Inherited, o.State = append(o.Inherited, m.Sockets...), m.State
	if m.Admin == "" {
		return nil
	}
	b.address = m.Admin
	b.admin, err = listenerOf(firstPassed + own)
	return err
}

// listenerOf makes a listener of a descriptor, which is its own from then on.
func listenerOf(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "operators' listener")
	defer f.Close()
	return net.FileListener(f)
}

// takeAdmin gives the operators' listener of the predecessor, once, if it is that of the
// address; else nil. b may be nil.
func (b *predecessor) takeAdmin(address string) net.Listener {
	if b == nil || b.admin == nil || b.address != address {
		return nil
	}
	taken := b.admin
	b.admin = nil
	return taken
}

// ready says that clients are served. A predecessor that does not hear it has given up, and
// ends this process, or is no more.
func (b *predecessor) ready() error {
	if b.admin != nil {
		b.admin.Close() // not wanted
		b.admin = nil
	}
	return b.link.send(&handoverMessage{Step: stepReady})
}

// await returns once the predecessor has left everything to this process, or the error of its
// end without a word.
func (b *predecessor) await() error {
	defer b.link.close()
	_, err := b.link.expect(stepGo)
	return gone(err)
}

// takeOver waits until the process is in charge.
func (p *process) takeOver() {
	if err := p.before.await(); err != nil {
		p.log.Warn("took over from a process that is no more", slog.String("error.message", err.Error()))
		return
	}
	p.engine.TakeOver()
	p.log.Info("took over", slog.Int("sockets", p.before.sockets))
}

// gone explains the end of the pipes.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		return errors.New("the process before has given up")
	}
	return err
}
