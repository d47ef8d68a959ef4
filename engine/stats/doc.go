// Package stats counts what the proxy does and writes it as Prometheus text.
//
// A Registry is the process-wide set of series. Whoever counts takes a handle
// first (Sheet, Route, Endpoint, Listener) and counts on it: no look-up, no
// label and no allocation is left for the request path. Each handle holds one
// block of counters a worker, on cache lines of its own; they are summed when
// somebody reads. Counters only rise, so a scrape under load is consistent
// without a lock: a histogram's count is the sum of the buckets just read, and
// the gauges of a pool are differences of counters.
//
// Handles live by reference counting: Registry.Route, Endpoint and Listener
// take a reference, Release gives it back, and the series go with the last one.
// A counter may still be written through a handle that was released; nobody
// reads it any more.
//
// Label values come from the configuration and from the closed lists of this
// package (ErrorType, Method, the reasons and results), never from a client, so
// the number of series is bounded by the configuration.
//
// A family is one row of the table in family.go; its metadata is written
// together with its first series.
package stats
