package engine_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"millrace/engine"

	"github.com/miekg/dns"
)

// portNumber is the port of an upstream.
func portNumber(u *upstream) string {
	_, port, _ := net.SplitHostPort(u.address)
	return port
}

// A request that comes before the first answer waits for it; start does not.
func TestNameIsWaitedFor(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1")
	n.silence(true)
	s := n.named("url: http://app.test:" + portNumber(e.upstream))
	s.workers = 2
	p := s.run(t)
	if ok, why := p.engine.Ready(); !ok {
		t.Errorf("not ready: %s", why)
	}
	var clients []*wire
	for range 5 {
		c := p.dial()
		c.get("/x")
		clients = append(clients, c)
	}
	<-n.first
	n.silence(false)
	for _, c := range clients {
		c.see(ok("/x"))
		c.close()
	}
	if got := p.metric("millrace_proxy_pool_waits_total"); got != 0 {
		t.Errorf("%v waits for a connection, want none", got)
	}
	p.released()
}

// A name that has no address in connection_timeout is no reason to wait for longer.
func TestNameIsNotWaitedForTooLong(t *testing.T) {
	t.Parallel()
	f := func(what string, limit string, change func(n *nameserver)) {
		t.Helper()
		n := newNameserver(t)
		change(n)
		p := n.named("url: http://app.test, connection_timeout: 300ms" + limit).run(t)
		c := p.dial()
		began := time.Now()
		c.get("/")
		c.seesSoon(503)
		if took := time.Since(began); took < 250*time.Millisecond {
			t.Errorf("%s: refused after %v", what, took)
		}
		eventually(t, what+" is logged as a dns_error", func() bool { return strings.Contains(p.log.String(), "proxy error: dns_error") })
	}
	f("silence", "", func(n *nameserver) { n.silence(true) })
	f("SERVFAIL", "", func(n *nameserver) { n.fail(dns.RcodeServerFailure) })
	f("no such name", "", func(*nameserver) {})
	f("with a limit", ", limit: 1", func(n *nameserver) { n.silence(true) })
}

// Who waits for a name and leaves is forgotten.
func TestNameIsWaitedForByTheLiving(t *testing.T) {
	t.Parallel()
	n := newNameserver(t)
	n.silence(true)
	p := n.named("url: http://app.test").run(t)
	c := p.dial()
	c.get("/")
	<-n.first
	c.reset()
	p.released()
}

// A service that is said not to be there is an answer: nobody waits for another one.
func TestServiceThatIsNotThere(t *testing.T) {
	t.Parallel()
	n := newNameserver(t, "_http._tcp.app.test. 60 SRV 0 0 0 .")
	p := n.named("srv: _http._tcp.app.test, connection_timeout: 60s").run(t)
	c := p.dial()
	c.get("/")
	c.seesSoon(503)
	eventually(t, "it is logged as no_endpoint", func() bool { return strings.Contains(p.log.String(), "no_endpoint") })
}

// With a limit on connections, those who waited for the name then wait for their turn.
func TestNameThenTurn(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1")
	n.silence(true)
	p := n.named("limit: 1, url: http://app.test:" + portNumber(e.upstream)).run(t)
	var clients []*wire
	for range 6 {
		c := p.dial()
		c.get("/x")
		clients = append(clients, c)
	}
	<-n.first
	n.silence(false)
	for _, c := range clients {
		c.see(ok("/x"))
		c.close()
	}
	p.released()
}

// Waiting for a name goes on in the configuration that a reload brings, and ends with its
// cluster.
func TestNameOverReload(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1")
	n.silence(true)
	p := n.named("url: http://app.test:" + portNumber(e.upstream)).run(t)
	c := p.dial()
	c.get("/x")
	<-n.first
	p.reload(n.named("url: http://app.test:" + portNumber(e.upstream) + ", weight: 2"))
	p.reload(n.named("url: http://127.0.0.1:" + portNumber(e.upstream)))
	c.see(ok("/x"))

	gone := n.named("url: http://app.test, connection_timeout: false")
	gone.routes += "\n  - {prefix: /other, proxy: \"http://127.0.0.1:9\"}"
	p.reload(gone)
	c.get("/x")
	asked := n.count()
	eventually(t, "the name is looked up", func() bool { return n.count() > asked })
	p.reload(setup{routes: "  - {prefix: /other, proxy: \"http://127.0.0.1:9\"}"})
	c.seesSoon(503)
}

