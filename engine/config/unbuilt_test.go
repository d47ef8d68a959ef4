package config

import (
	"strings"
	"testing"
)

func TestUnbuilt(t *testing.T) {
	f := func(file string, want ...string) {
		t.Helper()
		got := Unbuilt(mustParse(t, file))
		if len(got) != len(want) {
			t.Fatalf("%d faults, want %d: %v\nin %s", len(got), len(want), got, file)
		}
		for i, fault := range got {
			if !strings.HasPrefix(fault.Error(), "dir/f.yaml:"+want[i]) || !strings.Contains(fault.Error(), ": not built yet: ") {
				t.Errorf("got %v, want %s", fault, want[i])
			}
		}
	}
	f(ok)
	f(listen("{address: \":80\", http2: true, proxy_protocol: false}, unix:/a"))
	f(listen("{address: \":80\", proxy_protocol: true}"), "1:30: listeners[0].proxy_protocol: ")
	f(listen("{address: \":80\", tls: {certificates: [{cert: a, key: b}]}}"), "1:30: listeners[0].tls: ")

	f(web("algorithm: round_robin\n    circuit_breaker: false\n    retry_budget: false\n    max_retries_per_upstream: 2\n    http2: false\n    http2_only: false\n    pipeline: 0\n" +
		"    intercept_errors: false\n    no_verification: false\n    proxy_header:\n    metrics_resolved_ip: false\n    beacon_defaults: {}\n    request_header: [\"X: y\"]"))
	f(web("http2_only: true\n    no_verification: true\n    metrics_resolved_ip: true"),
		"6:5: clusters.web.http2_only: ", "7:5: clusters.web.no_verification: ")
	f(web("http2: true"), "6:5: clusters.web.http2: ")
	f(web("pipeline: 2"), "6:5: clusters.web.pipeline: ")
	f(web("proxy_header: v1"), "6:5: clusters.web.proxy_header: ")
	f(web("beacon_defaults: {weight: 2, active_check: true, limit: 3, priority: 1, idle_timeout: 1s, connection_timeout: false, logical_dns: false, dns_servers: []}"))
	f(web("beacon_defaults: {logical_dns: true, dns_servers: [127.0.0.1]}"))
	f(web("beacon_defaults: {cert: a, key: b, ca: c, server_name: n}"), "6:23: clusters.web.beacon_defaults.cert: ",
		"6:32: clusters.web.beacon_defaults.key: ", "6:40: clusters.web.beacon_defaults.ca: ", "6:47: clusters.web.beacon_defaults.server_name: ")

	const at = "clusters.web.upstreams[0]"
	f(upstream("{url: http://localhost:1, weight: 2, priority: 0, limit: 0, logical_dns: false, dns_servers: [], active_check: false, unix: /a, connection_timeout: false}"))
	f(upstream("http://name.example"))
	f(upstream("https://h"), "6:9: "+at+": not built yet: this version runs only without https upstreams")
	f(upstream("{url: https://h}"), "6:10: "+at+".url: ")
	f(upstream("\"http://{{request.host}}\""), "6:9: "+at+": not built yet: this version runs only without variables in the URL of an upstream")
	f(upstream("{url: http://h, server_name: \"\"}"))
	f(upstream("{url: http://h, server_name: n}"), "6:25: "+at+".server_name: ")
	f(upstream("{srv: _http._tcp.h}"))
	f(upstream("{srv: _HTTPS._tcp.h}"), "6:10: "+at+".srv: ")
	f(upstream("{url: http://h, logical_dns: true, dns_servers: [127.0.0.1]}"))
	f(upstream("{url: http://h, cert: a, key: b, ca: c}"), "6:25: "+at+".cert: ", "6:34: "+at+".key: ", "6:42: "+at+".ca: ")

	f(route("proxy: https://h"), "2:11: routes[0].proxy: ")
	f(route("proxy: [http://h, https://h]"), "2:29: routes[0].proxy[1]: ")
	f(route("proxy: {upstreams: [http://h], pipeline: \"${TWO}\"}"), "2:42: routes[0].proxy.pipeline: ")

	f(ok + "beacon: {receive: [], announce: []}\ntrace: {otlp_endpoint: }\nadmin: false\n")
	f(receive("{listen: \":1\", secret: 0123456789abcdef}"))
	f(announce("{address: h:1, secret: 0123456789abcdef}"))
	f(ok+"trace: {otlp_endpoint: http://h, generate: false}\n", "3:9: trace.otlp_endpoint: ")
	f(ok + "trace: {trust_request: false, generate: true}\n")
	f(ok+"trace: {trust_request: true}\n", "3:9: trace.trust_request: ")
	if got := Unbuilt(defaultConfig()); got != nil {
		t.Errorf("a Config without file: %v", got)
	}
}

// Every row of the table names a key that exists.
func TestUnbuiltKeysExist(t *testing.T) {
	known := map[string]bool{}
	for _, k := range Keys() {
		known[k.Path] = true
	}
	for _, u := range unbuilt {
		// The keys of beacon_defaults are those of upstreams.
		if !known[strings.Replace(u.key, ".beacon_defaults.", ".upstreams[].", 1)] {
			t.Errorf("no key %s", u.key)
		}
	}
}

func TestWarnings(t *testing.T) {
	f := func(file string, want ...string) {
		t.Helper()
		got := Warnings(mustParse(t, file))
		if len(got) != len(want) {
			t.Fatalf("%d warnings, want %d: %v\nin %s", len(got), len(want), got, file)
		}
		for i, fault := range got {
			if !strings.Contains(fault.Error(), want[i]) {
				t.Errorf("got %v, want %s", fault, want[i])
			}
		}
	}
	f(ok)
	f(upstream("http://h"))
	f(upstream("\"http://{{request.header.x-target}}:80\""), "6:9: clusters.web.upstreams[0]: SSRF: request.header.x-target")
	f(upstream("\"http://{{request.host}}.{{remote.ip}}\""), "SSRF: request.host lets")
	f(upstream("\"http://{{server.ip}}\""))
	f(upstream("{url: http://h, ca: a.pem}"), "no effect without TLS")
	f(upstream("{url: https://h, ca: a.pem}"))
	f(upstream("{url: http://h, logical_dns: true, dns_servers: [127.0.0.1]}"), "logical_dns: logical_dns")
	f(upstream("http://h\n      - http://h:80"), "7:9: clusters.web.upstreams[1]: the same as clusters.web.upstreams[0]")
	f(upstream("{url: http://h, unix: /a}\n      - {url: http://h, unix: /b}"))
	f(web("http2: true"), "6:5: clusters.web.http2: has no effect")
	f(ok+"clusters: {web: {upstreams: [http://h]}}\n", "3:12: clusters.web: no route")
	f(ok+"trusted_proxies: [10.0.0.0/8, 0.0.0.0/0]\n", "3:31: trusted_proxies[1]: 0.0.0.0/0 trusts everybody")
	f(ok+"client_ip_from_header: forwarded\n", "client_ip_from_header: has no effect")
	f(ok + "client_ip_from_header: forwarded\ntrusted_proxies: [10.0.0.0/8]\n")
	f(listen("{address: \":80\", proxy_protocol: true}"), "proxy_protocol: every connection is closed")
}
