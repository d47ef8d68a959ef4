package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// version and commit are written by the linker (see the Makefile). They are
// the one exception to "no package variables": the linker can reach nothing else.
var version, commit string

// A build says what a binary was made from.
type build struct {
	Version string `json:"version"` // from git describe, "devel" when unknown
	Go      string `json:"go"`      // toolchain, as "go1.26.0"
	Commit  string `json:"commit"`  // full hash, "unknown" when built outside of git
}

// currentBuild returns what this binary was made from. Without the linker's
// help (go install, go test) it asks the build information of the toolchain.
func currentBuild() build {
	b := build{Version: version, Go: runtime.Version(), Commit: commit}
	if b.Commit == "" {
		b.Commit = stampedRevision()
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}

// stampedRevision returns the revision that the go command put into the
// binary, or "unknown".
func stampedRevision() string {
	stamp, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range stamp.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "unknown"
}

// runVersion is the verb "version": it prints what this binary is and returns
// the exit code.
func runVersion(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("version", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print one JSON object")
	if code, done := parseFlags(flags, args); done {
		return code
	}
	b := currentBuild()
	if *asJSON {
		json.NewEncoder(stdout).Encode(b)
		return 0
	}
	fmt.Fprintf(stdout, "millrace %s (%s, commit %s)\n", b.Version, b.Go, b.Commit)
	return 0
}

// parseFlags parses the arguments of a verb that takes flags only. When done
// is true the verb ends with code: 0 after -h, 2 after a mistake, which the
// flag set has explained.
func parseFlags(flags *flag.FlagSet, args []string) (code int, done bool) {
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0, true
	case err != nil:
		return 2, true
	case flags.NArg() > 0:
		fmt.Fprintf(flags.Output(), "%s takes no argument %q\n", flags.Name(), flags.Arg(0))
		return 2, true
	}
	return 0, false
}
