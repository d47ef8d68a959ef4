package engine_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"millrace/engine"
	"millrace/engine/beacon"
)

const beaconSecret = "0123456789abcdef"

// freeUDP is an address that nobody is bound to.
func freeUDP(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	return c.LocalAddr().String()
}

// announce sends one announcement of url to a receiver.
func announce(t *testing.T, to, secret, url string) {
	t.Helper()
	key, err := beacon.Secret(secret).Key()
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	says := beacon.Announcement{URL: url, Host: "test", PID: 1, TS: time.Now().UnixMicro()}
	if _, err := c.Write(says.Append(nil, key)); err != nil {
		t.Error(err)
	}
}

// filled is a setup whose cluster web is filled by receivers; more are keys of the cluster.
func filled(more string, receivers ...string) setup {
	return setup{
		workers: 2,
		routes:  "  - cluster: web\nclusters: {web: {algorithm: round_robin, circuit_breaker: false" + more + "}, other: {upstreams: [\"http://10.9.9.9\"]}}",
		top:     "beacon: {receive: [" + strings.Join(receivers, ", ") + "]}",
	}
}

// receiver is one of cluster web.
func receiver(listen, more string) string { return receiverOf("web", listen, beaconSecret, more) }

func receiverOf(cluster, listen, secret, more string) string {
	return fmt.Sprintf("{listen: %q, cluster: %s, secret: %q%s}", listen, cluster, secret, more)
}

// endpoints are those of a cluster, as "url state".
func (p *proxy) endpoints(cluster string) []string {
	got := []string{}
	for _, c := range p.engine.Clusters() {
		for _, e := range c.Endpoints {
			if c.Name == cluster {
				got = append(got, e.URL+" "+e.State)
			}
		}
	}
	return got
}

func (p *proxy) becomes(cluster string, want ...string) {
	p.t.Helper()
	if !settles(func() bool { return slices.Equal(p.endpoints(cluster), append([]string{}, want...)) }) {
		p.t.Fatalf("cluster %s has %q, want %q", cluster, p.endpoints(cluster), want)
	}
}

