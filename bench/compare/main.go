package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"millrace/bench/proxy"
)

// options is the command line.
type options struct {
	Modes    []string
	Proxies  []string // installed ones, in the order of their turns
	Turns    int
	Duration time.Duration // of one turn
	Warmup   time.Duration // of each proxy, once a mode
	Requests int           // of the modes that count per request
	Idle     int           // connections of mode idle
	Millrace string        // binaries
	Load     string
	Out      string // folder for results; "" = none
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdout))
}

// run returns the exit code: 0 when every mode was measured without errors,
// 1 when not, 2 after a mistake on the command line.
func run(ctx context.Context, args []string, stdout io.Writer) int {
	o, err := parseOptions(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stdout, "compare:", err)
		return 2
	}
	rep := newReport(o, stdout)
	for _, name := range o.Modes {
		if err := modes[name].run(ctx, o, rep); err != nil {
			fmt.Fprintf(stdout, "compare: %s: %v\n", name, err)
			return 1
		}
	}
	if err := rep.write(o.Out); err != nil {
		fmt.Fprintln(stdout, "compare:", err)
		return 1
	}
	return 0
}

func parseOptions(args []string, stdout io.Writer) (*options, error) {
	o := &options{Proxies: []string{"nginx", "haproxy", "haproxy-splice", "millrace"}}
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stdout)
	flags.Usage = func() {
		fmt.Fprintf(stdout, "compare [FLAGS] MODE...\n\nModes:\n%s\nFlags:\n", describeModes())
		flags.PrintDefaults()
	}
	flags.Func("proxies", "comma-separated `names` (default nginx,haproxy,haproxy-splice,millrace)", func(s string) error {
		o.Proxies = strings.Split(s, ",")
		return nil
	})
	flags.IntVar(&o.Turns, "turns", 7, "paired turns of each proxy")
	flags.DurationVar(&o.Duration, "duration", 4*time.Second, "of one turn")
	flags.DurationVar(&o.Warmup, "warmup", time.Second, "load before the first turn")
	flags.IntVar(&o.Requests, "requests", 1_000_000, "in the modes that count per request; syscalls takes a fiftieth")
	flags.IntVar(&o.Idle, "idle", 8000, "connections in mode idle")
	flags.StringVar(&o.Millrace, "millrace", beside("millrace"), "`path` of the binary")
	flags.StringVar(&o.Load, "load", beside("load"), "`path` of the load generator")
	flags.StringVar(&o.Out, "out", "bench/results", "`folder` for the results; empty = none")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.Modes = flags.Args()
	return o, o.complete(stdout)
}

// complete checks the options and drops the proxies that are not installed.
func (o *options) complete(stdout io.Writer) error {
	if len(o.Modes) == 0 || o.Turns < 1 || o.Requests < 1 || o.Idle < 1 || o.Duration <= 0 {
		return errors.New("want a mode, and -turns, -requests, -idle and -duration above 0; -h lists the modes")
	}
	for _, name := range o.Modes {
		if _, ok := modes[name]; !ok {
			return fmt.Errorf("no mode is called %q; -h lists them", name)
		}
	}
	if _, err := exec.LookPath(o.Load); err != nil {
		return fmt.Errorf("the load generator: %w", err)
	}
	o.Proxies = slices.DeleteFunc(o.Proxies, func(name string) bool {
		_, err := proxy.Version(name, proxy.Options{Millrace: o.Millrace})
		if err != nil {
			fmt.Fprintf(stdout, "%s is left out: %v\n", name, err)
		}
		return err != nil
	})
	if len(o.Proxies) == 0 {
		return errors.New("no proxy is left")
	}
	return nil
}

// beside returns the path of a program in this program's folder.
func beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}
