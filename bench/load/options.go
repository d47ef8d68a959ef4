package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// options is one run as asked for.
type options struct {
	URL         *url.URL
	Threads     int
	Connections int
	Duration    time.Duration
	Requests    int64   // stop after so many; 0 = Duration alone counts
	Rate        float64 // requests a second over all connections; 0 = closed loop
	Timeout     time.Duration
	Method      string
	Header      []string
	Upload      int64 // bytes of request body
	Fresh       bool  // a new connection for each request
	JSON        bool
}

// parseOptions reads the command line.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o := options{Duration: 10 * time.Second, Timeout: 2 * time.Second}
	flags.IntVar(&o.Connections, "c", 10, "`connections` to keep open")
	flags.IntVar(&o.Threads, "t", 1, "`threads`, each an event loop")
	flags.Func("d", "`duration`, as 30s or 30 (default 10s)", seconds(&o.Duration))
	flags.Int64Var(&o.Requests, "n", 0, "stop after so many `requests`")
	flags.Float64Var(&o.Rate, "R", 0, "constant `rate` in requests a second; 0 = as fast as answers come")
	flags.Func("timeout", "answers later than this `duration` are counted apart (default 2s)", seconds(&o.Timeout))
	flags.StringVar(&o.Method, "m", "", "`method`; default GET, or POST with -upload")
	flags.Func("H", "add a `header` line, as \"Name: value\"", func(s string) error {
		o.Header = append(o.Header, s)
		return nil
	})
	flags.Int64Var(&o.Upload, "upload", 0, "send a body of so many `bytes`")
	flags.BoolVar(&o.Fresh, "close", false, "open a new connection for each request")
	flags.BoolVar(&o.JSON, "json", false, "print one JSON object")
	flags.Bool("L", true, "print latencies (always on)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 {
		return o, errors.New("want one URL")
	}
	return o, o.complete(flags.Arg(0))
}

// complete fills in what follows from the rest and checks all.
func (o *options) complete(target string) (err error) {
	if o.URL, err = url.Parse(target); err != nil {
		return err
	}
	if o.URL.Scheme != "http" || o.URL.Host == "" {
		return fmt.Errorf("%q is no http URL", target)
	}
	if o.Method == "" {
		o.Method = "GET"
		if o.Upload > 0 {
			o.Method = "POST"
		}
	}
	if o.Connections < 1 || o.Threads < 1 || o.Requests < 0 || o.Rate < 0 || o.Upload < 0 || o.Duration <= 0 {
		return errors.New("-c, -t and -d must be above 0, -n, -R and -upload not below")
	}
	for _, line := range o.Header {
		if !strings.Contains(line, ":") || strings.ContainsAny(line, "\r\n") {
			return fmt.Errorf("%q is no header line", line)
		}
	}
	o.Threads = min(o.Threads, o.Connections, 4*runtime.NumCPU())
	return nil
}

// address returns the IPv4 or IPv6 address and port to connect to.
func (o *options) address() (*net.TCPAddr, error) {
	port := o.URL.Port()
	if port == "" {
		port = "80"
	}
	return net.ResolveTCPAddr("tcp", net.JoinHostPort(o.URL.Hostname(), port))
}

// head renders the request's head, which is the same for every request.
func (o *options) head() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", o.Method, o.URL.RequestURI(), o.URL.Host)
	if o.Upload > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", o.Upload)
	}
	if o.Fresh {
		b.WriteString("Connection: close\r\n")
	}
	for _, line := range o.Header {
		b.WriteString(line + "\r\n")
	}
	return []byte(b.String() + "\r\n")
}

// seconds reads a duration that may be a bare number of seconds.
func seconds(d *time.Duration) func(string) error {
	return func(s string) (err error) {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			*d = time.Duration(n * float64(time.Second))
			return nil
		}
		*d, err = time.ParseDuration(s)
		return err
	}
}