// A member gets requests from its first announcement on, and from its eviction none.
func TestMembersServe(t *testing.T) {
	t.Parallel()
	u, at := newEcho(t), freeUDP(t)
	p := filled("", receiver(at, ", timeout: 500ms")).run(t)
	p.dial().seesStatusOf("/", 503)
	announce(t, at, beaconSecret, u.url())
	p.becomes("web", u.url()+" enabled")
	c := p.dial()
	c.seesStatusOf("/", 200)
	p.becomes("web", u.url()+" disabled")
	c.seesStatusOf("/", 503)
	announce(t, at, beaconSecret, u.url())
	p.becomes("web", u.url()+" enabled")
	c.seesStatusOf("/", 200)
	for name, want := range map[string]float64{
		`datagrams_total{listen="` + at: 2, `accepted_total{listen="` + at: 2, "dropped_total": 0,
		`members{cluster="web",state="live"`: 1, `members{cluster="web",state="evicted"`: 0,
		`events_total{cluster="web",event="added"`: 1, `events_total{cluster="web",event="evicted"`: 1, `events_total{cluster="web",event="re_enabled"`: 1,
	} {
		if got := p.metric("millrace_beacon_" + name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// seesStatusOf asks for a path and wants that status.
func (w *wire) seesStatusOf(path string, status int) {
	w.t.Helper()
	w.get(path)
	head, err := w.readHead()
	if err == nil {
		_, err = w.readBody(head)
	}
	if err != nil || !strings.HasPrefix(head, fmt.Sprintf("HTTP/1.1 %d ", status)) {
		w.t.Errorf("saw %q and %v, want status %d", head, err, status)
	}
}

// Over a reload members stay with their receiver, whatever its settings become.
func TestMembersOverReload(t *testing.T) {
	t.Parallel()
	at := freeUDP(t)
	p := filled("", receiver(at, "")).run(t)
	const one, two = "http://10.0.0.1", "http://10.0.0.2"
	announce(t, at, beaconSecret, one)
	p.becomes("web", one+" enabled")

	next := filled(", beacon_defaults: {weight: 5}", receiverOf("web", at, "another secret of length", ", timeout: 1h"))
	p.reload(next)
	p.becomes("web", one+" enabled")
	if e := p.engine.Clusters()[0].Endpoints[0]; e.Weight != 5 || e.Origin != "beacon" {
		t.Errorf("with new defaults the member is %+v", e)
	}
	announce(t, at, beaconSecret, two)
	eventually(t, "the old secret is refused", func() bool { return p.metric("millrace_beacon_dropped_total") == 1 })
	announce(t, at, "another secret of length", two)
	p.becomes("web", one+" enabled", two+" enabled")
	if r := p.engine.Beacons(); len(r) != 2 || r[0].Listen != at || r[0].Cluster != "web" || r[0].URL != one {
		t.Errorf("records %+v", r)
	}

	// One that the configuration names becomes its own.
	next.routes = strings.Replace(next.routes, "algorithm:", "upstreams: [\""+two+"\"], algorithm:", 1)
	p.reload(next)
	p.becomes("web", two+" enabled", one+" enabled")
	if e := p.engine.Clusters()[0].Endpoints[0]; e.Origin != "static" || e.Weight != 1 {
		t.Errorf("as configured it is %+v", e)
	}
	announce(t, at, "another secret of length", two)
	eventually(t, "it is not the receiver's", func() bool {
		return p.metric(`millrace_beacon_dropped_total{listen="`+at+`",reason="member_not_managed_by_beacon"`) == 1
	})
}

// Receivers come and go by difference, and members go with theirs.
func TestReceiversByDifference(t *testing.T) {
	t.Parallel()
	a, b := freeUDP(t), freeUDP(t)
	p := filled("", receiver(a, ""), receiver(b, "")).run(t)
	const one, two, three = "http://10.0.0.1", "http://10.0.0.2", "http://10.0.0.3"
	announce(t, a, beaconSecret, one)
	announce(t, b, beaconSecret, two)
	p.becomes("web", one+" enabled", two+" enabled")

	p.reload(filled("", receiver(b, "")))
	p.becomes("web", two+" enabled")
	announce(t, b, beaconSecret, three)
	p.becomes("web", two+" enabled", three+" enabled")
	if n := p.metric(`millrace_beacon_events_total{cluster="web",event="added"`); n != 3 {
		t.Errorf("%v members were added, want 3: a counter has fallen", n)
	}
	if n := p.metric(`millrace_beacon_datagrams_total{listen="` + a); n != 0 {
		t.Error("a receiver that is gone has series")
	}
	if c, err := net.ListenPacket("udp", a); err != nil {
		t.Errorf("the address is not free: %v", err)
	} else {
		_ = c.Close()
	}

	p.reload(filled("", receiverOf("other", b, beaconSecret, ""), receiver(a, ""))) // b moves to another cluster
	p.becomes("web")
	p.becomes("other", "http://10.9.9.9 enabled")
	announce(t, b, beaconSecret, two)
	announce(t, a, beaconSecret, one)
	p.becomes("web", one+" enabled")
	p.becomes("other", "http://10.9.9.9 enabled", two+" enabled")
}

// An upstream state that a member brought does not outlive its becoming configured.
func TestEvictedMemberBecomesConfigured(t *testing.T) {
	t.Parallel()
	at := freeUDP(t)
	s := filled("", receiver(at, ", timeout: 300ms"))
	p := s.run(t)
	const one = "http://10.0.0.1"
	announce(t, at, beaconSecret, one)
	p.becomes("web", one+" enabled")
	p.becomes("web", one+" disabled")
	s.routes = strings.Replace(s.routes, "algorithm:", "upstreams: [\""+one+"\"], algorithm:", 1)
	p.reload(s)
	p.becomes("web", one+" enabled")
}

// A configuration that is refused changes nothing about beacons.
func TestReceiversAfterARefusedReload(t *testing.T) {
	t.Parallel()
	at := freeUDP(t)
	s := filled("", receiver(at, ""))
	p := s.run(t)
	const one, two = "http://10.0.0.1", "http://10.0.0.2"
	announce(t, at, beaconSecret, one)
	p.becomes("web", one+" enabled")
	next, err := parse(filled("", receiverOf("web", freeUDP(t), beaconSecret, ""), receiverOf("other", at, beaconSecret, "")).text(nil))
	if err != nil {
		t.Fatal(err)
	}
	next.Beacon.Receive[1].Secret.Text = ""
	next.Beacon.Receive[1].Secret.File = "/nowhere/secret"
	if err := p.engine.Reload(next); err == nil || !strings.Contains(err.Error(), "beacon.receive[1]") {
		t.Fatalf("the reload ends with %v", err)
	}
	p.becomes("web", one+" enabled")
	announce(t, at, beaconSecret, two)
	p.becomes("web", one+" enabled", two+" enabled")
}

// Announcements begin with the engine, follow the configuration, and end with readiness.
func TestAnnouncers(t *testing.T) {
	t.Parallel()
	const silence = 400 * time.Millisecond
	heard := func() (at string, next func(within time.Duration) (string, bool)) {
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c.LocalAddr().String(), func(within time.Duration) (string, bool) {
			b := make([]byte, 2048)
			_ = c.SetReadDeadline(time.Now().Add(within))
			n, _, err := c.ReadFrom(b)
			return string(b[:n]), err == nil
		}
	}
	a, nextA := heard()
	b, nextB := heard()
	to := func(targets ...string) setup {
		return setup{routes: "  - local: {status: 200}", top: "beacon: {announce: [" + strings.Join(targets, ", ") + "]}"}
	}
	target := func(at, url string) string {
		return fmt.Sprintf("{address: %q, advertise: %q, secret: %q, interval: 100ms}", at, url, beaconSecret)
	}
	p := to(target(a, "HTTP://10.0.0.1:80/"), target(a, "HTTP://10.0.0.1:80/")).run(t)
	for seq := range 2 {
		if got, ok := nextA(patience); !ok || !strings.HasPrefix(got, "BEACON url=http://10.0.0.1 host=") || !strings.Contains(got, fmt.Sprintf(" seq=%d ", seq)) {
			t.Errorf("datagram %d is %q", seq, got)
		}
	}
	p.reload(to(target(b, "http://10.0.0.2"), target(a, "http://10.0.0.1")))
	if got, _ := nextB(patience); !strings.Contains(got, "url=http://10.0.0.2 ") || !strings.Contains(got, " seq=0 ") {
		t.Errorf("the new target hears %q", got)
	}
	for range 3 {
		if got, _ := nextA(patience); !strings.Contains(got, "url=http://10.0.0.1 ") || strings.Contains(got, " seq=0 ") {
			t.Errorf("the old target hears %q", got)
		}
	}
	p.reload(to(target(b, "http://10.0.0.2")))
	for range 50 {
		if _, ok := nextA(silence); !ok {
			break
		}
	}
	if got, ok := nextA(silence); ok {
		t.Errorf("a target that left hears %q", got)
	}
	if n := p.metric(`millrace_beacon_announcements_total{address="` + b); n == 0 {
		t.Error("announcements are not counted")
	}
	p.engine.Unready()
	for range 50 {
		if _, ok := nextB(silence); !ok {
			return
		}
	}
	t.Error("it goes on announcing while it drains")
}

// TestMembersUnderLoad has members come and go, reloads and operators at a time, while requests
// run. None of them fails: one endpoint stays.
func TestMembersUnderLoad(t *testing.T) {
	t.Parallel()
	stays, comes, at := newEcho(t), newEcho(t), freeUDP(t)
	text := filled(", upstreams: [\""+stays.url()+"\"]", receiver(at, ", timeout: 100ms, max_skew: 100ms"))
	p := text.run(t)
	stop := make(chan struct{})
	var all sync.WaitGroup
	each := func(f func()) {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					f()
				}
			}
		})
	}
	for range 3 {
		c := p.dial()
		each(func() { c.seesStatusOf("/", 200) })
	}
	each(func() {
		announce(t, at, beaconSecret, comes.url())
		time.Sleep(130 * time.Millisecond) // some leases end, some do not
	})
	c, err := parse(text.text(nil))
	if err != nil {
		t.Fatal(err)
	}
	each(func() {
		if err := p.engine.Reload(c); err != nil {
			t.Error(err)
		}
		time.Sleep(20 * time.Millisecond)
	})
	each(func() {
		for _, v := range p.engine.Clusters()[0].Endpoints {
			if v.Origin == "beacon" {
				_, _ = p.engine.SetEndpoint("web", v.ID, engine.EndpointChange{Weight: 1 + int(time.Now().UnixNano()%5)})
			}
		}
		p.metric("millrace_beacon_members")
		p.engine.Beacons()
		time.Sleep(5 * time.Millisecond)
	})
	time.Sleep(1500 * time.Millisecond)
	close(stop)
	all.Wait()
}
