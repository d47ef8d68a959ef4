package engine

import (
	"fmt"
	"sync/atomic"
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/route"
	"millrace/engine/stats"
	"millrace/lb"
)

// Bounds of a response head.
const (
	responseHeadBytes  = 64 << 10
	responseFieldCount = 256
)

// compile makes a snapshot of c, with the members of its clusters that stay. What prev has
// and c still names keeps its state.
func (e *Engine) compile(c *config.Config, prev *snapshot, stays func(*memberCluster) bool) (*snapshot, error) {
	s := &snapshot{
		settings: newSettings(c),
		trusted:  trust(c.TrustedProxies),
		clientIP: c.ClientIPFromHeader,
		breakers: e.nextBreakers(prev),
	}
	places := make(map[string]int)
	for i := range c.Clusters {
		cl, err := e.compileCluster(&c.Clusters[i], s, prev.cluster(c.Clusters[i].Name), stays)
		if err != nil {
			s.release()
			return nil, err
		}
		places[cl.name] = i
		s.clusters = append(s.clusters, cl)
	}
	listeners := make(map[string]int)
	for i := range c.Listeners {
		l := &c.Listeners[i]
		listeners[l.Name] = e.open[l.Address.Text].id
	}
	rules := make([]route.Rule[*target], len(c.Routes))
	for i := range c.Routes {
		r := &c.Routes[i]
		t := e.compileTarget(r, places)
		s.targets = append(s.targets, t)
		rules[i] = route.Rule[*target]{Hosts: r.Hosts, Prefix: r.Prefix, Value: t}
		for _, name := range r.Listeners {
			rules[i].Listeners = append(rules[i].Listeners, listeners[name])
		}
	}
	var err error
	if s.table, err = route.New(rules); err != nil {
		s.release()
		return nil, fmt.Errorf("routes: %w", err)
	}
	return s, nil
}

// compileTarget compiles where r leads to; places are those of the clusters.
func (e *Engine) compileTarget(r *config.Route, places map[string]int) *target {
	t := &target{name: r.Name, at: -1, stripPrefix: r.StripPrefix, rewriteHost: r.RewriteHost}
	name := stats.None
	if at, ok := places[r.Cluster]; ok {
		t.at, name = at, r.Cluster
	} else {
		t.local = &localAnswer{status: r.Local.Status, body: r.Local.Body}
	}
	t.stats = e.stats.Route(r.Name, name)
	return t
}

// cluster finds the cluster of that name; s may be nil.
func (s *snapshot) cluster(name string) *cluster {
	if s == nil {
		return nil
	}
	for _, c := range s.clusters {
		if c.name == name {
			return c
		}
	}
	return nil
}

// compileCluster compiles c, with the members that stay.
func (e *Engine) compileCluster(c *config.Cluster, s *snapshot, prev *cluster, stays func(*memberCluster) bool) (*cluster, error) {
	cl := &cluster{
		name:           c.Name,
		config:         c,
		shown:          new(atomic.Pointer[lb.Cluster]),
		keepalive:      c.KeepAlive,
		intercept:      c.InterceptErrors,
		retryOther:     c.RetryConnection,
		retriesSame:    c.MaxRetriesPerUpstream,
		headerTimeout:  int64(c.ResponseHeaderTimeout),
		responseIdle:   int64(c.ResponseIdleTimeout),
		requestRules:   newRules(c.RequestHeader),
		responseRules:  newRules(c.ResponseHeader),
		responseLimits: h1.Limits{HeadBytes: responseHeadBytes, FieldCount: responseFieldCount, TargetBytes: responseHeadBytes},
	}
	var err error
	if cl.affinity, err = e.newAffinity(c.Affinity); err != nil {
		return nil, err
	}
	cl.sources = e.names.newSources(c)
	if err = e.fill(cl, e.members.of(c, stays), s.breakers, prev); err != nil {
		cl.releaseNames()
		return nil, err
	}
	return cl, nil
}

func asDuration(ns int64) time.Duration { return time.Duration(ns) }
