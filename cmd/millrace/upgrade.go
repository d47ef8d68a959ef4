package main

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"millrace/engine"
)

// upgradeLimit is how long a successor may take until it serves clients.
const upgradeLimit = 30 * time.Second

var (
	errEnding      = errors.New("the process is ending")
	errProcessOne  = errors.New("this is process 1, whose end ends everything beside it: start the new version in a place of its own instead")
	errUnderWay    = errors.New("another one is under way")
	errOtherOutfit = errors.New("the new program hands over in another way: it needs a restart")
)

// An upgrader has another process take over: the program as it is on disk by then, with this
// one's arguments, listening sockets and state. Until that one serves, this one goes on as
// ever, and for good if it does not come to that.
type upgrader struct {
	process *process
	program string        // path
	limit   time.Duration // for a successor, until it serves clients
	offers  chan offer    // to whoever ends the process

	mu      sync.Mutex // guards the rest
	pending *successor // nil = none
	ending  bool       // there will be no successor
}

// An offer is a successor that serves clients.
type offer struct {
	*successor
	taken chan error // what became of it: nil, or this process goes on
}

func newUpgrader(p *process) *upgrader {
	u := &upgrader{process: p, limit: upgradeLimit, offers: make(chan offer)}
	var err error
	if u.program, err = programPath(os.Args[0]); err != nil {
		u.program = os.Args[0] // to fail when it is needed
	}
	return u
}

// follow upgrades when it is asked to, until stop is closed. What is asked for while that
// is under way is not kept.
func (u *upgrader) follow(asked <-chan os.Signal, stop <-chan struct{}) {
	ended := make(chan struct{}, 1)
	underWay := false
	for {
		select {
		case <-asked:
			if underWay {
				u.log().Warn("upgrade ignored", slog.String("error.message", errUnderWay.Error()))
				continue
			}
			underWay = true
			go func() {
				u.upgrade(os.Getpid())
				ended <- struct{}{}
			}()
		case <-ended:
			underWay = false
		case <-stop:
			return
		}
	}
}

func (u *upgrader) log() *slog.Logger { return u.process.log }

// upgrade has a successor take over from the process pid, which is this one. No configuration
// is loaded meanwhile, and none behind a successor any more.
func (u *upgrader) upgrade(pid int) {
	if pid == 1 {
		u.log().Error("upgrade refused", slog.String("error.message", errProcessOne.Error()))
		return
	}
	u.process.mu.Lock()
	u.process.control.freeze(true)
	if err := u.succeed(); err != nil {
		u.process.engine.Resume()
		u.process.control.freeze(false)
		u.process.mu.Unlock()
		u.log().Error("upgrade failed", slog.String("error.message", err.Error()))
	}
}

// succeed returns when a successor has taken over, or why none has.
func (u *upgrader) succeed() error {
	sockets, err := u.process.engine.PassSockets()
	if err != nil {
		return err
	}
	defer func() { engine.ClosePassed(sockets) }()
	m := &handoverMessage{Step: stepState, Sockets: sockets}
	var descriptors []int
	if m.Admin, sockets, err = u.process.passAdmin(sockets); err != nil {
		return err
	}
	for _, s := range sockets {
		descriptors = append(descriptors, s.Descriptor)
	}
	s, err := u.start(descriptors)
	if err != nil {
		return err
	}
	defer s.link.close()
	if err = u.prepare(s, m); err == nil {
		err = u.offer(s)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending = nil
	if err != nil {
		s.end()
		if u.ending {
			err = errEnding
		}
	}
	return err
}

// start runs the successor.
func (u *upgrader) start(sockets []int) (*successor, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ending {
		return nil, errEnding
	}
	s, err := startSuccessor(u.program, sockets)
	if err != nil {
		return nil, err
	}
	s.limit = u.limit
	u.log().Info("upgrade started", slog.String("program", u.program), slog.Int("successor.pid", s.process.Pid))
	u.pending = s
	return s, nil
}

// prepare goes through the steps until the successor serves. What this process knows it is
// told as late as can be.
func (u *upgrader) prepare(s *successor, m *handoverMessage) error {
	if err := s.link.within(s.limit); err != nil {
		return err
	}
	begin, err := s.link.expect(stepBegin)
	if err != nil {
		return s.explain(err)
	}
	if begin.Version != engine.HandoverVersion {
		return errOtherOutfit
	}
	if m.State, err = u.process.engine.ExportState(); err != nil {
		return err
	}
	if err := s.link.send(m); err != nil {
		return s.explain(err)
	}
	if _, err := s.link.expect(stepReady); err != nil {
		return s.explain(err)
	}
	s.ready.Store(true)
	return nil
}

// offer waits until whoever ends the process has taken the successor, or has not.
func (u *upgrader) offer(s *successor) error {
	o := offer{s, make(chan error, 1)}
	select {
	case u.offers <- o:
		return <-o.taken
	case <-s.ended:
		return s.alive()
	}
}

// abort gives up an upgrade that is under way, since the process ends, and lets none begin.
func (u *upgrader) abort() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ending = true
	if u.pending != nil {
		u.pending.end()
	}
}
