package engine

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"millrace/engine/config"
	"millrace/lb"
	"millrace/netpoll"
	"millrace/pool"
	"millrace/ring"
)

// foundEndpoint is one address of an upstream, or of a member.
type foundEndpoint struct {
	options  lb.EndpointOptions
	upstream *config.Upstream
	member   *member // nil = it is configured
	address  netpoll.Addr

	alternates []netpoll.Addr // all addresses to try, if the endpoint has several
	dnsStatus  string         // how the address was found, as metrics have it
	resolvedIP netip.Addr     // the address, if it is one of a name
}

// found is the endpoint of u at an address that is written in the configuration.
func found(u *config.Upstream, a netpoll.Addr) foundEndpoint {
	f := foundAt(u, a.String())
	f.address, f.dnsStatus = a, statusStatic
	return f
}

// foundAt is the endpoint of u that the balancer knows by an address.
func foundAt(u *config.Upstream, address string) foundEndpoint {
	return foundEndpoint{
		options: lb.EndpointOptions{
			ID:       fmt.Sprintf("%016x", ring.HashString(u.URL.Text+"|"+address)),
			URL:      u.URL.Text,
			Address:  address,
			Weight:   u.Weight,
			Priority: u.Priority,
			Capacity: u.Limit,
		},
		upstream: u,
	}
}

// fill gives c its endpoints: those that are configured, and those of the members. prev, which
// may be nil, is what has been known of them. If c is another version of it, which differs in
// nothing but the endpoints, those that stay are taken over as they are.
func (e *Engine) fill(c *cluster, members []*member, breakers *lb.Breakers, prev *cluster) error {
	var all []foundEndpoint
	for _, s := range c.sources {
		all = append(all, s.found()...)
	}
	for _, m := range members {
		all = append(all, e.members.found(m, c.config)...)
	}
	all = numbered(all)
	c.nameless = len(all) == 0 && c.namesPending(members)
	options := balanceOptions(c.config, breakers)
	options.Endpoints = make([]lb.EndpointOptions, len(all))
	for i := range all {
		options.Endpoints[i] = all[i].options
	}
	var before *lb.Cluster
	if prev != nil {
		before = prev.balance
	}
	c.balance = lb.NewCluster(options, before)
	var err error
	if c.affinity, err = c.affinity.over(c.balance); err != nil {
		return err
	}
	c.shown.Store(c.balance)
	c.budget = c.balance.Budget()
	c.endpoints = make([]*endpoint, c.balance.Slots())
	for i, ep := range c.balance.Endpoints() {
		kept := prev.version(c, ep, &all[i])
		if kept == nil {
			kept = e.compileEndpoint(ep, &all[i], c)
		}
		c.endpoints[ep.Index()] = kept
	}
	c.pickers = make([]*lb.Picker, len(e.workers))
	for i := range c.pickers {
		c.pickers[i] = c.balance.NewPicker(rand.Uint64())
	}
	c.wait(settingsOf(c.config, members), prev)
	return nil
}

// version is the endpoint of c that another version of it can use as it is, for f; nil if it
// has none. c may be nil.
func (c *cluster) version(other *cluster, b *lb.Endpoint, f *foundEndpoint) *endpoint {
	if c == nil || c.shown != other.shown {
		return nil
	}
	ep := c.at(b.Index())
	if ep == nil || ep.balance != b || ep.upstream != f.upstream || ep.member != f.member || ep.priority != f.options.Priority ||
		ep.address != f.address || !slices.Equal(ep.alternates, f.alternates) {
		return nil
	}
	return ep
}

// settingsOf are those of everything that endpoints of a cluster come from.
func settingsOf(c *config.Cluster, members []*member) []*config.UpstreamSettings {
	var all []*config.UpstreamSettings
	for i := range c.Upstreams {
		all = append(all, &c.Upstreams[i].UpstreamSettings)
	}
	for range members {
		all = append(all, &c.BeaconDefaults)
	}
	return all
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
		ep.SetDisabled(f.member != nil && e.members.isDisabled(f.member)) // before anybody sees it
	}
	state.permits.SetMax(int64(u.Limit))
	counters := e.stats.Endpoint(f.labels(c))
	compiled := &endpoint{
		balance:        ep,
		state:          state,
		upstream:       u,
		member:         f.member,
		priority:       f.options.Priority,
		stats:          counters,
		unwatch:        e.watch(counters, ep, c, u.Limit),
		address:        f.address,
		alternates:     f.alternates,
		authority:      u.URL.Authority,
		connectTimeout: int64(u.ConnectionTimeout),
		idleTimeout:    int64(u.IdleTimeout),
		check:          u.ActiveCheck,
	}
	if c.config.MetricsResolvedIP {
		compiled.shownIP = f.resolvedIP
	}
	return compiled
}
