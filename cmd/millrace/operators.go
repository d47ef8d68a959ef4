package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"millrace/engine"
	"millrace/engine/admin"
	"millrace/engine/config"
)

// adminPatience is how long requests of operators may take when their listener closes.
const adminPatience = time.Second

// openAdmin opens the operators' listener. Who connects waits until it serves.
func (p *process) openAdmin(c *config.Admin) (*admin.Listener, error) {
	b := currentBuild()
	return admin.Listen(admin.Options{
		Address: c.Address.HostPort(),
		State:   p.engine,
		Stats:   p.engine.Stats(),
		Version: admin.Version{Version: b.Version, Go: b.Go, Commit: b.Commit, PID: os.Getpid()},
		View:    &p.control,
		Control: &p.control,
		Token:   p.control.token,
		Socket:  p.before.takeAdmin(c.Address.HostPort()),
		Before:  p.admin,
		Share:   engine.ShareAddress,
		Log:     p.log,
	})
}

// serveAdmin serves operators.
func (p *process) serveAdmin(l *admin.Listener) {
	if err := l.Serve(); err != nil {
		p.log.Error("admin listener ended", slog.String("error.message", err.Error()))
	}
}

// prepareAdmin opens the listener that a configuration wants, unless it is the one that
// is open.
func (p *process) prepareAdmin(old, next *config.Admin) (undo func(), err error) {
	p.next = p.admin
	if next == nil {
		p.next = nil
	} else if old == nil || old.Address != next.Address {
		if p.next, err = p.openAdmin(next); err != nil {
			p.next = p.admin
			return nil, err
		}
	}
	opened := p.next
	return func() {
		if opened != p.admin {
			p.closeAdmin(opened)
		}
	}, nil
}

// commitAdmin makes the prepared listener current and closes the one before.
func (p *process) commitAdmin() {
	if p.admin == p.next {
		return
	}
	go p.closeAdmin(p.admin) // a reload may have been asked for through it
	p.admin = p.next
	if p.admin != nil {
		go p.serveAdmin(p.admin)
	}
}

func (p *process) closeAdmin(l *admin.Listener) {
	if l == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), adminPatience)
	defer cancel()
	_ = l.Close(ctx) // it is gone either way
}
