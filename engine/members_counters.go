package engine

import (
	"cmp"
	"slices"

	"millrace/engine/beacon"
	"millrace/engine/stats"
)

// counters is what the families of beacons show.
func (b *beacons) counters() stats.Beacons {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all stats.Beacons
	clusters := make(map[string]stats.BeaconCluster)
	for _, r := range b.receivers {
		n := r.receiver.Counters()
		shown := stats.BeaconReceiver{Listen: r.listen, Accepted: int64(n.Accepted), Lost: int64(n.Lost)}
		for _, reason := range beacon.Reasons() {
			shown.Dropped = append(shown.Dropped, stats.BeaconDrops{Reason: reason.Label(), Count: int64(n.Dropped[reason])})
		}
		all.Receivers = append(all.Receivers, shown)
		if r.cluster != "" {
			c, ok := clusters[r.cluster]
			if !ok {
				c = b.before[r.cluster]
				c.Name = r.cluster
			}
			clusters[r.cluster] = withCounters(c, &n)
		}
	}
	for _, c := range clusters {
		all.Clusters = append(all.Clusters, c)
	}
	slices.SortFunc(all.Clusters, func(x, y stats.BeaconCluster) int { return cmp.Compare(x.Name, y.Name) })
	all.Targets = b.targets()
	return all
}

// withCounters is c with what one more receiver has counted.
func withCounters(c stats.BeaconCluster, n *beacon.Counters) stats.BeaconCluster {
	c.Live += int64(n.LiveMembers)
	c.Evicted += int64(n.EvictedMembers)
	return withEvents(c, n)
}

// withEvents is withCounters without what is counted at the moment.
func withEvents(c stats.BeaconCluster, n *beacon.Counters) stats.BeaconCluster {
	c.Added += int64(n.Added)
	c.Expired += int64(n.Evicted)
	c.ReEnabled += int64(n.ReEnabled)
	return c
}

// targets are those that something is announced to, each address once. mu is held.
func (b *beacons) targets() []stats.BeaconTarget {
	var all []stats.BeaconTarget
	for _, a := range b.announcers {
		for _, n := range a.announcer.Counters() {
			i := slices.IndexFunc(all, func(t stats.BeaconTarget) bool { return t.Address == n.Address })
			if i < 0 {
				i = len(all)
				all = append(all, stats.BeaconTarget{Address: n.Address})
			}
			all[i].Sent += int64(n.Announced)
			all[i].Failed += int64(n.Errors)
		}
	}
	return all
}

// retire keeps what receivers that are gone have counted in clusters that others fill, since a
// counter does not fall. What is of no other cluster any more goes. mu is held.
func (b *beacons) retire(gone, next []*receiving) {
	before := make(map[string]stats.BeaconCluster)
	for _, r := range next {
		if c, ok := b.before[r.cluster]; ok {
			before[r.cluster] = c
		}
	}
	for _, r := range gone {
		if slices.ContainsFunc(next, func(other *receiving) bool { return other.cluster == r.cluster }) {
			n := r.receiver.Counters()
			before[r.cluster] = withEvents(before[r.cluster], &n)
		}
	}
	b.before = before
}
