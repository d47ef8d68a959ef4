package config

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// mustParse returns the Config of a file that has to be accepted, by the schema too.
func mustParse(t *testing.T, file string) *Config {
	t.Helper()
	c, err := parse("dir/f.yaml", []byte(file), environment)
	if err != nil {
		t.Fatalf("refused: %v\nin\n%s", err, file)
	}
	if why := newValidator(t).refuses(t, file); why != "" {
		t.Errorf("not valid by the schema: %s\nin\n%s", why, file)
	}
	return c
}

// same fails unless got is want.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func TestSmallestFile(t *testing.T) {
	c := mustParse(t, "listeners: [\":8080\"]\nroutes:\n  - proxy: http://127.0.0.1:9000\n")
	same(t, "listener", c.Listeners[0], Listener{Name: ":8080", Address: Address{Text: ":8080", Port: 8080}, HTTP2: true, path: "listeners[0]"})
	same(t, "route", c.Routes[0], Route{Name: "/", Prefix: "/", Cluster: "/", path: "routes[0]"})
	want := defaultCluster("/")
	want.Inline, want.path = true, "routes[0].proxy"
	u := defaultUpstream()
	u.path = "routes[0].proxy"
	u.URL = URL{Text: "http://127.0.0.1:9000", Scheme: HTTP, Host: "127.0.0.1", Port: 9000, Authority: "127.0.0.1:9000"}
	want.Upstreams = []Upstream{u}
	same(t, "cluster", c.Clusters, []Cluster{want})
	same(t, "admin", c.Admin.Address.HostPort(), "127.0.0.1:9090")
	if c.AccessLog != nil || len(c.Beacon.Receive) != 0 {
		t.Errorf("access log %v, beacon %v", c.AccessLog, c.Beacon)
	}
}

func TestTopLevelValues(t *testing.T) {
	c := mustParse(t, ok+`
workers: 3
proxy_concurrent_conns: 7
shutdown_delay: 1500ms
shutdown_timeout: 20
client_ip_from_header: X-Forwarded-For
trusted_proxies: [10.1.2.3/8, "::1", 192.0.2.7, "::ffff:10.0.0.0/104", "2001:db8::/32"]
timeouts: {header: 0.5, tls_handshake: 2s, idle: 60, body_idle: 20s, body: 0, tunnel: 0s, write_idle: 1m30s}
limits: {header_bytes: 16KiB, header_count: 64, uri_bytes: 4096, body_bytes: 1MiB, connections: 1000, http2_streams: 64}
admin: {address: "[::1]:9091", token_file: token}
log: {level: debug, format: text}
access_log: {path: logs/access, format: combined}
trace: {otlp_endpoint: "HTTP://Collector:80/otlp/", generate: false, trust_request: true, sample_ratio: 0.5}
`)
	same(t, "workers", c.Workers, 3)
	same(t, "proxy_concurrent_conns", c.ProxyConcurrentConns, 7)
	same(t, "shutdown_delay", c.ShutdownDelay, 1500*time.Millisecond)
	same(t, "shutdown_timeout", c.ShutdownTimeout, 20*time.Second)
	same(t, "client_ip_from_header", c.ClientIPFromHeader, FromXForwardedFor)
	var want []netip.Prefix
	for _, s := range strings.Fields("10.0.0.0/8 ::1/128 192.0.2.7/32 10.0.0.0/8 2001:db8::/32") {
		want = append(want, netip.MustParsePrefix(s))
	}
	same(t, "trusted_proxies", c.TrustedProxies, want)
	same(t, "timeouts", c.Timeouts, Timeouts{Header: 500 * time.Millisecond, TLSHandshake: 2 * time.Second, Idle: time.Minute,
		BodyIdle: 20 * time.Second, WriteIdle: 90 * time.Second})
	same(t, "limits", c.Limits, Limits{HeaderBytes: 16384, HeaderCount: 64, URIBytes: 4096, BodyBytes: 1 << 20, Connections: 1000, HTTP2Streams: 64})
	same(t, "admin", *c.Admin, Admin{Address: Address{Text: "[::1]:9091", Host: "::1", Port: 9091}, TokenFile: "dir/token", path: "admin"})
	same(t, "log", c.Log, Log{Level: LevelDebug, Format: FormatText})
	same(t, "access_log", *c.AccessLog, AccessLog{Path: "dir/logs/access", Format: FormatCombined, path: "access_log"})
	same(t, "trace", c.Trace, Trace{OTLPEndpoint: "http://collector/otlp", TrustRequest: true, SampleRatio: 0.5})
}

