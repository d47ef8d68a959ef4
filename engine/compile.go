package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/route"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/netpoll"
	"millrace/pool"
	"millrace/ring"
)

// Bounds of a response head.
const (
	responseHeadBytes  = 64 << 10
	responseFieldCount = 256
)

// compile makes a snapshot of c. What prev has and c still names keeps its state.
func (e *Engine) compile(c *config.Config, prev *snapshot) (*snapshot, error) {
	s := &snapshot{
		settings: newSettings(c),
		trusted:  trust(c.TrustedProxies),
		clientIP: c.ClientIPFromHeader,
		breakers: e.nextBreakers(prev),
	}
	byName := make(map[string]*cluster)
	for i := range c.Clusters {
		cl, err := e.compileCluster(&c.Clusters[i], s, prev.cluster(c.Clusters[i].Name))
		if err != nil {
			return nil, err
		}
		byName[cl.name] = cl
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
		t := e.compileTarget(r, byName[r.Cluster])
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

func (e *Engine) compileTarget(r *config.Route, c *cluster) *target {
	t := &target{name: r.Name, cluster: c, stripPrefix: r.StripPrefix, rewriteHost: r.RewriteHost}
	name := stats.None
	if c != nil {
		name = c.name
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

func (e *Engine) compileCluster(c *config.Cluster, s *snapshot, prev *cluster) (*cluster, error) {
	cl := &cluster{
		name:           c.Name,
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
	found := e.findEndpoints(c)
	options := balanceOptions(c, s.breakers)
	for i := range found {
		options.Endpoints = append(options.Endpoints, found[i].options)
	}
	var before *lb.Cluster
	if prev != nil {
		before = prev.balance
	}
	cl.balance = lb.NewCluster(options, before)
	cl.budget = cl.balance.Budget()
	cl.endpoints = make([]*endpoint, cl.balance.Slots())
	for i, ep := range cl.balance.Endpoints() {
		cl.endpoints[ep.Index()] = e.compileEndpoint(ep, &found[i], cl)
	}
	for range e.workers {
		cl.pickers = append(cl.pickers, cl.balance.NewPicker(rand.Uint64()))
	}
	cl.wait(c, prev)
	var err error
	cl.affinity, err = e.newAffinity(c.Affinity, cl.balance)
	return cl, err
}

// foundEndpoint is one address of an upstream.
type foundEndpoint struct {
	options  lb.EndpointOptions
	upstream *config.Upstream
	address  netpoll.Addr
}

// findEndpoints gives the endpoints of a cluster. A name that does not resolve has none.
func (e *Engine) findEndpoints(c *config.Cluster) []foundEndpoint {
	var all []foundEndpoint
	seen := make(map[string]int)
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		addresses, err := upstreamAddresses(u)
		if err != nil {
			e.log.Warn("dns lookup failed", slog.String("dns.name", u.URL.Host), slog.String("error.message", err.Error()))
		}
		for _, a := range addresses {
			id := fmt.Sprintf("%016x", ring.HashString(u.URL.Text+"|"+a.String()))
			if seen[id]++; seen[id] > 1 {
				id = fmt.Sprintf("%s-%d", id, seen[id])
			}
			all = append(all, foundEndpoint{
				options:  lb.EndpointOptions{ID: id, URL: u.URL.Text, Address: a.String(), Weight: u.Weight, Priority: u.Priority, Capacity: u.Limit},
				upstream: u,
				address:  a,
			})
		}
	}
	return all
}

func upstreamAddresses(u *config.Upstream) ([]netpoll.Addr, error) {
	if u.Unix != "" {
		return []netpoll.Addr{{Unix: u.Unix}}, nil
	}
	ips, err := resolve(u.URL.Host)
	if err != nil {
		return nil, err
	}
	var all []netpoll.Addr
	for _, ip := range ips {
		all = append(all, netpoll.Addr{IP: addrPortOf(ip, u.URL.Port)})
	}
	if len(all) == 0 {
		return nil, errors.New("no address")
	}
	return all, nil
}

func (e *Engine) compileEndpoint(ep *lb.Endpoint, f *foundEndpoint, c *cluster) *endpoint {
	u := f.upstream
	state, ok := ep.Ext.(*endpointState)
	if !ok {
		state = &endpointState{
			idle:    make([]idleList, len(e.workers)),
			permits: pool.NewPermits(int64(u.Limit)),
			waiting: newQueue(int64(u.Limit)),
		}
		state.permits.Feed(state.waiting)
		ep.Ext = state
	}
	state.permits.SetMax(int64(u.Limit))
	counters := e.stats.Endpoint(stats.EndpointLabels{ID: ep.ID(), Cluster: c.name, URL: u.URL.Text, UnixPath: u.Unix})
	return &endpoint{
		balance:        ep,
		state:          state,
		stats:          counters,
		unwatch:        e.watch(counters, ep, c, u.Limit),
		address:        f.address,
		authority:      u.URL.Authority,
		connectTimeout: int64(u.ConnectionTimeout),
		idleTimeout:    int64(u.IdleTimeout),
		check:          u.ActiveCheck,
	}
}

func asDuration(ns int64) time.Duration { return time.Duration(ns) }