// Endpoints that stay keep what is known of them when others come and go, over a reload, and
// while name servers fail.
func TestNamesByDifference(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	port := portNumber(e.upstream)
	n := newNameserver(t, "app.test. 1 A 127.0.0.1", "app.test. 1 A 127.0.0.2")
	s := n.named("url: http://app.test:" + port)
	p := s.run(t)
	first := "127.0.0.1:" + port
	p.settles(first, "127.0.0.2:"+port)
	before := p.resolved()[0]
	if before.Address != first || before.Origin != "dns" || before.URL != "http://app.test:"+port {
		t.Fatalf("endpoint %+v", before)
	}
	if _, err := p.engine.SetEndpoint(p.engine.Clusters()[0].Name, before.ID, engine.EndpointChange{Weight: 7}); err != nil {
		t.Fatal(err)
	}
	n.set("app.test. 1 A 127.0.0.3", "app.test. 1 A 127.0.0.1")
	p.settles(first, "127.0.0.3:"+port)
	n.set("app.test. 1 A 127.0.0.1")
	p.settles(first)
	asked := n.count()
	n.fail(dns.RcodeServerFailure)
	p.reload(s)
	eventually(t, "a lookup fails", func() bool { return strings.Contains(p.log.String(), "dns lookup failed") })
	c := p.dial()
	c.get("/x")
	c.see(ok("/x"))
	if after := p.resolved()[0]; after.ID != before.ID || after.Weight != 7 || after.Requests != before.Requests+1 {
		t.Errorf("endpoint before %+v, after %+v", before, after)
	}
	if n.count() > asked+4 {
		t.Errorf("%d queries by a reload and an outage that has just begun", n.count()-asked)
	}
	if got := p.metric("millrace_proxy_dns_cache_stale_entries"); got != 1 {
		t.Errorf("%v stale entries, want 1", got)
	}
}

// A service brings targets with their port, weight and priority, each with a URL of its own.
func TestService(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	n := newNameserver(t, "_http._tcp.app.test. 1 SRV 1 3 "+portNumber(e.upstream)+" A.test.", "_http._tcp.app.test. 1 SRV 2 1 80 b.test.",
		"a.test. 60 A 127.0.0.1", "b.test. 60 A 127.0.0.2")
	s := n.named("srv: _http._tcp.app.test, weight: 2, priority: 5", "metrics_resolved_ip: true")
	s.routes = strings.Replace(s.routes, "- proxy", "- rewrite_host: true\n    proxy", 1)
	p := s.run(t)
	p.settles(e.address, "127.0.0.2:80")
	all := p.resolved()
	for i, want := range []engine.EndpointView{
		{URL: "http://a.test:" + portNumber(e.upstream), Address: e.address, Weight: 6, Priority: 6},
		{URL: "http://b.test", Address: "127.0.0.2:80", Weight: 2, Priority: 7},
	} {
		got := all[i]
		want.ID, want.Origin, want.State, want.Health, want.Circuit = got.ID, "srv", "enabled", "unchecked", "closed"
		if got != want {
			t.Errorf("endpoint %+v, want %+v", got, want)
		}
	}
	c := p.dial()
	c.get("/x")
	c.see(ok("/x"))
	labels := fmt.Sprintf(`backend_url="http://a.test:%s",backend_resolved_ip="127.0.0.1",dns_status="resolved"}`, portNumber(e.upstream))
	if got := p.metric(`millrace_proxy_backends_selected_total{cluster="` + p.engine.Clusters()[0].Name + `",` + labels); got != 1 {
		t.Errorf("%v selections with %s, want 1", got, labels)
	}
	id := all[0].ID
	n.set("_http._tcp.app.test. 1 SRV 1 4 "+portNumber(e.upstream)+" a.test.", "a.test. 60 A 127.0.0.1")
	p.settles(e.address)
	if got := p.resolved()[0]; got.ID != id || got.Weight != 8 || got.Requests != 1 {
		t.Errorf("endpoint %+v, want %s with weight 8 and 1 request", got, id)
	}
}

// A process that takes over begins with the answers of the one before, and serves when it has
// those that it lacked.
func TestNamesAreHandedOver(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	port := portNumber(e.upstream)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1")
	s := n.named("url: http://app.test:" + port)
	p := s.run(t)
	p.settles("127.0.0.1:" + port)
	id := p.resolved()[0].ID
	n.silence(true)
	next := p.follow(s) // there is no name to wait for
	if got := next.resolved(); len(got) != 1 || got[0].ID != id {
		t.Errorf("endpoints %+v, want that of before", got)
	}
	n.set("app.test. 60 A 127.0.0.1", "other.test. 60 A 127.0.0.2")
	asked := n.count()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		settles(func() bool { return n.count() > asked+1 })
		n.silence(false)
	}()
	last := next.follow(n.named("url: http://other.test:" + port))
	if last.engine.NamesPending() {
		t.Error("it serves without an answer")
	}
	<-answered
	last.settles("127.0.0.2:" + port)
}

