package health

import (
	"crypto/tls"
	"time"
)

// A Target is where probes go and what they say.
type Target struct {
	Network   string      // "tcp" or "unix"
	Address   string      // ip:port, or the path of a socket
	Scheme    string      // "http" or "https"
	Authority string      // the Host of probes
	TLS       *tls.Config // for https; not changed
}

// A Check is how a probe is made and judged.
type Check struct {
	URI      string // path, with query if any
	Method   string // GET or HEAD
	Interval time.Duration
	Timeout  time.Duration         // of a whole probe, connect included
	Expect   func(status int) bool // whether a status passes
	Slow     time.Duration         // an answer that takes longer fails; 0 = none does
	Body     string                // text that the body must hold; empty = any
	Fails    int                   // in a row make the endpoint unhealthy
	Passes   int                   // in a row make it healthy again
}

// A Result is the outcome of one probe.
type Result struct {
	Passed bool
	Reason string // why it failed, in a few words without an address; empty if it passed
	Took   time.Duration
}

// An Observer is told what a prober finds, from the prober's goroutine.
type Observer interface {
	// Probed is called after each probe.
	Probed(Result)
	// Judged is called when the verdict changes, with the reason of the last failure.
	Judged(v Verdict, reason string)
}
