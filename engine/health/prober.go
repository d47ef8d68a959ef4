package health

import (
	"context"
	"math/rand/v2"
	"time"
)

// jitter is the part of an interval by which the next probe may be early or late, so that
// probers that began together do not stay together.
const jitter = 0.1

// A Prober probes one endpoint until it is stopped.
type Prober struct {
	target   Target
	check    Check
	observer Observer
	cancel   context.CancelFunc
	ended    chan struct{}
}

// Start begins to probe t, with the first probe at once. from is what is known already,
// from before a reload. o is told everything.
func Start(t Target, c Check, from Verdict, o Observer) *Prober {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Prober{target: t, check: c, observer: o, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.run(ctx, tally{verdict: from})
	}()
	return p
}

// Stop ends the prober: a probe under way is cut off, and the observer is not called after
// Stop has returned.
func (p *Prober) Stop() {
	p.cancel()
	<-p.ended
}

// run probes at each interval, counted from the beginning of the probe before. One that
// takes longer than the interval, or began late, delays the next: there are never two at a
// time, and none are made up for.
func (p *Prober) run(ctx context.Context, state tally) {
	client := newClient(p.target)
	defer client.CloseIdleConnections()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		began := time.Now()
		r := probe(ctx, client, p.target, &p.check)
		if ctx.Err() != nil {
			return
		}
		p.observer.Probed(r)
		before := state.verdict
		if state = state.add(r.Passed, &p.check); state.verdict != before {
			p.observer.Judged(state.verdict, r.Reason)
		}
		timer.Reset(time.Until(began.Add(spread(p.check.Interval))))
	}
}

// spread varies an interval by the jitter.
func spread(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * (1 + jitter*(2*rand.Float64()-1)))
}
