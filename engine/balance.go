package engine

import (
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/lb"
)

// balanceOptions are the options of a cluster without its endpoints.
func balanceOptions(c *config.Cluster, breakers *lb.Breakers) lb.Options {
	algorithm, _ := lb.ParseAlgorithm(string(c.Algorithm)) // one that config knows
	o := lb.Options{Name: c.Name, Algorithm: algorithm}
	if a := c.Affinity; a != nil && a.Cookie == nil {
		o.Keyed = true
	}
	if b := c.CircuitBreaker; b != nil {
		o.Breakers = breakers
		o.Breaker = lb.BreakerSettings{
			MaxFails:            b.MaxFails,
			Window:              b.Window,
			OpenDuration:        b.OpenDuration,
			ConsecutivePasses:   b.ConsecutivePasses,
			Record5xx:           b.Record5xx,
			LatencyThreshold:    b.LatencyThreshold,
			FlappingTransitions: b.FlappingTransitions,
			FlappingWindow:      b.FlappingWindow,
			SlowStart:           b.SlowStart,
		}
	}
	if b := c.RetryBudget; b != nil {
		o.Budget = &lb.BudgetSettings{MaxRetryRate: b.MaxRetryRate, MaxTokens: b.MaxTokens, RefillRate: b.RefillRate}
	}
	return o
}

// nextBreakers is the set of breakers for the snapshot behind prev.
func (e *Engine) nextBreakers(prev *snapshot) *lb.Breakers {
	if prev == nil {
		return lb.NewBreakers(e.events.circuit)
	}
	return prev.breakers.Next()
}

// forgetBreakers drops those of endpoints that left.
func (s *snapshot) forgetBreakers() {
	var all []*lb.Cluster
	for _, c := range s.clusters {
		all = append(all, c.balance)
	}
	s.breakers.Keep(all)
}

// present makes the clusters of s those that their endpoints speak for, after a snapshot
// behind it was thrown away.
func (s *snapshot) present() {
	for _, c := range s.clusters {
		c.balance.Present()
		for _, ep := range c.endpoints {
			if ep != nil {
				ep.state.permits.SetMax(int64(ep.upstream.Limit))
			}
		}
	}
}

// tend does what is due once a second, until stop is closed.
func (e *Engine) tend(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s := e.current.Load()
			s.breakers.Settle(e.clock())
			s.wakeAll() // a circuit, a check or an operator may have made room
		case <-stop:
			return
		}
	}
}

// watch has the counters show what the balancer knows of ep, until unwatch.
func (e *Engine) watch(counters *stats.Endpoint, ep *lb.Endpoint, c *cluster, limit int) (unwatch func()) {
	excluded := func(r lb.Reason) func() float64 {
		return func() float64 {
			c.shown.Load().CountExclusions()
			return float64(ep.Excluded(r))
		}
	}
	shown := map[stats.EndpointGauge]func() float64{
		stats.ActiveConnections:    func() float64 { return float64(ep.Active()) },
		stats.CircuitOpened:        func() float64 { n := ep.CircuitCounts(); return float64(n.Opened + n.Reopened) },
		stats.ExcludedCircuitOpen:  excluded(lb.CircuitOpen),
		stats.ExcludedAlreadyTried: excluded(lb.AlreadyTried),
		stats.ExcludedOverloaded:   excluded(lb.Overloaded),
		stats.LocalLimit:           func() float64 { return float64(limit) },
		stats.EWMALatency:          func() float64 { return float64(ep.EWMA()) / float64(time.Second) },
		stats.WarmingUp:            func() float64 { return oneIf(ep.Warming()) },
		stats.CircuitState:         func() float64 { return circuitCode[ep.Circuit()] },
		stats.CircuitFlapping:      func() float64 { return oneIf(ep.CircuitCounts().Flapping) },
		stats.Score:                func() float64 { return c.shown.Load().Score(ep, e.clock()) },
	}
	if c.balance.Budget() != nil {
		shown[stats.BudgetTokens] = func() float64 { return c.shown.Load().Budget().Tokens(e.clock()) }
	}
	var stops []func()
	for gauge, read := range shown {
		stops = append(stops, counters.Watch(gauge, read))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// circuitCode is the state of a circuit as a number.
var circuitCode = [...]float64{lb.Closed: 0, lb.Open: 1, lb.HalfOpen: 2}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