func TestSwitches(t *testing.T) {
	f := func(keys string, breaker, budget bool) {
		t.Helper()
		c := mustParse(t, web(keys)).Clusters[0]
		if (c.CircuitBreaker != nil) != breaker || (c.RetryBudget != nil) != budget {
			t.Errorf("%s: breaker %v, budget %v", keys, c.CircuitBreaker, c.RetryBudget)
		}
	}
	f("keepalive: true", true, false)
	f("circuit_breaker: true", true, false)
	f("circuit_breaker: {}", true, false)
	f("circuit_breaker: false", false, false)
	f("circuit_breaker: \"${TRUE}\"", true, false)
	f("retry_budget: true", true, true)
	f("retry_budget: false", true, false)
	f("retry_budget: {max_tokens: 1}", true, true)
	c := mustParse(t, web("circuit_breaker: {max_fails: 2, latency_threshold: 1s, flapping_transitions: 0, slow_start: 0}\n    retry_budget: {max_retry_rate: 0, refill_rate: 0.5}")).Clusters[0]
	breaker := *defaultCircuitBreaker()
	breaker.MaxFails, breaker.LatencyThreshold, breaker.FlappingTransitions = 2, time.Second, 0
	same(t, "breaker", *c.CircuitBreaker, breaker)
	same(t, "budget", *c.RetryBudget, RetryBudget{MaxTokens: 10, RefillRate: 0.5})

	for _, admin := range []string{"admin: false", "admin: {address: false}", "admin: {address: false, token_file: t}"} {
		if c := mustParse(t, ok+admin+"\n"); c.Admin != nil {
			t.Errorf("%s: %v", admin, c.Admin)
		}
	}
	for _, admin := range []string{"admin: true", "admin: {}"} {
		if c := mustParse(t, ok+admin+"\n"); c.Admin == nil || c.Admin.Address.Port != 9090 {
			t.Errorf("%s: %v", admin, c.Admin)
		}
	}
}

func TestEmptySections(t *testing.T) {
	c := mustParse(t, ok+"client_ip_from_header:\ntimeouts:\nlimits:\nclusters:\nbeacon:\nlog:\ntrace:\n  otlp_endpoint:\n")
	same(t, "timeouts", c.Timeouts, defaultConfig().Timeouts)
	same(t, "trace", c.Trace, defaultConfig().Trace)
	c = mustParse(t, up+"clusters:\n  web:\nbeacon: {receive: [{listen: \":1\", cluster: web, secret: 0123456789abcdef}]}\n")
	same(t, "path", c.Clusters[0].path, "clusters.web")
}

func TestListenerForms(t *testing.T) {
	c := mustParse(t, listen(`"127.0.0.1:8080", {address: "[::1]:8081", http2: false, proxy_protocol: true, name: v6}, unix:/run/in.sock,
  {address: localhost:8443, tls: {certificates: [{cert: a.pem, key: /k/a.key}], min_version: 1.3, client_ca: ca.pem, client_auth: optional}}`))
	addresses := make([]Address, len(c.Listeners))
	for i, l := range c.Listeners {
		addresses[i] = l.Address
	}
	same(t, "addresses", addresses, []Address{
		{Text: "127.0.0.1:8080", Host: "127.0.0.1", Port: 8080},
		{Text: "[::1]:8081", Host: "::1", Port: 8081},
		{Text: "unix:/run/in.sock", Unix: "/run/in.sock"},
		{Text: "localhost:8443", Host: "localhost", Port: 8443},
	})
	same(t, "names", listenerNames(c), []string{"127.0.0.1:8080", "v6", "unix:/run/in.sock", "localhost:8443"})
	same(t, "host:port", []string{addresses[1].HostPort(), addresses[2].HostPort()}, []string{"[::1]:8081", ""})
	if l := c.Listeners[1]; l.HTTP2 || !l.ProxyProtocol {
		t.Errorf("%+v", l)
	}
	tls := c.Listeners[3].TLS
	same(t, "tls", *tls, ListenerTLS{
		Certificates: []Certificate{{Cert: "dir/a.pem", Key: "/k/a.key", path: "listeners[3].tls.certificates[0]"}},
		MinVersion:   TLS13, ClientCA: "dir/ca.pem", ClientAuth: OptionalCertificate,
	})
}

