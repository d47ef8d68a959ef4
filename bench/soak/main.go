package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdout))
}

// run returns the exit code: 0 when all went well, 1 after any violation, 2 after a
// mistake on the command line.
func run(ctx context.Context, args []string, out io.Writer) int {
	o, err := parseOptions(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(out, "soak:", err)
		return 2
	}
	fmt.Fprintf(out, "soak: seed %d, %d clients, %d rounds in %v\n", o.Seed, o.Clients, o.Rounds, o.Duration)
	v := &verdict{out: out}
	r, err := startRig(o)
	if err == nil {
		err = (&soak{o, r, v, newCrowd(&r.place, v, o.Seed), out}).rounds(ctx)
	}
	log := r.stop()
	if err != nil {
		v.violated("%v", err)
	}
	for _, word := range []string{"panic:", "fatal error:", "BUG"} {
		if strings.Contains(log, word) {
			v.violated("the proxy wrote %q", word)
		}
	}
	if n := v.violations(); n > 0 {
		fmt.Fprintf(out, "soak: FAILED: %d violations with seed %d. The proxy's log ends:\n%s", n, o.Seed, tail(log, 30))
		return 1
	}
	fmt.Fprintln(out, "soak: passed")
	return 0
}

// tail returns the last n lines of text.
func tail(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
