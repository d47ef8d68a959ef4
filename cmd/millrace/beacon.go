package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"millrace/engine/beacon"
	"millrace/engine/config"
)

// runBeacon is the verb "beacon": it announces a service that cannot do so itself, until
// SIGINT or SIGTERM, and returns the exit code: 0, 1 if the secret cannot be read, 2 for
// what cannot be announced.
func runBeacon(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("beacon", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o beacon.AnnouncerOptions
	flags.Func("to", "announce to the receiver at this `host:port`; more than once for several", func(s string) error {
		o.To = append(o.To, s)
		return nil
	})
	flags.StringVar(&o.URL, "advertise", "", "announce this `URL`, scheme://host[:port], where the receivers' side reaches the service; without it, heartbeats only")
	secret := flags.String("secret-file", "", "`file` with the secret: hex: and 32 hexadecimal digits, or 16 bytes or more")
	flags.DurationVar(&o.Interval, "interval", beacon.DefaultInterval, "announce this often, 100ms or longer")
	if code, done := parseFlags(flags, args); done {
		return code
	}
	if *secret == "" || len(o.To) == 0 || o.Interval == 0 {
		fmt.Fprintln(stderr, "beacon: -to and -secret-file are required, and -interval is not 0")
		return 2
	}
	text, err := config.ReadSecret(config.SecretSource{File: *secret})
	if err != nil {
		fmt.Fprintf(stderr, "beacon: %v\n", err)
		return 1
	}
	o.Secret = beacon.Secret(text.Reveal())
	o.Log = slog.New(newLogSwitch(stderr, config.Log{Level: config.LevelInfo, Format: config.FormatJSON}))
	announcer, err := beacon.NewAnnouncer(o)
	if err != nil {
		fmt.Fprintf(stderr, "beacon: %v\n", err)
		return 2
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	fmt.Fprintf(stdout, "announcing %q to %q\n", o.URL, o.To)
	announcer.Run(ctx)
	return 0
}
