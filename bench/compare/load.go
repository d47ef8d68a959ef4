package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"millrace/bench/proxy"
)

// A loadResult is what the load generator prints.
type loadResult struct {
	Requests  int64              `json:"requests"`
	Seconds   float64            `json:"seconds"`
	Rate      float64            `json:"requests_per_second"`
	Bytes     int64              `json:"bytes"`
	Sent      int64              `json:"sent_bytes"`
	Non2xx    int64              `json:"non_2xx"`
	Errors    map[string]int64   `json:"errors"`
	LatencyUS map[string]float64 `json:"latency_us"`
}

// errTooShort says that no answer was complete when the time was up.
var errTooShort = errors.New("no answer within the time")

// check returns an error if anything but good answers was counted: figures
// of a proxy that fails mean nothing.
func (l loadResult) check() error {
	bad := l.Non2xx
	for kind, n := range l.Errors {
		if kind != "timeout" { // late answers are slow, not wrong
			bad += n
		}
	}
	switch {
	case bad > 0:
		return fmt.Errorf("%d answers, %d not 2xx, errors %v", l.Requests, l.Non2xx, l.Errors)
	case l.Requests == 0:
		return errTooShort
	}
	return nil
}

// loadFor sends the mode's load to p for d; for longer, if the machine does
// not get a single answer through in that time.
func (r *rig) loadFor(ctx context.Context, p *proxy.Proxy, d time.Duration) (loadResult, error) {
	for {
		l, err := r.runLoad(ctx, p, "-d", d.String())
		if !errors.Is(err, errTooShort) || d > time.Minute {
			return l, err
		}
		d *= 4
	}
}

// loadRequests sends n requests of the mode's load to p.
func (r *rig) loadRequests(ctx context.Context, p *proxy.Proxy, n int) (loadResult, error) {
	return r.runLoad(ctx, p, "-d", "10m", "-n", strconv.Itoa(n))
}

func (r *rig) runLoad(ctx context.Context, p *proxy.Proxy, args ...string) (l loadResult, err error) {
	args = append(append(args, "-json", "-timeout", "60s"), r.load...)
	cmd := exec.CommandContext(ctx, r.Load, append(args, "http://"+p.Address+r.path)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &l)
	}
	if err == nil {
		err = l.check()
	}
	if err != nil {
		return l, fmt.Errorf("load on %s: %w", p.Name, err)
	}
	return l, nil
}
