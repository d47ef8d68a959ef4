package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/engine/beacon"
	"millrace/engine/config"
	"millrace/lb"
)

// idleEngine is an engine of a configuration that does not run.
func idleEngine(t testing.TB, text string) *Engine {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("workers: 2\nlisteners: [\"127.0.0.1:1\"]\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	c.Listeners[0].Address.Port = 0
	e, err := New(Options{Config: c, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range e.open {
			s.close()
		}
		e.Stop()
	})
	return e
}

const fleetText = `
routes: [{cluster: fleet}, {prefix: /other, cluster: other}, {prefix: /local, local: {status: 204}}]
clusters:
  fleet: {algorithm: round_robin, upstreams: ["http://127.0.0.1:80", {url: "http://app", unix: /run/a.sock}], beacon_defaults: {weight: 3, limit: 7, priority: 2}}
  other: {algorithm: round_robin, upstreams: ["http://127.0.0.1:90"]}
beacon: {receive: [{listen: "127.0.0.1:9", cluster: fleet, secret: 0123456789abcdef}]}
`

// brings is a receiver of the cluster fleet, and its memory of members.
func brings(t testing.TB, e *Engine) (b *memberCluster, apply func(c beacon.Change, url string) error) {
	b = &memberCluster{engine: e, name: "fleet"}
	return b, func(c beacon.Change, url string) error {
		t.Helper()
		m, err := beacon.ParseMember(url)
		if err != nil {
			t.Fatal(err)
		}
		return b.Apply(c, m)
	}
}

// shows requires endpoints of the cluster fleet, each as "url state".
func (e *Engine) shows(t *testing.T, want ...string) {
	t.Helper()
	got := []string{}
	for _, v := range e.Clusters()[0].Endpoints {
		got = append(got, v.URL+" "+v.State)
	}
	if !slices.Equal(got, append([]string{"http://127.0.0.1 enabled", "http://app enabled"}, want...)) {
		t.Errorf("endpoints %q, want those configured and %q", got, want)
	}
}

func TestMembersComeAndGo(t *testing.T) {
	e := idleEngine(t, fleetText)
	b, apply := brings(t, e)
	const one, two = "http://10.0.0.1:8080", "http://10.0.0.2"
	f := func(c beacon.Change, url string, want ...string) {
		t.Helper()
		for range 2 { // each may come twice
			if err := apply(c, url); err != nil && c != beacon.Remove {
				t.Errorf("%v %s: %v", c, url, err)
			}
			e.shows(t, want...)
		}
		if owns := b.Owns(url); owns != (c != beacon.Remove) {
			t.Errorf("after %v it owns %s: %v", c, url, owns)
		}
	}
	f(beacon.Add, two, two+" enabled")
	f(beacon.Add, one, one+" enabled", two+" enabled") // in the order of the URLs
	f(beacon.Disable, two, one+" enabled", two+" disabled")
	f(beacon.Enable, two, one+" enabled", two+" enabled")
	f(beacon.Disable, two, one+" enabled", two+" disabled")
	f(beacon.Add, two, one+" enabled", two+" enabled")
	f(beacon.Remove, one, two+" enabled")
	f(beacon.Adopt, one, one+" disabled", two+" enabled")
	f(beacon.Remove, two, one+" disabled")
	f(beacon.Enable, one, one+" enabled")
	f(beacon.Remove, one)
	if err := apply(beacon.Enable, one); !errors.Is(err, beacon.ErrNotManaged) {
		t.Errorf("a member that left is enabled: %v", err)
	}
}

func TestMembersAreLikeTheDefaults(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	if err := apply(beacon.Add, "http://[2001:db8::1]:81"); err != nil {
		t.Fatal(err)
	}
	v := e.Clusters()[0].Endpoints[2]
	if v.ID == "" {
		t.Error("no id")
	}
	v.ID = ""
	want := EndpointView{URL: "http://[2001:db8::1]:81", Address: "[2001:db8::1]:81", Origin: "beacon", State: "enabled", Health: "unchecked", Circuit: "closed", Weight: 3, Priority: 2}
	if v != want {
		t.Errorf("the member is %+v, want %+v", v, want)
	}
	c := e.current.Load().cluster("fleet")
	ep := c.endpoints[c.balance.Endpoints()[2].Index()]
	if ep.state.permits.TryAcquire(); ep.authority != "[2001:db8::1]:81" || ep.idleTimeout != int64(c.config.BeaconDefaults.IdleTimeout) || !c.limited {
		t.Errorf("endpoint %+v of a cluster with limits: %v", ep, c.limited)
	}
}

// What others have is left alone: the configuration, and other receivers.
func TestMembersOfOthers(t *testing.T) {
	e := idleEngine(t, fleetText)
	b, apply := brings(t, e)
	other, bring := brings(t, e)
	for _, url := range []string{"http://127.0.0.1:80", "HTTP://127.0.0.1/", "http://app"} {
		for _, c := range []beacon.Change{beacon.Add, beacon.Adopt, beacon.Enable, beacon.Disable} {
			if err := apply(c, url); !errors.Is(err, beacon.ErrNotManaged) {
				t.Errorf("%v of %s, which is configured: %v", c, url, err)
			}
		}
		_ = apply(beacon.Remove, url)
	}
	e.shows(t)
	const url = "http://10.0.0.1"
	if err := apply(beacon.Add, url); err != nil {
		t.Fatal(err)
	}
	for _, c := range []beacon.Change{beacon.Add, beacon.Adopt, beacon.Enable, beacon.Disable} {
		if err := bring(c, url); !errors.Is(err, beacon.ErrNotManaged) {
			t.Errorf("%v of another's: %v", c, err)
		}
	}
	_ = bring(beacon.Remove, url)
	e.shows(t, url+" enabled")
	if !b.Owns(url) || other.Owns(url) {
		t.Error("the wrong one owns it")
	}
}

// TestRecompileKeepsTheRest has one member join, and compares what was there before.
func TestRecompileKeepsTheRest(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	if err := apply(beacon.Add, "http://10.0.0.5"); err != nil {
		t.Fatal(err)
	}
	before := e.current.Load()
	_ = apply(beacon.Add, "http://10.0.0.1")
	after := e.current.Load()
	if after == before || len(before.cluster("fleet").balance.Endpoints()) != 3 {
		t.Fatal("the old snapshot was changed")
	}
	if after.table != before.table || after.settings != before.settings || after.cluster("other") != before.cluster("other") {
		t.Error("what had no part in it was made anew")
	}
	old, now := before.cluster("fleet"), after.cluster("fleet")
	for i, b := range old.balance.Endpoints() {
		j := i
		if i == 2 {
			j = 3 // the new one stands before it
		}
		if now.balance.Endpoints()[j] != b || now.endpoints[b.Index()] != old.endpoints[b.Index()] {
			t.Errorf("endpoint %d was made anew", i)
		}
	}
	_ = apply(beacon.Remove, "http://10.0.0.1")
	last := e.current.Load()
	_ = apply(beacon.Remove, "http://10.0.0.1")
	if e.current.Load() != last {
		t.Error("a change of nothing made a snapshot")
	}
}

func TestRecompileGivesBack(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	series := func() int {
		var b strings.Builder
		if err := e.stats.WritePrometheus(&b); err != nil {
			t.Fatal(err)
		}
		return strings.Count(b.String(), `millrace_proxy_lb_active_connections{cluster="fleet",backend_url="http://10.`)
	}
	for range 3 {
		for i := range 20 {
			_ = apply(beacon.Add, fmt.Sprintf("http://10.0.0.%d", i))
		}
		if n := series(); n != 20 {
			t.Errorf("%d members have series, want 20", n)
		}
		c := e.current.Load().cluster("fleet")
		gone := c.endpoints[c.balance.Endpoints()[21].Index()]
		for i := range 20 {
			_ = apply(beacon.Remove, fmt.Sprintf("http://10.0.0.%d", i))
		}
		if n := series(); n != 0 || !gone.state.left.Load() {
			t.Errorf("%d members that left have series; its connections are kept: %v", n, !gone.state.left.Load())
		}
	}
	if n := e.current.Load().cluster("fleet").balance.Slots(); n != 2 {
		t.Errorf("%d slots for 2 endpoints", n)
	}
}

// A member keeps what operators said, and what its circuit is, while others come and go.
func TestMembersKeepTheirState(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	const url = "http://10.0.0.5"
	_ = apply(beacon.Add, url)
	id := e.Clusters()[0].Endpoints[2].ID
	if v, err := e.SetEndpoint("fleet", id, EndpointChange{State: "drain", Weight: 9}); err != nil || v.State != "drain" || v.Weight != 9 {
		t.Fatalf("%+v, %v", v, err)
	}
	_ = apply(beacon.Add, "http://10.0.0.1")
	for _, c := range []beacon.Change{beacon.Disable, beacon.Enable, beacon.Add} {
		_ = apply(c, url)
		v := e.Clusters()[0].Endpoints[3]
		if v.URL != url || v.ID != id || v.State != "drain" || v.Weight != 9 {
			t.Errorf("after %v it is %+v", c, v)
		}
	}
	_ = apply(beacon.Disable, url)
	if v, _ := e.SetEndpoint("fleet", id, EndpointChange{State: "enabled"}); v.State != "disabled" {
		t.Errorf("without a lease and an operator's word it is %s", v.State)
	}
}

// In the clear nobody speaks to a member that is for TLS.
func TestSecureMembersGetNothing(t *testing.T) {
	e := idleEngine(t, strings.Replace(fleetText, "{weight: 3, ", "{active_check: true, weight: 3, ", 1))
	_, apply := brings(t, e)
	_ = apply(beacon.Add, "https://127.0.0.1")
	v := e.Clusters()[0].Endpoints[2]
	if v.URL != "https://127.0.0.1" || v.Address != "127.0.0.1:443" || v.State != "enabled" || v.Weight != 0 {
		t.Errorf("the member is %+v", v)
	}
	if _, err := e.SetEndpoint("fleet", v.ID, EndpointChange{Weight: 5, State: "drain"}); err == nil || e.Clusters()[0].Endpoints[2] != v {
		t.Errorf("it takes a weight: %v, and is %+v", err, e.Clusters()[0].Endpoints[2])
	}
	c := e.current.Load().cluster("fleet")
	if ep := c.endpoints[c.balance.Endpoints()[2].Index()]; ep.check != nil || ep.state.checks.prober != nil {
		t.Error("it is probed")
	}
}

// TestMembersByName has a member whose addresses must be looked up: here, in the hosts file or
// by what is known of the name (RFC 6761, 6.3).
func TestMembersByName(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	if err := apply(beacon.Add, "http://localhost:8080"); err != nil {
		t.Fatal(err)
	}
	addresses := func() (all []string) {
		for _, v := range e.Clusters()[0].Endpoints[2:] {
			if v.Origin != "beacon" || v.URL != "http://localhost:8080" {
				t.Errorf("endpoint %+v", v)
			}
			all = append(all, v.Address)
		}
		return all
	}
	comes(t, "the name has addresses", func() bool { return len(addresses()) > 0 })
	for _, a := range addresses() {
		if at := netip.MustParseAddrPort(a); !at.Addr().IsLoopback() || at.Port() != 8080 {
			t.Errorf("address %s", a)
		}
	}
	_ = apply(beacon.Disable, "http://localhost:8080")
	for _, v := range e.Clusters()[0].Endpoints[2:] {
		if v.State != "disabled" {
			t.Errorf("%s is %s", v.Address, v.State)
		}
	}
	_ = apply(beacon.Remove, "http://localhost:8080")
	e.shows(t)
}

// A change does not wait for a reload that stands still, and is in force right after it.
func TestMembersBehindAReload(t *testing.T) {
	e := idleEngine(t, fleetText)
	b, apply := brings(t, e)
	e.reloading.Lock()
	for i := range 3 {
		if err := apply(beacon.Add, fmt.Sprintf("http://10.0.0.%d", i)); err != nil {
			t.Error(err)
		}
	}
	_ = apply(beacon.Disable, "http://10.0.0.1")
	_ = apply(beacon.Remove, "http://10.0.0.2")
	if !b.Owns("http://10.0.0.1") {
		t.Error("it owns nothing")
	}
	e.shows(t)
	e.reloading.Unlock()
	comes(t, "the members are there", func() bool { return len(e.Clusters()[0].Endpoints) == 4 })
	e.shows(t, "http://10.0.0.0 enabled", "http://10.0.0.1 disabled")
}

// After the end nothing is compiled any more, whoever comes late.
func TestMembersAfterTheEnd(t *testing.T) {
	e := idleEngine(t, fleetText)
	_, apply := brings(t, e)
	e.Stop()
	_ = apply(beacon.Add, "http://10.0.0.1")
	_ = apply(beacon.Add, "http://app.example")
	e.shows(t)
}

func TestClusterOf(t *testing.T) {
	e := idleEngine(t, fleetText)
	s := e.current.Load()
	var got []string
	for _, target := range s.targets {
		name := "none"
		if c := s.clusterOf(target); c != nil {
			name = c.name
		}
		got = append(got, target.name+" "+name)
	}
	if want := []string{"/ fleet", "/other other", "/local none"}; !slices.Equal(got, want) {
		t.Errorf("routes lead to %q, want %q", got, want)
	}
}

// comes fails the test when cond stays false.
func comes(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("in vain waited until %s", what)
		}
	}
}

// BenchmarkRecompile has a member leave and come back, of so many.
func BenchmarkRecompile(b *testing.B) {
	for _, algorithm := range []lb.Algorithm{lb.TwoRandom, lb.RoundRobin} {
		for _, n := range []int{256, 4000} {
			b.Run(fmt.Sprint(algorithm, "/", n), func(b *testing.B) {
				e := idleEngine(b, strings.Replace(fleetText, "round_robin", algorithm.String(), 1))
				_, apply := brings(b, e)
				e.reloading.Lock() // all in one
				for i := range n {
					_ = apply(beacon.Add, fmt.Sprintf("http://10.0.%d.%d", i/250, i%250))
				}
				e.recompile()
				e.reloading.Unlock()
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					_ = apply(beacon.Remove, "http://10.0.0.1")
					_ = apply(beacon.Add, "http://10.0.0.1")
				}
			})
		}
	}
}
