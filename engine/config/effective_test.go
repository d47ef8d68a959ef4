package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// everyKey sets every key there is, apart from those that exclude each other.
const everyKey = `
workers: 3
proxy_concurrent_conns: 100
shutdown_delay: 1500ms
shutdown_timeout: 90
client_ip_from_header: X-Forwarded-For
trusted_proxies: [10.1.2.3/8, "2001:db8::1"]
listeners:
  - ":8080"
  - {address: "unix:/run/web.sock", name: local, http2: false, proxy_protocol: true}
  - address: "[::1]:8443"
    tls:
      certificates: [{cert: /a.pem, key: /a.key}, {cert: /b.pem, key: /b.key}]
      min_version: "1.3"
      client_ca: /ca.pem
      client_auth: optional
timeouts: {header: 1s, tls_handshake: 2s, idle: 33, body_idle: 4s, body: 5m, tunnel: 0, write_idle: 100ms}
limits: {header_bytes: 16384, header_count: 64, uri_bytes: 1000, body_bytes: 1MiB, connections: 9, http2_streams: 10}
routes:
  - {host: [A.example, "*.b.example"], listeners: [":8080", local], prefix: /api, strip_prefix: true, rewrite_host: true, cluster: web}
  - {prefix: /hello, local: {status: 203, body: "a <b> \"c\"\n"}}
  - {prefix: /one, proxy: "http://127.0.0.1:81"}
  - {prefix: /two, proxy: ["http://127.0.0.1:81", "http://[::1]:82"]}
  - {prefix: /three, listeners: [local], proxy: {algorithm: random, upstreams: ["http://{{request.host}}"]}}
  - {prefix: /three, proxy: {keepalive: false, upstreams: [http://c]}}
  - {prefix: /four, cluster: keyed}
  - {prefix: /five, cluster: hashed}
clusters:
  web:
    upstreams:
      - url: HTTPS://App.Example:443
        weight: 3
        priority: 2
        limit: 9
        idle_timeout: 5s
        connection_timeout: false
        cert: /c.pem
        key: /c.key
        ca: /ca.pem
        server_name: sni.example
        logical_dns: true
        active_check: {uri: /up, method: HEAD, interval: 60s, timeout: 1s, expect_status: "200,3xx", response_time_threshold: 900ms, consecutive_fails: 3, consecutive_passes: 4, no_verification: true}
      - {srv: _http._tcp.app.example, dns_servers: [127.0.0.1, "[::1]:5353"], active_check: {body_match: fine}}
      - {url: "http://app", unix: /run/app.sock, active_check: false}
    algorithm: p2c_ewma
    beacon_defaults: {weight: 4, active_check: true}
    affinity: {cookie: {name: stick, secret_file: /cookie, ttl: 24h, path: /p, domain: a.example, secure: true, httponly: false, samesite: strict}}
    circuit_breaker: {max_fails: 6, window: 31s, open_duration: 32s, consecutive_passes: 2, record_5xx: true, latency_threshold: 500ms, flapping_transitions: 0, flapping_window: 11s, slow_start: 3s}
    retry_connection: false
    max_retries_per_upstream: 0
    retry_budget: {max_retry_rate: 0.000001, max_tokens: 11, refill_rate: 2.5}
    keepalive: true
    http2: true
    response_header_timeout: 12s
    response_idle_timeout: 0
    intercept_errors: true
    no_verification: true
    request_header: ["+X-A: b", "-X-C", "Host: {{request.host}}"]
    response_header: ["-Server"]
    metrics_resolved_ip: true
  keyed: {upstreams: ["http://d"], affinity: {header: {name: X-Tenant}}, pipeline: 7, proxy_header: , circuit_breaker: false, retry_budget: true}
  hashed: {upstreams: ["http://d"], affinity: {hash: {variable: request.header.X-Tenant}}, http2_only: true}
  by-ip: {affinity: ip, upstreams: [{url: "http://d"}], proxy_header: v2}
beacon:
  receive: [{listen: "0.0.0.0:5555", cluster: web, secret_file: /secret, timeout: 30s, max_skew: 10s}]
  announce: [{address: "proxy.example:5556", advertise: "http://10.0.0.5:80", secret_file: /secret, interval: 1s}]
admin: {address: "127.0.0.1:9091", token_file: /token}
log: {level: warn, format: text}
access_log: {path: stderr, format: combined}
trace: {otlp_endpoint: "http://127.0.0.1:4318/x", generate: false, trust_request: true, sample_ratio: 0.25}
`

