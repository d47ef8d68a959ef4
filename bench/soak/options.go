package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// options is one run as asked for.
type options struct {
	Duration time.Duration // of the load, all rounds together
	Rounds   int           // each but the first is compared with the first
	Clients  int           // at the same time
	Permits  int           // connections of each side that the proxy is configured for
	Reload   time.Duration // between two changes of the configuration, on average; 0 = none
	Seed     uint64
	Millrace string // path of the binary
}

// parseOptions reads the command line.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.DurationVar(&o.Duration, "duration", 10*time.Minute, "of the load, all rounds together")
	flags.IntVar(&o.Rounds, "rounds", 2, "`rounds` of load and rest; each is compared with the first")
	flags.IntVar(&o.Clients, "clients", 48, "`clients` at the same time")
	flags.IntVar(&o.Permits, "permits", 400, "`connections` of each side that the proxy is configured for")
	flags.DurationVar(&o.Reload, "reload", time.Second, "time between two changes of the configuration, on average; 0 = none")
	flags.Uint64Var(&o.Seed, "seed", 0, "what the behaviour is drawn from; 0 = another one each time")
	flags.StringVar(&o.Millrace, "millrace", "bin/millrace", "`path` of the binary")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("no argument %q", flags.Arg(0))
	case o.Rounds < 2:
		return o, errors.New("-rounds must be 2 at least: there is nothing to compare one with")
	case o.Clients < 1 || o.Duration <= 0 || o.Reload < 0:
		return o, errors.New("-clients and -duration must be above 0, -reload not below")
	case o.Permits < 4*o.Clients:
		return o, errors.New("-permits must be 4 times -clients at least")
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64N(1_000_000) + 1
	}
	return o, nil
}
