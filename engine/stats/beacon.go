package stats

// Beacons says what came of announcements: of those that members send to receivers here, and
// of those that are sent to other receivers.
type Beacons struct {
	Receivers []BeaconReceiver
	Clusters  []BeaconCluster
	Targets   []BeaconTarget
}

// A BeaconReceiver is one receiver of announcements.
type BeaconReceiver struct {
	Listen   string        // as configured; no other has the same
	Accepted int64         // datagrams that passed every check
	Dropped  []BeaconDrops // the others
	Lost     int64         // datagrams that the kernel had no room for
}

// BeaconDrops are datagrams that were dropped for one reason.
type BeaconDrops struct {
	Reason string
	Count  int64
}

// A BeaconCluster is a cluster with members that announce themselves.
type BeaconCluster struct {
	Name                      string // no other has the same
	Live, Evicted             int64  // members now
	Added, Expired, ReEnabled int64  // events
}

// A BeaconTarget is a receiver that announcements are sent to.
type BeaconTarget struct {
	Address      string // as configured; no other has the same
	Sent, Failed int64  // announcements
}

// SetBeacons has read called, by whoever scrapes, for the families of beacons. What it
// returns has an order that stays. read must be safe for concurrent use and must not call the
// registry.
func (r *Registry) SetBeacons(read func() Beacons) { r.beacons.Store(&read) }

// readBeacons has nothing before SetBeacons.
func (r *Registry) readBeacons() Beacons {
	if read := r.beacons.Load(); read != nil {
		return (*read)()
	}
	return Beacons{}
}

const beacon = "millrace_beacon_"

func beaconFamilies() []family {
	return []family{
		{beacon + "datagrams_total", counter, "Datagrams that a receiver of announcements has judged; empty ones are nothing.", ofReceiver((*BeaconReceiver).datagrams)},
		{beacon + "accepted_total", counter, "Announcements that passed every check, with or without a URL.", ofReceiver(func(r *BeaconReceiver) int64 { return r.Accepted })},
		{beacon + "dropped_total", counter, "Datagrams that failed a check, by the first that failed.", writeDrops},
		{beacon + "lost_total", counter, "Datagrams that the kernel had no room for, where it tells.", ofReceiver(func(r *BeaconReceiver) int64 { return r.Lost })},
		{beacon + "members", gaugeKind, "Members of a cluster that announce themselves, by state.", writeMembers},
		{beacon + "events_total", counter, "Members that were added, evicted for their silence, or enabled again.", writeMemberEvents},
		{beacon + "announcements_total", counter, "Announcements that were sent, by the receiver's address.", ofTarget(func(t *BeaconTarget) int64 { return t.Sent })},
		{beacon + "announce_errors_total", counter, "Announcements and look-ups of the receiver's address that failed.", ofTarget(func(t *BeaconTarget) int64 { return t.Failed })},
	}
}

func (r *BeaconReceiver) datagrams() int64 {
	n := r.Accepted
	for _, d := range r.Dropped {
		n += d.Count
	}
	return n
}

func ofReceiver(which func(*BeaconReceiver) int64) func(*text, *view) {
	return func(t *text, v *view) {
		for i := range v.beacons.Receivers {
			r := &v.beacons.Receivers[i]
			t.count(which(r), label("listen", r.Listen))
		}
	}
}

func ofTarget(which func(*BeaconTarget) int64) func(*text, *view) {
	return func(t *text, v *view) {
		for i := range v.beacons.Targets {
			target := &v.beacons.Targets[i]
			t.count(which(target), label("address", target.Address))
		}
	}
}

func writeDrops(t *text, v *view) {
	for _, r := range v.beacons.Receivers {
		for _, d := range r.Dropped {
			if d.Count > 0 {
				t.count(d.Count, label("listen", r.Listen), label("reason", d.Reason))
			}
		}
	}
}

func writeMembers(t *text, v *view) {
	for _, c := range v.beacons.Clusters {
		t.count(c.Live, label("cluster", c.Name), label("state", "live"))
		t.count(c.Evicted, label("cluster", c.Name), label("state", "evicted"))
	}
}

func writeMemberEvents(t *text, v *view) {
	for _, c := range v.beacons.Clusters {
		for _, e := range [...]struct {
			name string
			n    int64
		}{{"added", c.Added}, {"evicted", c.Expired}, {"re_enabled", c.ReEnabled}} {
			if e.n > 0 {
				t.count(e.n, label("cluster", c.Name), label("event", e.name))
			}
		}
	}
}
