package engine

import (
	"log/slog"
	"regexp"
	"slices"
	"testing"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/netpoll"
)

// viewed is an engine that does not run, with clusters of every kind.
func viewed(t *testing.T) *Engine {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(`
workers: 2
listeners: ["127.0.0.1:1"]
routes:
  - {host: a.example, prefix: /api, proxy: "http://127.0.0.1:9"}
  - {cluster: web}
clusters:
  web:
    algorithm: round_robin
    upstreams: [{url: "http://127.0.0.1:81", weight: 3}, {url: "http://[::1]"}, {url: "http://app", unix: /run/app.sock}, "http://localhost:82"]
`))
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

func TestClustersView(t *testing.T) {
	all := viewed(t).Clusters()
	if len(all) != 2 || all[0].Name != "web" || all[0].Algorithm != "round_robin" || all[1].Name != "a.example/api" || all[1].Algorithm != "two_random" {
		t.Fatalf("clusters %+v", all)
	}
	f := func(at int, url, address, origin string, weight int) {
		t.Helper()
		got := all[0].Endpoints[at]
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(got.ID) {
			t.Errorf("id %q", got.ID)
		}
		got.ID = ""
		if want := (EndpointView{URL: url, Address: address, Origin: origin, State: "enabled", Health: "unchecked", Circuit: "closed", Weight: weight}); got != want {
			t.Errorf("endpoint %d is %+v, want %+v", at, got, want)
		}
	}
	f(0, "http://127.0.0.1:81", "127.0.0.1:81", "static", 3)
	f(1, "http://[::1]", "[::1]:80", "static", 1)
	f(2, "http://app", "unix:/run/app.sock", "static", 1)
	for i := 3; i < len(all[0].Endpoints); i++ { // the name's addresses are the machine's affair
		f(i, "http://localhost:82", all[0].Endpoints[i].Address, "dns", 1)
	}
}

func TestClustersViewCounts(t *testing.T) {
	e := viewed(t)
	c := e.current.Load().cluster("web")
	var attempt lb.Attempt
	if c.pickers[0].Begin(&attempt, &lb.Want{Now: 1}) != lb.Picked {
		t.Fatal("no endpoint was picked")
	}
	busy := attempt.Endpoint()
	ep := c.endpoints[busy.Index()]
	ep.stats.Answered(0, stats.Answer{Status: 200, TTFB: -1})
	ep.stats.Answered(1, stats.Answer{Status: 500, TTFB: -1, Reused: true})
	ep.stats.Failed(1)
	for i, v := range e.Clusters()[0].Endpoints {
		want := EndpointView{}
		if v.ID == busy.ID() {
			want = EndpointView{Active: 1, Requests: 2, Failures: 1}
		}
		if v.Active != want.Active || v.Requests != want.Requests || v.Failures != want.Failures {
			t.Errorf("endpoint %d is %+v, want %+v", i, v, want)
		}
	}
	attempt.Finish(&lb.Outcome{Now: 2})
	if slices.ContainsFunc(e.Clusters()[0].Endpoints, func(v EndpointView) bool { return v.Active != 0 }) {
		t.Error("an attempt that ended is active")
	}
}

func TestOriginOf(t *testing.T) {
	f := func(authority, unix, want string) {
		t.Helper()
		if got := originOf(authority, netpoll.Addr{Unix: unix}); got != want {
			t.Errorf("originOf(%q, %q) = %s, want %s", authority, unix, got, want)
		}
	}
	f("10.0.0.1", "", "static")
	f("10.0.0.1:81", "", "static")
	f("[::1]", "", "static")
	f("[2001:db8::1]:81", "", "static")
	f("app.example", "", "dns")
	f("app.example:81", "", "dns")
	f("app", "/run/app.sock", "static")
	f("10.0.0.1.example", "", "dns")
}
