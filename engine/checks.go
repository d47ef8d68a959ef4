package engine

import (
	"fmt"
	"log/slog"

	"millrace/engine/config"
	"millrace/engine/health"
	"millrace/engine/stats"
	"millrace/lb"
)

// checks are the active checks of an endpoint. Only who holds Engine.reloading touches them.
type checks struct {
	prober *health.Prober
	key    string // of the check that is running
}

// watchHealth has the endpoints of s checked as it says, and those of old no more that s
// does not name; either may be nil. A check that stays goes on, and a verdict holds until
// probes say otherwise.
func (e *Engine) watchHealth(old, s *snapshot) {
	wanted := make(map[*endpointState]bool)
	for _, c := range s.list() {
		for _, ep := range c.endpoints {
			if ep != nil {
				wanted[ep.state] = true
				e.watchEndpoint(ep)
			}
		}
	}
	for _, c := range old.list() {
		for _, ep := range c.endpoints {
			if ep != nil && !wanted[ep.state] {
				ep.state.checks.stop()
			}
		}
	}
}

// list are the clusters of s, none if that is nil.
func (s *snapshot) list() []*cluster {
	if s == nil {
		return nil
	}
	return s.clusters
}

func (k *checks) stop() {
	if k.prober != nil {
		k.prober.Stop()
	}
	k.prober, k.key = nil, ""
}

// watchEndpoint starts, changes or ends the check of one endpoint.
func (e *Engine) watchEndpoint(ep *endpoint) {
	k := &ep.state.checks
	if ep.check == nil {
		if k.prober != nil {
			k.stop()
			ep.balance.ForgetHealth()
		}
		return
	}
	key := checkKey(ep)
	if k.key == key {
		return
	}
	k.stop()
	k.key = key
	target, check := checkOf(ep)
	e.log.Debug("health check started", slog.String("health.address", target.Address),
		slog.String("health.method", check.Method), slog.String("health.uri", check.URI))
	k.prober = health.Start(target, check, verdictOf(ep.balance), &checked{engine: e, endpoint: ep})
}

// checkKey is text that differs for checks that differ.
func checkKey(ep *endpoint) string {
	c := *ep.check
	return fmt.Sprint(c.URI, c.Method, c.Interval, c.Timeout, c.ExpectStatus, c.ResponseTimeThreshold,
		c.BodyMatch, c.ConsecutiveFails, c.ConsecutivePasses, c.NoVerification, ep.authority)
}

func checkOf(ep *endpoint) (health.Target, health.Check) {
	c := ep.check
	t := health.Target{Network: "tcp", Address: ep.balance.Address(), Scheme: string(config.HTTP), Authority: ep.authority}
	if ep.address.Unix != "" {
		t.Network, t.Address = "unix", ep.address.Unix
	}
	return t, health.Check{
		URI:      c.URI,
		Method:   c.Method,
		Interval: c.Interval,
		Timeout:  c.Timeout,
		Expect:   c.ExpectStatus.Contains,
		Slow:     c.ResponseTimeThreshold,
		Body:     c.BodyMatch,
		Fails:    c.ConsecutiveFails,
		Passes:   c.ConsecutivePasses,
	}
}

// verdictOf is what is known of an endpoint already.
func verdictOf(ep *lb.Endpoint) health.Verdict {
	switch ep.Health() {
	case lb.Healthy:
		return health.Healthy
	case lb.Unhealthy:
		return health.Unhealthy
	}
	return health.Unknown
}

// checked follows what the prober of an endpoint finds.
type checked struct {
	engine   *Engine
	endpoint *endpoint
}

// Probed counts a probe. One that passed may end an open circuit.
func (c *checked) Probed(r health.Result) {
	c.endpoint.stats.Checked(r.Passed, int64(r.Took))
	if r.Passed {
		c.endpoint.balance.CheckPassed()
	}
}

// Judged takes an endpoint out of the traffic, or back.
func (c *checked) Judged(v health.Verdict, reason string) {
	ep := c.endpoint
	before := ep.balance.Health()
	ep.balance.SetHealth(v == health.Healthy)
	address := slog.String("upstream.address", ep.balance.Address())
	switch {
	case v == health.Unhealthy:
		ep.stats.Inc(0, stats.MarkedUnhealthy)
		c.engine.log.Warn("upstream unhealthy", address, slog.String("reason", reason))
	case before == lb.Unhealthy:
		c.engine.log.Info("upstream recovered", address)
	}
}
