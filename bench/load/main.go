package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0 normally, 1 when nothing but errors came, 2
// after a mistake on the command line.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "load:", err)
		return 2
	}
	r, err := generate(&o)
	if err != nil {
		fmt.Fprintln(stderr, "load:", err)
		return 1
	}
	if o.JSON {
		err = r.writeJSON(stdout)
	} else {
		r.writeText(stdout, &o)
	}
	if err != nil || r.requests == 0 && r.failures() > 0 {
		return 1
	}
	return 0
}
