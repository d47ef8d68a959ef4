package engine_test

import (
	"net"
	"slices"
	"testing"
	"time"

	"millrace/engine"
	"millrace/engine/beacon"
)

// Members go to the process that follows, with their leases, replay marks and what operators
// said, and so do the announcements that wait meanwhile.
func TestMembersAreHandedOver(t *testing.T) {
	t.Parallel()
	u, at := newEcho(t), freeUDP(t)
	s := filled("", receiver(at, ", timeout: 1h"))
	p := s.run(t)
	const quiet = "http://10.0.0.1"
	key, _ := beacon.Secret(beaconSecret).Key()
	says := beacon.Announcement{URL: u.url(), Host: "test", TS: time.Now().UnixMicro()}.Append(nil, key)
	send := func() {
		c, err := net.Dial("udp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_, _ = c.Write(says)
	}
	send()
	announce(t, at, beaconSecret, quiet)
	p.becomes("web", quiet+" enabled", u.url()+" enabled")
	for _, v := range p.engine.Clusters()[0].Endpoints {
		if v.URL == quiet {
			if _, err := p.engine.SetEndpoint("web", v.ID, engine.EndpointChange{State: "stopped", Weight: 9}); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := p.follow(s)
	next.becomes("web", quiet+" stopped", u.url()+" enabled")
	if v := next.engine.Clusters()[0].Endpoints[0]; v.Weight != 9 || v.Origin != "beacon" {
		t.Errorf("the member is %+v", v)
	}
	if r := next.engine.Beacons(); len(r) != 2 || r[1].URL != u.url() || r[1].State != beacon.Live {
		t.Errorf("records %+v", r)
	}
	heard := p.metric("millrace_beacon_datagrams_total")
	send()
	eventually(t, "the replay is refused", func() bool {
		return next.metric(`millrace_beacon_dropped_total{listen="`+at+`",reason="replayed_reordered_ts"`) == 1
	})
	announce(t, at, beaconSecret, "http://127.0.0.1:1")
	next.becomes("web", quiet+" stopped", "http://127.0.0.1:1 enabled", u.url()+" enabled")
	if n := p.metric("millrace_beacon_datagrams_total"); n != heard {
		t.Errorf("the old one has heard %v more", n-heard)
	}
	p.leave(next)
	announce(t, at, beaconSecret, "http://127.0.0.1:2")
	next.becomes("web", quiet+" stopped", "http://127.0.0.1:1 enabled", "http://127.0.0.1:2 enabled", u.url()+" enabled")
	next.dial().seesStatusOf("/", 200)
}

// Without a process that follows, the old one hears what was announced meanwhile.
func TestMembersWithoutASuccessor(t *testing.T) {
	t.Parallel()
	at := freeUDP(t)
	p := filled("", receiver(at, ", timeout: 1h")).run(t)
	p.engine.Resume() // of nothing
	for i, url := range []string{"http://10.0.0.1", "http://10.0.0.2"} {
		passed, err := p.engine.PassSockets()
		if err != nil || !slices.ContainsFunc(passed, func(s engine.PassedSocket) bool { return s.Beacon && s.Listener == at }) {
			t.Fatalf("sockets %+v, %v", passed, err)
		}
		if _, err := p.engine.ExportState(); err != nil {
			t.Fatal(err)
		}
		engine.ClosePassed(passed)
		announce(t, at, beaconSecret, url)
		if len(p.endpoints("web")) != i {
			t.Error("it hears what another is to hear")
		}
		p.engine.Resume()
		eventually(t, "it is heard", func() bool { return len(p.endpoints("web")) == i+1 })
	}
	if _, err := p.engine.ExportState(); err != nil { // and Stop closes the socket
		t.Fatal(err)
	}
}