func TestRouteForms(t *testing.T) {
	c := mustParse(t, `
listeners: [":80", {address: ":81", name: two}]
routes:
  - {host: [A.example., "*.B.example", "[::1]", 10.0.0.1], prefix: /api, strip_prefix: true, rewrite_host: true, cluster: web}
  - {host: "", local: {status: 503, body: "down\n"}}
  - {listeners: [two], proxy: [http://a, http://b]}
  - {listeners: [":80"], proxy: {upstreams: [http://c], algorithm: random}}
  - {host: c.example, prefix: "/%C3%A4/", local: {}}
clusters:
  web: {upstreams: [http://w]}
`)
	same(t, "hosts", c.Routes[0].Hosts, []string{"a.example", "*.b.example", "[::1]", "10.0.0.1"})
	same(t, "local", *c.Routes[1].Local, Local{Status: 503, Body: "down\n"})
	same(t, "local by default", *c.Routes[4].Local, Local{Status: 200})
	var names, clusters []string
	for _, r := range c.Routes {
		names, clusters = append(names, r.Name), append(clusters, r.Cluster)
	}
	same(t, "names", names, []string{"a.example/api", "/", "/", "/", "c.example/%C3%A4/"})
	same(t, "clusters of routes", clusters, []string{"web", "", "/", "/~2", ""})
	same(t, "clusters", []string{c.Clusters[0].Name, c.Clusters[1].Name, c.Clusters[2].Name}, []string{"web", "/", "/~2"})
	same(t, "inline", c.Cluster("/~2").Algorithm, Random)
	same(t, "upstreams", []string{c.Cluster("/").Upstreams[1].URL.Text, c.Cluster("/").Upstreams[1].path}, []string{"http://b", "routes[2].proxy[1]"})
	if c.Cluster("none") != nil || !c.Clusters[1].Inline || c.Clusters[0].Inline {
		t.Errorf("clusters %+v", c.Clusters)
	}
}

func TestRoutesThatShareAHostAndPrefix(t *testing.T) {
	mustParse(t, "listeners: [\":80\", \":81\"]\nroutes: [{local: {}}, {listeners: [\":80\"], local: {}}, {listeners: [\":81\"], local: {}}]\n")
	mustParse(t, "listeners: [\":80\"]\nroutes: [{host: a, local: {}}, {host: \"*.a\", local: {}}, {local: {}}, {host: a, prefix: /a, local: {}}, {host: a, prefix: /a/, local: {}}]\n")
}

func TestAffinityForms(t *testing.T) {
	f := func(text string, want Affinity) {
		t.Helper()
		got := *mustParse(t, web("affinity: "+text)).Clusters[0].Affinity
		want.path = "clusters.web.affinity"
		if want.Cookie != nil {
			want.Cookie.path = "clusters.web.affinity.cookie"
		}
		same(t, text, got, want)
	}
	f("ip", Affinity{IP: true})
	f("{ip: {}}", Affinity{IP: true})
	f("{ip: }", Affinity{IP: true})
	f("{header: {name: X-Key}}", Affinity{Header: "X-Key"})
	f("{hash: {variable: request.header.X-Tenant}}", Affinity{Hash: Variable{Kind: RequestHeader, Field: "x-tenant"}})
	f("{hash: {variable: request.uri.path}}", Affinity{Hash: Variable{Kind: RequestURIPath}})
	f("{cookie: {}}", Affinity{Cookie: defaultCookieAffinity()})
	f("{cookie: }", Affinity{Cookie: defaultCookieAffinity()})
	f("{cookie: {name: s, secret_file: f, ttl: 1h, path: /a, domain: a.example, secure: true, httponly: false, samesite: none}}",
		Affinity{Cookie: &CookieAffinity{Name: "s", SecretFile: "dir/f", TTL: time.Hour, Path: "/a", Domain: "a.example", Secure: true, SameSite: SameSiteNone}})
	if a := mustParse(t, web("keepalive: true")).Clusters[0].Affinity; a != nil {
		t.Errorf("affinity %v without the key", a)
	}
}

func TestUpstreamForms(t *testing.T) {
	c := mustParse(t, upstream(`{url: "https://App.example:8443", weight: 1000000, priority: 2, limit: 5, idle_timeout: 30s, connection_timeout: false,
         unix: /run/app.sock, cert: c.pem, key: c.key, ca: ca.pem, server_name: x.example, dns_servers: [127.0.0.1, "[::1]:5353"],
         active_check: {uri: "/up?a=b", method: HEAD, interval: 1s, timeout: 500ms, expect_status: "2xx, 404", response_time_threshold: 1s, consecutive_fails: 3, consecutive_passes: 1, no_verification: true}}`))
	u := c.Clusters[0].Upstreams[0]
	expect, _ := parseStatusSet("2xx, 404")
	const at = "clusters.web.upstreams[0]"
	same(t, "upstream", u, Upstream{
		URL:  URL{Text: "https://app.example:8443", Scheme: HTTPS, Host: "app.example", Port: 8443, Authority: "app.example:8443"},
		Unix: "/run/app.sock",
		UpstreamSettings: UpstreamSettings{
			Weight: MaxWeight, Priority: 2, Limit: 5, IdleTimeout: 30 * time.Second,
			Cert: "dir/c.pem", Key: "dir/c.key", CA: "dir/ca.pem", ServerName: "x.example",
			DNSServers: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:53"), netip.MustParseAddrPort("[::1]:5353")},
			ActiveCheck: &ActiveCheck{URI: "/up?a=b", Method: "HEAD", Interval: time.Second, Timeout: 500 * time.Millisecond, ExpectStatus: expect,
				ResponseTimeThreshold: time.Second, ConsecutiveFails: 3, ConsecutivePasses: 1, NoVerification: true, path: at + ".active_check"},
		},
		path: at,
	})
	c = mustParse(t, upstream("{srv: _https._tcp.app.example, logical_dns: false, active_check: true}"))
	u = c.Clusters[0].Upstreams[0]
	if u.SRV != "_https._tcp.app.example" || !u.Secure() || u.ActiveCheck == nil || u.ActiveCheck.URI != "/health" {
		t.Errorf("%+v", u)
	}
	c = mustParse(t, web("beacon_defaults: {weight: 3, active_check: {uri: /up}}"))
	if d := c.Clusters[0].BeaconDefaults; d.Weight != 3 || d.ActiveCheck.URI != "/up" || d.IdleTimeout != time.Minute {
		t.Errorf("%+v", d)
	}
}

