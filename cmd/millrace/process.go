package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"millrace/engine"
	"millrace/engine/admin"
	"millrace/engine/config"
)

// A process is a running proxy: the engine, the operators' listener, the log, and the
// file that they were made from.
type process struct {
	reloader // path is empty if there is no file

	config *config.Config // current; guarded by reloader.mu once running
	logs   *logSwitch
	watch  *watcher        // of the file; nil = none
	admin  *admin.Listener // nil = none
	next   *admin.Listener // prepared by a reload, not current yet

	before   *predecessor // whose place this process takes; nil = none
	upgrades *upgrader    // to the process that takes this one's place

	control control // what operators see and do
}

// run serves until a signal, then drains, and returns the exit code. started is called
// once clients are served.
func (p *process) run(started func()) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	reloads := make(chan os.Signal, 1)
	signal.Notify(reloads, syscall.SIGHUP)
	rotated := make(chan os.Signal, 1)
	signal.Notify(rotated, syscall.SIGUSR1)
	upgrades := make(chan os.Signal, 1)
	signal.Notify(upgrades, syscall.SIGUSR2)
	p.log = slog.New(p.logs)
	p.manager = newNotifier(os.Getenv, os.Getpid(), p.log)
	p.upgrades = newUpgrader(p)
	if err := p.start(); err != nil {
		p.log.Error("start failed", slog.String("error.message", err.Error()))
		return exitFailed
	}
	for _, address := range p.engine.Addresses() {
		p.log.Info("listening", slog.String("address", address))
	}
	started()
	stop := make(chan struct{})
	defer close(stop)
	if p.before == nil {
		p.serving(stop)
	} else {
		_ = p.before.ready() // takeOver finds out why not
		go func() {
			p.takeOver()
			p.serving(stop)
		}()
	}
	go p.follow(reloads, stop)
	go p.rotate(rotated, stop)
	go p.upgrades.follow(upgrades, stop)
	if p.watch != nil {
		go p.watch.run(stop, func() { _, _ = p.Reload(false) }) // it has logged its errors
	}
	return p.wait(signals)
}

// serving tells the service manager that clients are served, until stop is closed.
func (p *process) serving(stop <-chan struct{}) {
	p.manager.ready("serving")
	go p.manager.feed(stop, func() bool { return p.engine.Alive(aliveLimit) })
}

// wait returns the exit code when the process is told to stop, or another one took its place.
func (p *process) wait(signals <-chan os.Signal) int {
	for {
		select {
		case <-signals:
			p.upgrades.abort()
			return p.drain(signals)
		case o := <-p.upgrades.offers:
			err := p.giveWay(o.successor)
			o.taken <- err
			if err == nil {
				return p.leave(signals)
			}
		}
	}
}

// aliveLimit is how long a loop may take for a turn before it counts as stuck.
const aliveLimit = time.Second

// start makes the engine and the operators' listener.
func (p *process) start() error {
	if err := engine.Prepare(p.log); err != nil {
		return err
	}
	sockets, err := inheritedSockets()
	if err != nil {
		return err
	}
	options := engine.Options{Config: p.config, Log: p.log}
	for _, s := range sockets {
		options.Inherited = append(options.Inherited, engine.PassedSocket{Descriptor: s.fd})
	}
	if p.before, err = findPredecessor(); err != nil {
		return err
	}
	if p.before != nil {
		if err := p.before.begin(&options); err != nil {
			return err
		}
	}
	e, err := engine.New(options)
	if err != nil {
		return err
	}
	p.engine = e
	if err := p.open(); err != nil {
		e.Stop()
		return err
	}
	return nil
}

// open serves operators and clients.
func (p *process) open() error {
	e := p.engine
	b := currentBuild()
	e.Stats().SetBuild(b.Version, b.Go, b.Commit)
	e.Stats().ConfigLoaded(time.Now())
	p.reloader.prepare, p.reloader.commit = p.prepare, p.commit
	p.control.process = p
	if err := p.control.use(p.config); err != nil {
		return err
	}
	if _, err := p.prepareAdmin(nil, p.config.Admin); err != nil {
		return err
	}
	if err := e.Start(); err != nil {
		return err
	}
	p.commitAdmin()
	return nil
}

// rotate opens log files again when it is asked to, until stop is closed.
func (p *process) rotate(rotated <-chan os.Signal, stop <-chan struct{}) {
	for {
		select {
		case <-rotated:
			_ = p.engine.ReopenLogs() // it has logged its error
		case <-stop:
			return
		}
	}
}

// follow reloads when it is asked to, until stop is closed.
func (p *process) follow(reloads <-chan os.Signal, stop <-chan struct{}) {
	for {
		select {
		case <-reloads:
			if p.path == "" {
				p.log.Info("there is no configuration file to reload")
				continue
			}
			_, _ = p.Reload(true) // it has logged its errors
		case <-stop:
			return
		}
	}
}

// prepare opens what c wants beside the engine.
func (p *process) prepare(c *config.Config) (undo func(), err error) {
	return p.prepareAdmin(p.config.Admin, c.Admin)
}

// commit makes what was prepared current.
func (p *process) commit(c *config.Config) {
	p.commitAdmin()
	if c.Log != p.config.Log {
		p.logs.set(c.Log)
	}
	p.config = c
}

// drain finishes what runs within the configured time. Another signal ends it at once.
func (p *process) drain(signals <-chan os.Signal) int {
	p.engine.Unready() // no reload from here on; one that stands still is not waited for
	c := p.control.config.Load()
	p.manager.stopping(c.ShutdownDelay + c.ShutdownTimeout)
	p.log.Info("draining", slog.Duration("shutdown_delay", c.ShutdownDelay), slog.Duration("shutdown_timeout", c.ShutdownTimeout))
	select {
	case <-time.After(c.ShutdownDelay):
	case <-signals:
		return exitInterrupted
	}
	return p.finish(c.ShutdownTimeout, signals)
}

// finish ends what runs, within limit.
func (p *process) finish(limit time.Duration, signals <-chan os.Signal) int {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- p.engine.Drain(ctx) }()
	select {
	case err := <-drained:
		if err != nil {
			p.log.Warn("shutdown_timeout reached with requests in flight")
		}
		p.engine.Stop()
		if p.mu.TryLock() {
			p.closeAdmin(p.admin)
			p.mu.Unlock()
		}
		return exitClean
	case <-signals:
		return exitInterrupted
	}
}