// shownOf returns the effective configuration of a file, which has no fault.
func shownOf(t *testing.T, file string) string {
	t.Helper()
	c, err := parse("f.yaml", []byte(file), environment)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, file)
	}
	text, err := Effective(c)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatalf("not JSON: %s", text)
	}
	return string(text)
}

// TestEffectiveIsAFile reads the effective configuration as a file, which must mean the same.
func TestEffectiveIsAFile(t *testing.T) {
	for _, file := range []string{everyKey, ok, web("affinity: ip"), ok + "admin: false\n", ok + "admin: {address: false}\n"} {
		shown := shownOf(t, file)
		if again := shownOf(t, shown); again != shown {
			t.Errorf("got\n%s\nout of\n%s", again, shown)
		}
	}
}

// effectiveAt finds a value in the effective configuration of a file.
func effectiveAt(t *testing.T, file string, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(shownOf(t, file)), &v); err != nil {
		t.Fatal(err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

func TestEffectiveValues(t *testing.T) {
	f := func(file, want string, path ...any) {
		t.Helper()
		if got, _ := json.Marshal(effectiveAt(t, file, path...)); string(got) != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	f(ok, `"auto"`, "workers")
	f(everyKey, `3`, "workers")
	f(ok, `{"body":"0s","body_idle":"30s","header":"10s","idle":"75s","tls_handshake":"10s","tunnel":"1h","write_idle":"60s"}`, "timeouts")
	f(ok, `"32KiB"`, "limits", "header_bytes")
	f(ok, `"0"`, "limits", "body_bytes")
	f(ok, `[]`, "trusted_proxies")
	f(ok, `null`, "client_ip_from_header")
	f(ok, `null`, "access_log")
	f(ok, `{}`, "clusters")
	f(ok, `"127.0.0.1:9090"`, "admin", "address")
	f(ok+"admin: false\n", `false`, "admin")
	f(ok, `{"generate":true,"sample_ratio":1,"trust_request":false}`, "trace")
	f(ok, `{"address":":80","http2":true,"name":":80","proxy_protocol":false}`, "listeners", 0)
	f(everyKey, `["10.0.0.0/8","2001:db8::1/128"]`, "trusted_proxies")
	f(everyKey, `"x-forwarded-for"`, "client_ip_from_header")
	f(everyKey, `"unix:/run/web.sock"`, "listeners", 1, "address")
	f(everyKey, `"90s"`, "shutdown_timeout")
	f(everyKey, `["a.example","*.b.example"]`, "routes", 0, "host")
	f(everyKey, `"web"`, "routes", 0, "cluster")
	f(everyKey, `null`, "routes", 0, "proxy")
	f(everyKey, `{"body":"a \u003cb\u003e \"c\"\n","status":203}`, "routes", 1, "local")
	f(everyKey, `null`, "routes", 2, "cluster")
	f(everyKey, `"http://127.0.0.1:81"`, "routes", 2, "proxy", "upstreams", 0, "url")
	f(everyKey, `"http://[::1]:82"`, "routes", 3, "proxy", "upstreams", 1, "url")
	f(everyKey, `"two_random"`, "routes", 3, "proxy", "algorithm")
	f(everyKey, `"http://{{request.host}}"`, "routes", 4, "proxy", "upstreams", 0, "url")
	f(everyKey, `false`, "routes", 5, "proxy", "keepalive")
	f(everyKey, `"https://app.example"`, "clusters", "web", "upstreams", 0, "url")
	f(everyKey, `false`, "clusters", "web", "upstreams", 0, "connection_timeout")
	f(everyKey, `"5s"`, "clusters", "web", "upstreams", 1, "connection_timeout")
	f(everyKey, `["127.0.0.1:53","[::1]:5353"]`, "clusters", "web", "upstreams", 1, "dns_servers")
	f(everyKey, `false`, "clusters", "web", "upstreams", 2, "active_check")
	f(everyKey, `"2xx,3xx"`, "clusters", "web", "beacon_defaults", "active_check", "expect_status")
	f(everyKey, `{"header":{"name":"X-Tenant"}}`, "clusters", "keyed", "affinity")
	f(everyKey, `{"hash":{"variable":"request.header.x-tenant"}}`, "clusters", "hashed", "affinity")
	f(everyKey, `{"ip":{}}`, "clusters", "by-ip", "affinity")
	f(everyKey, `false`, "clusters", "keyed", "circuit_breaker")
	f(everyKey, `{"max_retry_rate":0.1,"max_tokens":10,"refill_rate":2}`, "clusters", "keyed", "retry_budget")
	f(everyKey, `["+X-A: b","-X-C","Host: {{request.host}}"]`, "clusters", "web", "request_header")
}

func TestEffectiveKeepsTheOrder(t *testing.T) {
	shown, last := shownOf(t, everyKey), -1
	keys := []string{"workers", "listeners", "timeouts", "routes", "clusters", "web", "keyed", "hashed", "by-ip", "beacon", "admin", "log", "access_log", "trace"}
	for _, key := range keys {
		i := strings.Index(shown, fmt.Sprintf("%q:", key))
		if i <= last {
			t.Errorf("%s is not behind the key before", key)
		}
		last = i
	}
}

func TestEffectiveMasksSecrets(t *testing.T) {
	f := func(rule, want string) {
		t.Helper()
		for _, key := range []string{"request_header", "response_header"} {
			shown := shownOf(t, web(key+": [\""+rule+"\"]"))
			if !strings.Contains(shown, fmt.Sprintf("%q:[%q]", key, want)) || want != rule && strings.Contains(shown, "hidden") {
				t.Errorf("%s in %s, want %s", rule, shown, want)
			}
		}
	}
	f("Authorization: Basic hidden", "Authorization: ***")
	f("+PROXY-authorization: hidden", "+PROXY-authorization: ***")
	f("Cookie: hidden", "Cookie: ***")
	f("X-Api-Key: hidden", "X-Api-Key: ***")
	f("+x-TOKEN-2: hidden {{remote.ip}}", "+x-TOKEN-2: ***")
	f("MySecret: hidden", "MySecret: ***")
	f("-Authorization", "-Authorization")
	f("X-Plain: visible", "X-Plain: visible")
	f("X-Authorization-Not: visible", "X-Authorization-Not: visible")

	const passphrase = "a-long-random-shared-cluster-secret"
	for _, file := range []string{
		receive("{listen: \":5555\", cluster: web, secret: " + passphrase + "}"),
		announce("{address: \"h:5555\", secret: " + passphrase + "}"),
	} {
		if shown := shownOf(t, file); strings.Contains(shown, passphrase) || !strings.Contains(shown, `"secret":"***"`) {
			t.Errorf("secrets in %s", shown)
		}
	}
}

// TestEveryFormIsEffective walks all keys.
func TestEveryFormIsEffective(t *testing.T) {
	var walk func(path string, k keys)
	walk = func(path string, k keys) {
		for _, f := range k {
			inner := f.form
			if o, ok := inner.(optional); ok {
				inner = o.form
			}
			if _, ok := inner.(effective); !ok {
				t.Errorf("%s: %T has no effective value", join(path, f.name), inner)
			}
			s := f.form.shape()
			walk(join(path, f.name)+s.item, s.keys)
		}
	}
	walk("", defaultConfig().keys())
}

// TestEffectiveIsRepeatable also holds that a Config is not changed by being shown.
func TestEffectiveIsRepeatable(t *testing.T) {
	c, err := parse("f.yaml", []byte(everyKey), environment)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := Effective(c)
	second, _ := Effective(c)
	if string(first) != string(second) || c.Routes[2].inline != nil || c.Routes[2].Cluster != "/one" || len(c.Clusters) != 8 {
		t.Errorf("%v, %v, then\n%s\n%s", c.Routes[2], len(c.Clusters), first, second)
	}
}

// FuzzEffective holds that whatever loads can be shown.
func FuzzEffective(f *testing.F) {
	f.Add(everyKey)
	f.Add(ok)
	f.Add(web("request_header: [\"X-Key: \\u2028\\xff\"]"))
	f.Add(local("a\\u0000\\U0001F600</script>"))
	f.Fuzz(func(t *testing.T, file string) {
		c, err := parse("f.yaml", []byte(file), environment)
		if err != nil {
			return
		}
		if text, err := Effective(c); err != nil || !json.Valid(text) {
			t.Errorf("%v, %s", err, text)
		}
	})
}