// A name with logical_dns is one endpoint. Of its addresses the one is used that can be
// connected to, first by those that come later.
func TestLogicalName(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	port := portNumber(e.upstream)
	text := "  - proxy: {circuit_breaker: false, retry_connection: false, max_retries_per_upstream: 0, metrics_resolved_ip: true, " +
		"upstreams: [{logical_dns: true, url: \"http://app.invalid:" + port + "\"}]}"
	state, err := json.Marshal(map[string]any{
		"version": engine.HandoverVersion, "cookie_secret": make([]byte, 32),
		"names": []map[string]any{{"kind": "logical", "name": "app.invalid", "addrs": []string{"::1", "127.0.0.1"}, "ttl": int64(time.Hour)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, log: &journal{}, before: state}
	if err := p.start(setup{routes: text}.text(nil)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.engine.Stop)
	p.settles("[::1]:" + port)
	for range 3 {
		c := p.dial()
		c.get("/x")
		c.see(ok("/x"))
		c.close()
	}
	p.settles("127.0.0.1:" + port)
	series := `millrace_proxy_backends_selected_total{cluster="/",backend_url="http://app.invalid:` + port + `",dns_status="logical_dns"}`
	if got := p.metric(series); got != 3 {
		t.Errorf("%v selections, want 3", got)
	}
	p.released()
}

// A name is watched as long as a configuration in force has it, once however often it is
// reloaded. A configuration that fails leaves nothing behind.
func TestNamesAreReleased(t *testing.T) {
	t.Parallel()
	n := newNameserver(t, "app.test. 60 A 127.0.0.1", "other.test. 60 A 127.0.0.1")
	s := n.named("url: http://app.test")
	p := s.run(t)
	watched := func(want int) {
		t.Helper()
		if got := p.engine.Watched(); got != want {
			t.Errorf("%d names are watched, want %d", got, want)
		}
	}
	watched(1)
	p.reload(s)
	watched(1)
	p.reload(n.named("weight: 2, url: http://app.test"))
	watched(1)
	bad := n.named("url: http://other.test")
	bad.routes += "\n  - {prefix: /b, proxy: {upstreams: [\"http://late.test\"], affinity: {cookie: {secret_file: /nonexistent}}}}"
	c, err := parse(bad.text(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.engine.Reload(c); err == nil {
		t.Fatal("a configuration without its secret file is in force")
	}
	watched(1)
	p.settles("127.0.0.1:80")
	p.reload(n.named("url: http://other.test"))
	watched(1)
	p.reload(setup{routes: "  - proxy: \"http://127.0.0.1:9\""})
	watched(0)
}

// With other name servers, what is known of a name holds until they have answered.
func TestNameWithOtherServers(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	port := portNumber(e.upstream)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1", "app.test. 60 A 127.0.0.2")
	p := n.named("url: http://app.test:" + port).run(t)
	both := []string{"127.0.0.1:" + port, "127.0.0.2:" + port}
	p.settles(both...)
	id := p.resolved()[0].ID
	slow := newNameserver(t, "app.test. 60 A 127.0.0.1")
	slow.silence(true)
	p.reload(slow.named("url: http://app.test:" + port))
	<-slow.first
	if got := p.resolved(); len(got) != 2 || got[0].ID != id {
		t.Errorf("endpoints %+v, want those of before", got)
	}
	slow.silence(false)
	p.settles(both[0])
	if got := p.resolved()[0].ID; got != id {
		t.Errorf("endpoint %s, want %s", got, id)
	}
	unaware := newNameserver(t)
	p.reload(unaware.named("url: http://app.test:" + port))
	p.settles()
}

// The name of a member is looked up as beacon_defaults say, also after they have changed.
func TestNameOfMember(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	port := portNumber(e.upstream)
	n := newNameserver(t, "app.test. 60 A 127.0.0.1")
	other := newNameserver(t, "app.test. 60 A 127.0.0.2")
	at := freeUDP(t)
	with := func(n *nameserver) setup {
		return filled(fmt.Sprintf(", beacon_defaults: {dns_servers: [%q]}", n.address), receiver(at, ""))
	}
	p := with(n).run(t)
	announce(t, at, beaconSecret, "http://app.test:"+port)
	p.settles("127.0.0.1:" + port)
	c := p.dial()
	c.get("/x")
	c.see(ok("/x"))
	p.reload(with(other))
	p.settles("127.0.0.2:" + port)
	if got := p.engine.Watched(); got != 1 {
		t.Errorf("%d names are watched, want 1", got)
	}
	if got := p.resolved()[0].Origin; got != "beacon" {
		t.Errorf("origin %s", got)
	}
}
