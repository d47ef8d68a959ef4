package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A result is what one thread, or the whole run, counted.
type result struct {
	latency  histogram
	requests int64 // complete answers
	bytes    int64 // read
	sent     int64 // bytes written
	non2xx   int64 // answers of class 4xx and 5xx
	connect  int64 // connections that did not come about
	read     int64 // connections that ended, or answers malformed, inside an answer
	write    int64 // requests that could not be sent
	timeout  int64 // answers that came late or not at all
	elapsed  time.Duration
}

func (r *result) merge(other *result) {
	r.latency.merge(&other.latency)
	r.requests += other.requests
	r.bytes += other.bytes
	r.sent += other.sent
	r.non2xx += other.non2xx
	r.connect += other.connect
	r.read += other.read
	r.write += other.write
	r.timeout += other.timeout
	r.elapsed = max(r.elapsed, other.elapsed)
}

// quantiles are the shares of answers that are reported.
var quantiles = []struct {
	name  string
	share float64
}{
	{"p50", .50}, {"p75", .75}, {"p90", .90}, {"p99", .99}, {"p99.9", .999}, {"p99.99", .9999}, {"p99.999", .99999}, {"max", 1},
}

// writeText prints r in wrk2's form.
func (r *result) writeText(w io.Writer, o *options) {
	fmt.Fprintf(w, "Running %v test @ %s\n  %d threads and %d connections\n", o.Duration, o.URL, o.Threads, o.Connections)
	fmt.Fprintf(w, "  Latency Distribution (HdrHistogram - Recorded Latency)\n")
	for _, q := range quantiles {
		fmt.Fprintf(w, " %7.3f%% %9s\n", 100*q.share, readable(r.latency.quantile(q.share)))
	}
	fmt.Fprintf(w, "  Mean %s\n", readable(int64(r.latency.mean())))
	fmt.Fprintf(w, "  %d requests in %.2fs, %.2fMB read\n", r.requests, r.elapsed.Seconds(), float64(r.bytes)/1e6)
	fmt.Fprintf(w, "  Socket errors: connect %d, read %d, write %d, timeout %d\n", r.connect, r.read, r.write, r.timeout)
	if r.non2xx > 0 {
		fmt.Fprintf(w, "  Non-2xx or 3xx responses: %d\n", r.non2xx)
	}
	fmt.Fprintf(w, "Requests/sec: %10.2f\nTransfer/sec: %8.2fMB\n", r.perSecond(r.requests), r.perSecond(r.bytes)/1e6)
}

// writeJSON prints r as one object; latencies are in microseconds.
func (r *result) writeJSON(w io.Writer) error {
	latency := map[string]float64{"mean": r.latency.mean() / 1e3}
	for _, q := range quantiles {
		latency[q.name] = float64(r.latency.quantile(q.share)) / 1e3
	}
	return json.NewEncoder(w).Encode(map[string]any{
		"requests":            r.requests,
		"seconds":             r.elapsed.Seconds(),
		"requests_per_second": r.perSecond(r.requests),
		"bytes":               r.bytes,
		"sent_bytes":          r.sent,
		"non_2xx":             r.non2xx,
		"errors":              map[string]int64{"connect": r.connect, "read": r.read, "write": r.write, "timeout": r.timeout},
		"latency_us":          latency,
	})
}

// failures counts the requests that got no complete answer.
func (r *result) failures() int64 { return r.connect + r.read + r.write }

func (r *result) perSecond(n int64) float64 {
	if r.elapsed <= 0 {
		return 0
	}
	return float64(n) / r.elapsed.Seconds()
}

// readable prints nanoseconds in the unit that wrk2 would choose.
func readable(ns int64) string {
	switch d := time.Duration(ns); {
	case d < time.Millisecond:
		return fmt.Sprintf("%.2fus", float64(ns)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.2fms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%.2fs", float64(ns)/1e9)
}
