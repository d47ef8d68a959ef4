package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"millrace/engine/config"
)

// runCheck is the verb "check": it loads a configuration and the files it names, binds
// nothing, and returns 0 if all is well, else 1 after a line for each fault.
func runCheck(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := configFlag(flags)
	if code, done := parseFlags(flags, args); done {
		return code
	}
	c, faults := load(*path)
	for _, fault := range faults {
		fmt.Fprintln(stderr, fault)
	}
	if len(faults) > 0 {
		return 1
	}
	for _, warning := range config.Warnings(c) {
		fmt.Fprintf(stderr, "warning: %v\n", warning)
	}
	fmt.Fprintf(stdout, "%s: ok, %d listeners, %d routes, %d clusters\n", *path, len(c.Listeners), len(c.Routes), len(c.Clusters))
	return 0
}

// configFlag adds the flag that names the configuration file.
func configFlag(flags *flag.FlagSet) *string {
	path := os.Getenv("MILLRACE_CONFIG")
	if path == "" {
		path = "millrace.yaml"
	}
	return flags.String("config", path, "configuration `file`; MILLRACE_CONFIG sets the default")
}

// load reads a configuration and the files it names. It returns every fault there is.
func load(path string) (*config.Config, []error) {
	c, err := config.Load(path)
	if err != nil {
		return nil, faultsOf(err)
	}
	var all []error
	for _, fault := range config.CheckFiles(c) {
		all = append(all, fault)
	}
	return c, all
}

// faultsOf takes an error of config apart.
func faultsOf(err error) []error {
	var many *config.Errors
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}
