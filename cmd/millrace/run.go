package main

import (
	"crypto/sha256"
	"flag"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

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
	watch := newWatcher(*path)
	text, c, err := loadToRun(*path)
	if err != nil {
		log := slog.New(newLogSwitch(stderr, config.Log{Level: config.LevelInfo}))
		for _, fault := range faultsOf(err) {
			log.Error("configuration rejected", slog.String("error.message", fault.Error()))
		}
		return exitFailed
	}
	p := &process{
		reloader: reloader{path: *path, seen: sha256.Sum256(text), good: true},
		watch:    watch,
		config:   c,
		logs:     newQueuedLog(stderr, c.Log),
	}
	defer p.logs.flush()
	return p.run(func() {})
}

func loadToRun(path string) ([]byte, *config.Config, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, nil, err
	}
	c, err := validate(path, text)
	return text, c, err
}
