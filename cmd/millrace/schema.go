package main

import (
	"flag"
	"fmt"
	"io"

	"millrace/engine/config"
)

// runSchema is the verb "schema": it prints the JSON Schema of the configuration file and
// returns the exit code.
func runSchema(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("schema", flag.ContinueOnError)
	flags.SetOutput(stderr)
	if code, done := parseFlags(flags, args); done {
		return code
	}
	text, err := config.Schema()
	if err == nil {
		_, err = stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintf(stderr, "schema: %v\n", err)
		return 1
	}
	return 0
}
