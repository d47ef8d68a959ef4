// Command millrace is an HTTP reverse proxy and load balancer.
package main

import (
	"fmt"
	"io"
	"os"
)

const usage = `usage: millrace <command> [flags]

commands:
  run      run the proxy (-config FILE, default millrace.yaml; -demo: proxy and two upstreams, no file)
  check    validate a configuration without binding anything (-config FILE)
  doctor   tell what a configuration does against good practice (-config FILE, -json)
  schema   print the JSON Schema of the configuration file, for editors
  beacon   announce a service to proxies, as a sidecar (-to, -advertise, -secret-file, -interval)
  echo     an upstream for trials and load tests (-listen, -latency, -size, -status)
  version  print the version (-json)

"millrace <command> -h" explains the flags of a command.
`

// verbs are the commands. Each returns the exit code.
var verbs = map[string]func(args []string, stdout, stderr io.Writer) int{
	"run":     runRun,
	"check":   runCheck,
	"doctor":  runDoctor,
	"schema":  runSchema,
	"beacon":  runBeacon,
	"echo":    runEcho,
	"version": runVersion,
}

func main() { os.Exit(dispatch(os.Args[1:], os.Stdout, os.Stderr)) }

func dispatch(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	if verb, ok := verbs[args[0]]; ok {
		return verb(args[1:], stdout, stderr)
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprintf(stderr, "millrace: no command %q\n\n%s", args[0], usage)
	return 2
}