func TestBeaconForms(t *testing.T) {
	c := mustParse(t, web("keepalive: true")+`
beacon:
  receive:
    - {listen: 0.0.0.0:5555, cluster: web, secret: "hex:00112233445566778899AABBCCDDEEFF"}
    - {listen: ":5556", secret_file: s, timeout: 30, max_skew: 500ms}
  announce:
    - {address: proxy.example:5555, advertise: "HTTP://App.Example:80/", secret: sixteen bytes ok, interval: 100ms}
    - {address: 10.0.0.1:5555, secret_file: s}
`)
	r, a := c.Beacon.Receive, c.Beacon.Announce
	same(t, "secret", r[0].Secret.Text.Reveal(), "hex:00112233445566778899AABBCCDDEEFF")
	same(t, "second", r[1], BeaconReceive{Listen: Address{Text: ":5556", Port: 5556}, Secret: SecretSource{File: "dir/s"},
		Timeout: 30 * time.Second, MaxSkew: 500 * time.Millisecond, path: "beacon.receive[1]"})
	same(t, "advertise", []string{a[0].Advertise, a[1].Advertise}, []string{"http://app.example", ""})
	same(t, "interval", []time.Duration{a[0].Interval, a[1].Interval}, []time.Duration{100 * time.Millisecond, 5 * time.Second})
}

func TestEnvironment(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		same(t, text, mustParse(t, local(text)).Routes[0].Local.Body, want)
	}
	f("${SET}", "word")
	f("a ${SET} b${SET}", "a word bword")
	f("${UNSET:-fallback: x} and $$5 and ${TWO:-no}", "fallback: x and $5 and 2")
	f("$${SET}", "${SET}")
	f("$$$${SET}", "$${SET}")
	f("${EMPTY}", "")
	f("${EMPTY:-full}", "full")
	f("${UNSET:-}", "")
	f("${UNSET:-a:-b}", "a:-b")
	c := mustParse(t, ok+"workers: ${TWO}\ntrace:\n  generate: ${TRUE}\n  sample_ratio: 0.${TWO}\nshutdown_timeout: ${TWO}m\n")
	if c.Workers != 2 || !c.Trace.Generate || c.Trace.SampleRatio != 0.2 || c.ShutdownTimeout != 2*time.Minute {
		t.Errorf("%+v", c)
	}
	sneaky := func(string) (string, bool) { return "x\", status: 500} # ${SET}", true }
	c, err := parse("f.yaml", []byte(local("${ANY}")), sneaky)
	if err != nil || c.Routes[0].Local.Body != "x\", status: 500} # ${SET}" || c.Routes[0].Local.Status != 200 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTextTakesAnyScalar(t *testing.T) {
	for text, want := range map[string]string{"12": "12", "true": "true", "1.50": "1.50", "~a": "~a", "\"\"": "", "2026-01-01": "2026-01-01"} {
		same(t, text, mustParse(t, route("local: {body: "+text+"}")).Routes[0].Local.Body, want)
	}
}

func TestOrderOfClusters(t *testing.T) {
	c := mustParse(t, "listeners: [\":80\"]\nroutes: [{cluster: z}, {prefix: /p, proxy: http://p}]\nclusters: {z: {upstreams: [http://z]}, a: {upstreams: [http://a]}}\n")
	var names []string
	for _, cl := range c.Clusters {
		names = append(names, cl.Name)
	}
	if !slices.Equal(names, []string{"z", "a", "/p"}) {
		t.Errorf("%v", names)
	}
}
