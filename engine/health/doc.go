// Package health probes endpoints: a request at a steady interval, whatever the traffic,
// and a verdict that changes after a number of probes in a row that say otherwise.
//
// It is off the path of requests: each prober is one goroutine with net/http, and tells
// its observer what it found.
package health
