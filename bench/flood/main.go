package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options is one run as asked for.
type options struct {
	Millrace, Load string        // paths of the binaries
	Datagrams      int           // a second
	Requests       int           // a second
	Turn           time.Duration // with and without the flood
	Turns          int           // of each
}

// run returns the exit code: 0 normally, 1 when a request failed, a member was lost or nothing
// could be measured, 2 after a mistake on the command line.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("flood", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.Millrace, "millrace", "bin/millrace", "`path` of the proxy")
	flags.StringVar(&o.Load, "load", "bin/load", "`path` of the load generator")
	flags.IntVar(&o.Datagrams, "datagrams", 20000, "forged datagrams a `second`")
	flags.IntVar(&o.Requests, "requests", 1000, "requests a `second`")
	flags.DurationVar(&o.Turn, "turn", 5*time.Second, "`duration` of a turn")
	flags.IntVar(&o.Turns, "turns", 3, "`turns` with and without the flood")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if o.Datagrams < 1 || o.Requests < 1 || o.Turns < 1 || o.Turn < time.Second {
		fmt.Fprintln(stderr, "flood: the numbers are 1 or more, a turn is a second or more")
		return 2
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := measure(ctx, &o, stdout); err != nil {
		fmt.Fprintln(stderr, "flood:", err)
		return 1
	}
	return 0
}

// measure has turns with and without the flood, and writes what came of them.
func measure(ctx context.Context, o *options, w io.Writer) error {
	r, err := newRig(ctx, o)
	if err != nil {
		return err
	}
	defer r.stop()
	fmt.Fprintf(w, "%d requests/s, %d forged datagrams/s, turns of %v\n", o.Requests, o.Datagrams, o.Turn)
	turns := map[where][]turn{}
	for range o.Turns {
		for _, at := range []where{nowhere, elsewhere, here} {
			t, err := r.turn(ctx, at)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%-9s  %v\n", at, t)
			turns[at] = append(turns[at], t)
		}
	}
	for _, q := range quantiles {
		a, b, c := median(turns[nowhere], q), median(turns[elsewhere], q), median(turns[here], q)
		fmt.Fprintf(w, "%-5s  %.0f us quiet, %.0f us flooded elsewhere, %.0f us flooded: x %.2f, x %.2f\n", q, a, b, c, c/a, c/b)
	}
	first, last := turns[nowhere][0].after, turns[here][o.Turns-1].after
	fmt.Fprintf(w, "memory %.1f MB after the first turn, %.1f MB at the end: %+.1f MB\n", megabytes(first), megabytes(last), megabytes(last-first))
	return verdict(slices.Concat(turns[nowhere], turns[elsewhere], turns[here]))
}

// where is where the forged datagrams of a turn go.
type where string

const (
	nowhere   where = "quiet"     // there are none
	elsewhere where = "elsewhere" // to a socket that nobody reads: what the machine has to do for them anyway
	here      where = "flooded"   // to the proxy
)

// verdict is an error if something was lost that a flood must not take.
func verdict(turns []turn) error {
	for _, t := range turns {
		if t.failed > 0 {
			return fmt.Errorf("%d requests failed", t.failed)
		}
		if !t.member {
			return errors.New("the member that announces itself was lost")
		}
	}
	return nil
}

// median is that of one quantile over turns, in microseconds.
func median(turns []turn, quantile string) float64 {
	all := make([]float64, len(turns))
	for i := range turns {
		all[i] = turns[i].latency[quantile]
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
