package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"millrace/engine/config"
)

// Exit codes of doctor.
const (
	doctorHealthy    = 0 // no finding at level error
	doctorUnhealthy  = 1
	doctorUnreadable = 2 // the file does not load
)

// runDoctor is the verb "doctor": it tells what a configuration does against good
// practice, and returns the exit code. Files that the configuration names are not read.
func runDoctor(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := configFlag(flags)
	asJSON := flags.Bool("json", false, "print a JSON array of findings")
	if code, done := parseFlags(flags, args); done {
		return code
	}
	c, err := config.Load(*path)
	if err != nil {
		for _, fault := range faultsOf(err) {
			fmt.Fprintln(stderr, fault)
		}
		return doctorUnreadable
	}
	findings := config.Doctor(c)
	if *asJSON {
		writeFindings(stdout, findings)
	} else {
		tellFindings(stdout, *path, findings)
	}
	for _, f := range findings {
		if f.Level == config.FindingError {
			return doctorUnhealthy
		}
	}
	return doctorHealthy
}

// writeFindings writes a JSON array, which may be empty.
func writeFindings(w io.Writer, findings []config.Finding) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(append([]config.Finding{}, findings...)) // nobody to tell if stdout is gone
}

// tellFindings writes a line for each finding, another for what to do about it, and a sum.
func tellFindings(w io.Writer, path string, findings []config.Finding) {
	count := map[config.FindingLevel]int{}
	for _, f := range findings {
		count[f.Level]++
		fmt.Fprintf(w, "%v\n    fix: %s\n", f, f.Fix)
	}
	if len(findings) == 0 {
		fmt.Fprintf(w, "%s: nothing to say\n", path)
		return
	}
	fmt.Fprintf(w, "%s: errors: %d, warnings: %d, notes: %d\n", path,
		count[config.FindingError], count[config.FindingWarning], count[config.FindingInfo])
}
