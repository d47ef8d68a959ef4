package main

import (
	"log/slog"
	"os"

	"millrace/engine"
)

// passAdmin adds the socket of the operators' listener to those that a successor gets, and
// gives the address that it has in the configuration; empty = there is none.
func (p *process) passAdmin(sockets []engine.PassedSocket) (string, []engine.PassedSocket, error) {
	if p.admin == nil {
		return "", sockets, nil
	}
	raw, err := p.admin.SyscallConn()
	if err != nil {
		return "", sockets, err
	}
	fd, err := engine.PassAddress(raw)
	if err != nil {
		return "", sockets, err
	}
	return p.config.Admin.Address.HostPort(), append(sockets, engine.PassedSocket{Descriptor: fd}), nil
}

// giveWay makes a successor that serves clients the one that is in charge. With an error this
// process still is.
func (p *process) giveWay(s *successor) error {
	if err := s.alive(); err != nil {
		return err
	}
	if err := s.link.within(s.limit); err != nil {
		return err
	}
	p.manager.passOn(s.process.Pid)
	if err := s.link.send(&handoverMessage{Step: stepGo}); err != nil {
		p.manager.passOn(os.Getpid())
		return s.explain(err)
	}
	p.manager.silence()
	p.log.Info("handed over", slog.Int("successor.pid", s.process.Pid))
	return nil
}

// leave finishes what runs behind a successor that is in charge, and returns the exit code.
// Clients and operators that come are the successor's. Operators are let go before the process
// says that it drains, so that none of them hears it.
func (p *process) leave(signals <-chan os.Signal) int {
	p.closeAdmin(p.admin)
	p.engine.HandOver()
	limit := p.control.config.Load().ShutdownTimeout
	p.log.Info("draining", slog.Duration("shutdown_timeout", limit))
	return p.finish(limit, p.behind(signals))
}

// behind passes on all signals but the first, which asks for what is under way already.
func (p *process) behind(signals <-chan os.Signal) <-chan os.Signal {
	next := make(chan os.Signal, 1)
	go func() {
		<-signals
		p.log.Info("draining already; another signal ends the process at once")
		next <- <-signals
	}()
	return next
}
