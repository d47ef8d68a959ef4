package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"millrace/engine"
	"millrace/engine/admin"
	"millrace/engine/config"
)

// Exit codes of run.
const (
	exitClean       = 0
	exitFailed      = 1
	exitInterrupted = 130 // a second signal
)

// runRun is the verb "run": it runs the proxy until it is told to stop.
func runRun(args []string, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // a log reader that left is no reason to end
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := configFlag(flags)
	demo := flags.Bool("demo", false, "no file: run two echo upstreams and a proxy in front of them")
	if code, done := parseFlags(flags, args); done {
		return code
	}
	if *demo {
		return runDemo(stdout, stderr)
	}
	c, faults := load(*path)
	if c != nil {
		for _, fault := range config.Unbuilt(c) {
			faults = append(faults, fault)
		}
	}
	log := newLog(c, stderr)
	for _, fault := range faults {
		log.Error("configuration rejected", slog.String("error.message", fault.Error()))
	}
	if len(faults) > 0 {
		return exitFailed
	}
	return serve(c, log, func([]string) {})
}

// newLog makes the log that c asks for; without c, the default one.
func newLog(c *config.Config, w io.Writer) *slog.Logger {
	format := config.Log{Level: config.LevelInfo, Format: config.FormatJSON}
	if c != nil {
		format = c.Log
	}
	level := slog.LevelInfo
	_ = level.UnmarshalText([]byte(format.Level)) // a level that config knows
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: utc}
	if format.Format == config.FormatText {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// utc writes the time of a line in UTC.
func utc(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	}
	return a
}

// serve runs an engine and its admin listener until a signal, then drains. started is
// told the addresses once clients are served.
func serve(c *config.Config, log *slog.Logger, started func(addresses []string)) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	if err := engine.Prepare(log); err != nil {
		return failed(log, err)
	}
	e, err := engine.New(engine.Options{Config: c, Log: log})
	if err != nil {
		return failed(log, err)
	}
	b := currentBuild()
	e.Stats().SetBuild(b.Version, b.Go, b.Commit)
	e.Stats().ConfigLoaded(time.Now())
	operators, err := startAdmin(c, e, b, log)
	if err != nil {
		return failed(log, err)
	}
	if err := e.Start(); err != nil {
		return failed(log, err)
	}
	for _, address := range e.Addresses() {
		log.Info("listening", slog.String("address", address))
	}
	started(e.Addresses())
	<-signals
	code := drain(c, e, log, signals)
	if operators != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = operators.Close(ctx) // the process ends either way
	}
	return code
}

func failed(log *slog.Logger, err error) int {
	log.Error("start failed", slog.String("error.message", err.Error()))
	return exitFailed
}

// startAdmin opens the operators' listener, if there is to be one.
func startAdmin(c *config.Config, e *engine.Engine, b build, log *slog.Logger) (*admin.Listener, error) {
	if c.Admin == nil {
		return nil, nil
	}
	l, err := admin.Listen(admin.Options{
		Address: c.Admin.Address.HostPort(),
		State:   e,
		Stats:   e.Stats(),
		Version: admin.Version{Version: b.Version, Go: b.Go, Commit: b.Commit, PID: os.Getpid()},
		Log:     log,
	})
	if err != nil {
		return nil, err
	}
	go func() {
		if err := l.Serve(); err != nil {
			log.Error("admin listener ended", slog.String("error.message", err.Error()))
		}
	}()
	return l, nil
}

// drain finishes what runs within the configured time. Another signal ends it at once.
func drain(c *config.Config, e *engine.Engine, log *slog.Logger, signals <-chan os.Signal) int {
	log.Info("draining", slog.Duration("shutdown_delay", c.ShutdownDelay), slog.Duration("shutdown_timeout", c.ShutdownTimeout))
	e.Unready()
	select {
	case <-time.After(c.ShutdownDelay):
	case <-signals:
		return exitInterrupted
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- e.Drain(ctx) }()
	select {
	case err := <-drained:
		if err != nil {
			log.Warn("shutdown_timeout reached with requests in flight")
		}
		e.Stop()
		return exitClean
	case <-signals:
		return exitInterrupted
	}
}
