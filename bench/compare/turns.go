package main

import (
	"context"
	"time"
)

// A sample is what one turn of one proxy came to.
type sample struct {
	Proxy    string        `json:"proxy"`
	Turn     int           `json:"turn"`
	Requests int64         `json:"requests"`
	MB       float64       `json:"mb"` // moved, the bigger direction
	CPU      time.Duration `json:"cpu_ns"`
	User     time.Duration `json:"user_ns"`
	System   time.Duration `json:"system_ns"`
	Memory   int64         `json:"memory_bytes"` // after the turn
	Rate     float64       `json:"requests_per_second"`
	P50      float64       `json:"p50_us"`
	P99      float64       `json:"p99_us"`
}

// takeTurns loads the proxies in turn and reports CPU time and ratios.
func takeTurns(ctx context.Context, r *rig) error {
	for _, name := range r.names() {
		p, err := r.start(name, 64)
		if err != nil {
			return err
		}
		if _, err := r.loadFor(ctx, p, r.Warmup); err != nil {
			return err
		}
	}
	var samples []sample
	for turn := range r.Turns {
		for i := range r.proxies {
			s, err := r.takeTurn(ctx, i)
			if err != nil {
				return err
			}
			s.Turn = turn
			samples = append(samples, s)
		}
	}
	r.report.turns(r.mode, samples)
	return nil
}

// takeTurn loads proxy i once.
func (r *rig) takeTurn(ctx context.Context, i int) (s sample, err error) {
	p := r.proxies[i]
	before, err := p.Usage()
	if err != nil {
		return s, err
	}
	l, err := r.loadFor(ctx, p, r.Duration)
	if err != nil {
		return s, err
	}
	after, err := p.Usage()
	if err != nil {
		return s, err
	}
	used := after.Sub(before)
	memory, err := p.Memory()
	return sample{
		Proxy: p.Name, Requests: l.Requests, MB: float64(max(l.Bytes, l.Sent)) / 1e6,
		CPU: used.CPU, User: used.User, System: used.System, Memory: memory,
		Rate: l.Rate, P50: l.LatencyUS["p50"], P99: l.LatencyUS["p99"],
	}, err
}
