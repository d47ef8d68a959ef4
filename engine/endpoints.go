package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"

	"millrace/engine/config"
	"millrace/engine/stats"
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
}

// findEndpoints gives the endpoints that are configured. A name that does not resolve has
// none.
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
			f := found(u, a)
			if seen[f.options.ID]++; seen[f.options.ID] > 1 {
				f.options.ID = fmt.Sprintf("%s-%d", f.options.ID, seen[f.options.ID])
			}
			all = append(all, f)
		}
	}
	return all
}

// found is the endpoint of u at an address.
func found(u *config.Upstream, a netpoll.Addr) foundEndpoint {
	return foundEndpoint{
		options: lb.EndpointOptions{
			ID:       fmt.Sprintf("%016x", ring.HashString(u.URL.Text+"|"+a.String())),
			URL:      u.URL.Text,
			Address:  a.String(),
			Weight:   u.Weight,
			Priority: u.Priority,
			Capacity: u.Limit,
		},
		upstream: u,
		address:  a,
	}
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

// fill gives c its endpoints: those that are configured, and those of the members. prev, which
// may be nil, is what has been known of them. If c is another version of it, which differs in
// nothing but the endpoints, those that stay are taken over as they are.
func (e *Engine) fill(c *cluster, members []*member, breakers *lb.Breakers, prev *cluster) error {
	all := c.fixed[:len(c.fixed):len(c.fixed)]
	for _, m := range members {
		all = append(all, m.found(c.config)...)
	}
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
	if ep == nil || ep.balance != b || ep.upstream != f.upstream || ep.member != f.member || ep.priority != f.options.Priority {
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
	counters := e.stats.Endpoint(stats.EndpointLabels{ID: ep.ID(), Cluster: c.name, URL: u.URL.Text, UnixPath: u.Unix})
	return &endpoint{
		balance:        ep,
		state:          state,
		upstream:       u,
		member:         f.member,
		priority:       f.options.Priority,
		stats:          counters,
		unwatch:        e.watch(counters, ep, c, u.Limit),
		address:        f.address,
		authority:      u.URL.Authority,
		connectTimeout: int64(u.ConnectionTimeout),
		idleTimeout:    int64(u.IdleTimeout),
		check:          u.ActiveCheck,
	}
}
