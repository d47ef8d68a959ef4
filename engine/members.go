package engine

import (
	"cmp"
	"slices"
	"sync"

	"millrace/engine/beacon"
	"millrace/engine/config"
	"millrace/lb"
)

// A member is an endpoint that announces itself, or a few if its name has several addresses.
type member struct {
	owner  *memberCluster
	origin beacon.Member

	name      *nameWatch     // over the host; guarded by members.mu
	gone      bool           // it is no member any more; guarded by members.mu
	disabled  bool           // its lease is over; guarded by members.mu
	endpoints []*lb.Endpoint // in the current snapshot; guarded by members.mu

	defaults *config.UpstreamSettings // that source was made with; guarded by Engine.reloading
	source   source                   // the same
}

// members are those of all clusters.
type members struct {
	names *names

	mu         sync.Mutex                    // guards the rest
	byCluster  map[string]map[string]*member // then by canonical URL
	configured map[string]map[string]bool    // URLs that the configuration gives a cluster
}

// of gives the members of c whose owner stays, in the order of their URLs. One that c
// configures itself is none.
func (m *members) of(c *config.Cluster, stays func(*memberCluster) bool) []*member {
	m.mu.Lock()
	defer m.mu.Unlock()
	own := m.byCluster[c.Name]
	if len(own) == 0 {
		return nil
	}
	configured := urlsOf(c)
	all := make([]*member, 0, len(own))
	for url, one := range own {
		if !configured[url] && stays(one.owner) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *member) int { return cmp.Compare(a.origin.URL, b.origin.URL) })
	return all
}

// everybody stays.
func everybody(*memberCluster) bool { return true }

// urlsOf are those that the configuration gives c.
func urlsOf(c *config.Cluster) map[string]bool {
	urls := make(map[string]bool)
	for i := range c.Upstreams {
		urls[c.Upstreams[i].URL.Text] = true
	}
	return urls
}

// configure makes c the configuration that members are held against. Those whose owner does
// not stay are members no more, and neither are those that it configures.
func (m *members) configure(c *config.Config, stays func(*memberCluster) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.configured = make(map[string]map[string]bool)
	for i := range c.Clusters {
		m.configured[c.Clusters[i].Name] = urlsOf(&c.Clusters[i])
	}
	for cluster, own := range m.byCluster {
		for url, one := range own {
			if m.configured[cluster][url] || !stays(one.owner) {
				m.drop(one)
			}
		}
	}
}

// settle has the endpoints of clusters that are current know whether their lease is over. A
// member that became configured has none.
func (m *members) settle(clusters ...*cluster) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range clusters {
		m.settleCluster(c)
	}
}

// settleCluster is settle for one. mu is held.
func (m *members) settleCluster(c *cluster) {
	for _, one := range m.byCluster[c.name] {
		one.endpoints = nil
	}
	for _, ep := range c.endpoints {
		if ep == nil {
			continue
		}
		if ep.member != nil {
			ep.member.endpoints = append(ep.member.endpoints, ep.balance)
		}
		ep.balance.SetDisabled(ep.member != nil && ep.member.disabled)
	}
}

// isDisabled reports whether the lease of one is over.
func (m *members) isDisabled(one *member) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return one.disabled
}

// drop ends a member. mu is held.
func (m *members) drop(one *member) {
	one.gone = true
	one.name.release()
	delete(m.byCluster[one.owner.name], one.origin.URL)
}

// owned is the member of that URL that b has brought, nil if there is none. mu is held.
func (m *members) owned(b *memberCluster, url string) *member {
	if one := m.byCluster[b.name][url]; one != nil && one.owner == b {
		return one
	}
	return nil
}
