package config

import "strings"

// What each rule finds, a case a line. The files of these tests begin as in refuse_test.go.

// tlsListener is a listener with TLS.
const tlsListener = "{address: \":443\", tls: {certificates: [{cert: a, key: b}]}}"

// on returns a file with these listeners and routes, and the cluster web on 10.0.0.1.
func on(listeners, routes string) string {
	return "listeners: [" + listeners + "]\nroutes: [" + routes + "]\nclusters: {web: {upstreams: [http://10.0.0.1]}}\n"
}

func findsTrust(f finder) {
	f("ssrf", upstream("http://h"))
	f("ssrf", upstream("\"http://{{server.ip}}\""))
	f("ssrf", upstream("\"http://{{request.header.x-target}}:80\""), "6:9: clusters.web.upstreams[0]: SSRF: request.header.x-target lets a client choose")
	f("ssrf", upstream("\"http://{{request.host}}.{{remote.ip}}\""), "6:9: clusters.web.upstreams[0]: SSRF: request.host lets")
	f("ssrf", upstream("\"http://{{request.method}}.h:{{remote.port}}\""), "6:9: clusters.web.upstreams[0]: SSRF: request.method, remote.port lets")
	f("ssrf", route("host: a.example, proxy: \"http://{{request.host}}:8080\""))
	f("ssrf", route("host: a.example, proxy: \"http://{{request.host}}\""), "2:28: routes[0].proxy: SSRF: request.host")
	f("ssrf", route("host: [a.example, \"*.a.example\"], proxy: \"http://{{request.host}}:8080\""), "2:45: routes[0].proxy: SSRF: request.host")

	f("trust-everybody", ok+"trusted_proxies: [10.0.0.0/8, 0.0.0.0/1]\n")
	f("trust-everybody", ok+"trusted_proxies: [10.0.0.0/8, 0.0.0.0/0, \"::/0\"]\n", "3:31: trusted_proxies[1]: 0.0.0.0/0 trusts everybody", "3:42: trusted_proxies[2]: ::/0 trusts everybody")

	f("proxy-protocol-closed", listen("{address: \":80\", proxy_protocol: true}"), "1:30: listeners[0].proxy_protocol: every connection is closed")
	f("proxy-protocol-closed", listen("{address: \":80\", proxy_protocol: true}")+"trusted_proxies: [10.0.0.0/8]\n")

	f("client-ip-ignored", ok+"client_ip_from_header: forwarded\n", "3:1: client_ip_from_header: has no effect")
	f("client-ip-ignored", ok+"client_ip_from_header: forwarded\ntrusted_proxies: [10.0.0.0/8]\n")

	f("client-ip-unset", ok)
	f("client-ip-unset", ok+"trusted_proxies: [10.0.0.0/8]\n", "1:1: client_ip_from_header: unset")
	f("client-ip-unset", ok+"trusted_proxies: [10.0.0.0/8]\nclient_ip_from_header: x-real-ip\n")
	f("client-ip-unset", listen("{address: \":80\", proxy_protocol: true}, unix:/a")+"trusted_proxies: [10.0.0.0/8]\n")

	f("affinity-by-proxy", web("affinity: ip"))
	f("affinity-by-proxy", web("affinity: ip")+"trusted_proxies: [10.0.0.0/8]\n", "6:5: clusters.web.affinity: client_ip_from_header is unset")
	f("affinity-by-proxy", web("affinity: {hash: {variable: remote.ip}}")+"trusted_proxies: [10.0.0.0/8]\n", "6:5: clusters.web.affinity: client_ip_from_header is unset")
	f("affinity-by-proxy", web("affinity: {header: {name: X}}")+"trusted_proxies: [10.0.0.0/8]\n")

	f("forwarded-copied", web("request_header: [\"X-Real-IP: {{remote.ip}}\", \"X-A: {{request.header.x-b}}\", \"-X-Forwarded-For\"]"))
	f("forwarded-copied", web("request_header: [\"X-A: b\", \"+X-Forwarded-For: {{request.header.x-forwarded-for}}\"]"), "6:32: clusters.web.request_header[1]: X-Forwarded-For gets")

	f("no-verification", web("no_verification: false"))
	f("no-verification", web("no_verification: true"), "6:5: clusters.web.no_verification: has no effect on cleartext")
	f("no-verification", upstream("https://h")+"    no_verification: true\n", "7:5: clusters.web.no_verification: any certificate is accepted")

	f("check-no-verification", upstream("{url: https://h, active_check: true}"))
	f("check-no-verification", upstream("{url: https://h, active_check: {no_verification: true}}"), "6:41: clusters.web.upstreams[0].active_check.no_verification: probes accept")
	f("check-no-verification", receive("{listen: \":1\", cluster: web, secret: 0123456789abcdef}")+"# no defaults\n")
	f("check-no-verification", strings.Replace(receive("{listen: \":1\", cluster: web, secret: 0123456789abcdef}"), "keepalive: true", "beacon_defaults: {active_check: {no_verification: true}}", 1),
		"6:38: clusters.web.beacon_defaults.active_check.no_verification: probes accept")

	f("trace-trusted", ok+"trace: {trust_request: true}\n")
	f("trace-trusted", ok+"trace: {trust_request: true, otlp_endpoint: http://h}\n", "3:9: trace.trust_request: any client")

	const mutual = "{address: \":443\", tls: {certificates: [{cert: a, key: b}], client_ca: c"
	f("client-certificate-visible", listen(tlsListener))
	f("client-certificate-visible", listen(mutual+", min_version: \"1.3\"}}"))
	f("client-certificate-visible", listen(mutual+"}}"), "1:31: listeners[0].tls.min_version: TLS 1.2 sends")
}

func findsOperators(f finder) {
	f("admin-unguarded", ok)
	f("admin-unguarded", ok+"admin: {address: \"localhost:9090\"}\n")
	f("admin-unguarded", ok+"admin: {address: \"[::1]:9090\"}\n")
	f("admin-unguarded", ok+"admin: {address: \":9090\", token_file: t}\n")
	f("admin-unguarded", ok+"admin: {address: \":9090\"}\n", "3:9: admin.address: other machines can reach :9090: anybody there can read")
	f("admin-unguarded", ok+"admin: {address: \"10.0.0.1:9090\"}\n", "3:9: admin.address: other machines can reach 10.0.0.1:9090")
	f("admin-readable", ok+"admin: {address: \"127.0.0.1:9091\", token_file: t}\n")
	f("admin-readable", ok+"admin: {address: \"0.0.0.0:9090\", token_file: t}\n", "3:9: admin.address: other machines can reach 0.0.0.0:9090: reading")
	f("admin-off", ok)
	f("admin-off", ok+"admin: false\n", "3:1: admin: off")
	f("admin-off", ok+"admin: {address: false}\n", "3:1: admin: off")

	f("admin-proxied", route("proxy: http://127.0.0.1:9091"))
	f("admin-proxied", route("proxy: http://127.0.0.1:9090"), "2:11: routes[0].proxy: http://127.0.0.1:9090 is the admin listener, to which callers through this proxy come from this machine: clients could change")
	f("admin-proxied", route("proxy: http://localhost:9090")+"admin: {token_file: t}\n", "2:11: routes[0].proxy: http://localhost:9090 is the admin listener, to which callers through this proxy come from this machine: clients could read")
	f("admin-proxied", route("proxy: http://localhost:9090")+"admin: false\n")
	f("admin-proxied", ok+"clusters: {web: {upstreams: [http://127.0.0.1:9090]}}\n")

	f("access-log-absent", ok+"access_log: {}\n")
	f("access-log-absent", ok, "1:1: access_log: absent")

	f("drain-abrupt", ok)
	f("drain-abrupt", ok+"trusted_proxies: [10.0.0.0/8]\nshutdown_delay: 5s\n")
	f("drain-abrupt", ok+"trusted_proxies: [10.0.0.0/8]\n", "1:1: shutdown_delay: none")

	f("metrics-cardinality", upstream("http://h"))
	f("metrics-cardinality", upstream("{url: http://h, unix: /a}\n      - http://10.0.0.1")+"    metrics_resolved_ip: true\n")
	f("metrics-cardinality", upstream("http://h")+"    metrics_resolved_ip: true\n", "7:5: clusters.web.metrics_resolved_ip: every address")
	f("metrics-cardinality", upstream("{srv: _http._tcp.h}")+"    metrics_resolved_ip: true\n", "7:5: clusters.web.metrics_resolved_ip: every address")
}

func findsRoutes(f finder) {
	f("cluster-unused", web("keepalive: true"))
	f("cluster-unused", ok+"clusters: {web: {upstreams: [http://h]}}\n", "3:12: clusters.web: no route")

	f("listener-unused", on("\":80\", \":81\"", "{cluster: web}"))
	f("listener-unused", on("\":80\", \":81\"", "{listeners: [\":80\"], cluster: web}"), "1:20: listeners[1]: no route serves this listener")

	f("route-shadowed", on("\":80\", \":81\"", "{cluster: web}, {listeners: [\":80\"], local: {}}"))
	f("route-shadowed", on("\":80\", \":81\"", "{cluster: web}, {listeners: [\":80\"], local: {}}, {listeners: [\":81\"], prefix: /a, local: {}}"))
	f("route-shadowed", on("\":80\", \":81\"", "{cluster: web}, {listeners: [\":80\"], local: {}}, {listeners: [\":81\"], local: {}}"),
		`2:10: routes[0]: on every listener another route, which names it, comes before this one for "/"`)
	f("route-shadowed", on("\":80\"", "{host: [a, b], prefix: /x, cluster: web}, {host: b, prefix: /x, listeners: [\":80\"], local: {}}"),
		`2:10: routes[0]: on every listener another route, which names it, comes before this one for "b/x"`)

	f("proxy-loop", route("proxy: http://127.0.0.1:81"))
	f("proxy-loop", route("proxy: http://10.0.0.1:80"))
	f("proxy-loop", route("proxy: http://127.0.0.1"), "2:11: routes[0].proxy: http://127.0.0.1 is this proxy itself, listeners[0]: a request goes round")
	f("proxy-loop", route("proxy: http://localhost"), "2:11: routes[0].proxy: http://localhost is this proxy itself, listeners[0]")
	f("proxy-loop", on("127.0.0.1:8080", "{proxy: \"http://localhost:8080\"}, {prefix: /a, cluster: web}"), "2:11: routes[0].proxy: http://localhost:8080 is this proxy")
	f("proxy-loop", on("\"[::1]:8080\"", "{proxy: \"http://127.0.0.1:8080\"}, {prefix: /a, cluster: web}"))
	f("proxy-loop", on("10.0.0.1:80", "{cluster: web}"), "3:30: clusters.web.upstreams[0]: http://10.0.0.1 is this proxy")
	f("proxy-loop", on("unix:/a", "{proxy: {upstreams: [{url: http://h, unix: /a}]}}, {prefix: /a, cluster: web}"), "2:31: routes[0].proxy.upstreams[0]: /a is this proxy")
	f("proxy-loop", route("proxy: \"http://{{request.host}}\""))
	// The request is another, or goes elsewhere, when it comes back.
	for _, keys := range []string{"rewrite_host: true, proxy: http://127.0.0.1", "prefix: /a, strip_prefix: true, proxy: http://127.0.0.1",
		"proxy: {request_header: [\"Host: x\"], upstreams: [http://127.0.0.1]}", "proxy: {proxy_header: v1, upstreams: [http://127.0.0.1]}", "proxy: https://127.0.0.1:80"} {
		f("proxy-loop", route(keys))
	}
	f("own-listener", route("proxy: http://127.0.0.1"))
	f("own-listener", route("rewrite_host: true, proxy: http://127.0.0.1"), "2:31: routes[0].proxy: http://127.0.0.1 is this proxy itself, listeners[0]: a request goes through it twice")
	f("own-listener", on("\":80\", \":81\"", "{listeners: [\":80\"], proxy: \"http://127.0.0.1:81\"}, {listeners: [\":81\"], cluster: web}"), "2:31: routes[0].proxy: http://127.0.0.1:81 is this proxy itself, listeners[1]")
}

func findsTimes(f finder) {
	f("timeout-long", ok)
	f("timeout-long", ok+"timeouts: {tunnel: 48h, body: 0}\n")
	f("timeout-long", ok+"timeouts: {header: 61s, tls_handshake: 2m, idle: 1h, body_idle: 10m, write_idle: 11m}\n",
		"3:12: timeouts.header: 61s is long: slow clients", "3:25: timeouts.tls_handshake: 2m is long", "3:44: timeouts.idle: 1h is long: every visitor", "3:54: timeouts.body_idle: 10m is long", "3:70: timeouts.write_idle: 11m is long")
	f("timeout-short", ok)
	f("timeout-short", ok+"timeouts: {header: 2s, tunnel: 0, body: 0}\n")
	f("timeout-short", ok+"timeouts: {header: 1s, tls_handshake: 1s, idle: 1s, body_idle: 1s, body: 1s, tunnel: 1s, write_idle: 1s}\n",
		"3:12: timeouts.header: 1s is short: one lost packet", "3:24: timeouts.tls_handshake", "3:43: timeouts.idle", "3:53: timeouts.body_idle", "3:68: timeouts.body: ", "3:78: timeouts.tunnel: 1s is short: many WebSockets", "3:90: timeouts.write_idle")

	f("connect-unlimited", upstream("http://h"))
	f("connect-unlimited", upstream("{url: http://h, unix: /a, connection_timeout: false}"))
	f("connect-unlimited", upstream("{url: http://h, connection_timeout: false}"), "6:25: clusters.web.upstreams[0].connection_timeout: no limit")

	f("response-unlimited", web("response_idle_timeout: 1h"))
	f("response-unlimited", web("response_idle_timeout: 0"), "6:5: clusters.web.response_idle_timeout: no limit")

	f("check-overlap", upstream("{url: http://h, active_check: true}"))
	f("check-overlap", upstream("{url: http://h, active_check: {interval: 2s, timeout: 1s}}"))
	f("check-overlap", upstream("{url: http://h, active_check: {interval: 2s}}"), "6:25: clusters.web.upstreams[0].active_check.timeout: 5s is not below the interval, 2s")
}

func findsResilience(f finder) {
	const (
		two     = "http://h\n      - http://i"
		checked = "{url: http://h, active_check: true}\n      - {url: http://i, active_check: true}"
	)
	fleet := receive("{listen: \":1\", cluster: web, secret: 0123456789abcdef}")
	f("keepalive-off", web("keepalive: true"))
	f("keepalive-off", web("keepalive: false"), "6:5: clusters.web.keepalive: every request")

	f("retry-unlimited", upstream("http://h"))
	f("retry-unlimited", upstream(two)+"    retry_budget: true\n")
	f("retry-unlimited", upstream(two)+"    retry_connection: false\n")
	f("retry-unlimited", upstream(two), "4:3: clusters.web.retry_budget: off")
	f("retry-unlimited", upstream("http://h")+"    retry_connection: false\n    max_retries_per_upstream: 2\n", "4:3: clusters.web.retry_budget: off")
	f("retry-unlimited", upstream("{srv: _http._tcp.h}"), "4:3: clusters.web.retry_budget: off")
	f("retry-unlimited", fleet, "4:3: clusters.web.retry_budget: off")

	f("failover-off", upstream(two))
	f("failover-off", upstream("http://h")+"    retry_connection: false\n")
	f("failover-off", upstream(two)+"    retry_connection: false\n", "8:5: clusters.web.retry_connection: off")

	f("failures-unnoticed", upstream(two))
	f("failures-unnoticed", upstream("http://h")+"    circuit_breaker: false\n")
	f("failures-unnoticed", upstream(checked)+"    circuit_breaker: false\n")
	f("failures-unnoticed", upstream(two)+"    circuit_breaker: false\n", "8:5: clusters.web.circuit_breaker: off")

	f("check-absent", upstream("http://h"))
	f("check-absent", upstream(checked))
	f("check-absent", upstream(two)+"    circuit_breaker: false\n")
	f("check-absent", upstream(two), "5:5: clusters.web.upstreams: without active_check")
	f("check-absent", fleet, "5:5: clusters.web.upstreams: without active_check")

	f("breaker-alone", upstream("http://10.0.0.1")+"    circuit_breaker: false\n")
	f("breaker-alone", upstream("http://h"))
	f("breaker-alone", upstream("{url: http://10.0.0.1, active_check: true}"))
	f("breaker-alone", upstream("http://10.0.0.1\n      - http://10.0.0.2"))
	f("breaker-alone", upstream("http://10.0.0.1"), "4:3: clusters.web.circuit_breaker: there is one endpoint: while its circuit is open (30s)")
	f("breaker-alone", upstream("{url: http://h, unix: /a}")+"    circuit_breaker: {open_duration: 5s}\n", "7:5: clusters.web.circuit_breaker: there is one endpoint: while its circuit is open (5s)")
	f("breaker-alone", upstream("\"http://{{server.ip}}\""), "4:3: clusters.web.circuit_breaker: one circuit for all")
}

func findsUpstreams(f finder) {
	f("weight-starved", upstream("{url: http://h, weight: 999}\n      - http://i"))
	f("weight-starved", upstream("{url: http://h, weight: 100000}\n      - {url: http://i, priority: 1}"))
	f("weight-starved", upstream("{url: http://h, weight: 100000}\n      - {srv: _http._tcp.i}"))
	f("weight-starved", upstream("{url: http://h, weight: 1000}\n      - http://i"), "7:9: clusters.web.upstreams[1].weight: 1 out of 1001: not one request in 1000")

	f("upstream-twice", upstream("{url: http://h, unix: /a}\n      - {url: http://h, unix: /b}"))
	f("upstream-twice", upstream("http://h\n      - http://h:80"), "7:9: clusters.web.upstreams[1]: the same as clusters.web.upstreams[0]")

	f("tls-ignored", upstream("{url: https://h, ca: a.pem}"))
	f("tls-ignored", upstream("{url: http://h, ca: a.pem}"), "6:9: clusters.web.upstreams[0]: cert, key, ca and server_name have no effect")

	f("http2-ignored", upstream("https://h")+"    http2: true\n")
	f("http2-ignored", web("http2: true"), "6:5: clusters.web.http2: has no effect")

	f("logical-dns", upstream("{url: http://h, logical_dns: true}"))
	f("logical-dns", upstream("{url: http://h, logical_dns: true, dns_servers: [127.0.0.1]}"), "6:25: clusters.web.upstreams[0].logical_dns: logical_dns")

	const member = "{listen: \":1\", secret: 0123456789abcdef, "
	f("beacon-forever", receive(member+"cluster: web, timeout: 20s}"))
	f("beacon-forever", receive(member+"timeout: 0}"))
	f("beacon-forever", strings.Replace(receive(member+"cluster: web}"), "keepalive: true", "beacon_defaults: {active_check: true}", 1))
	f("beacon-forever", receive(member+"cluster: web}"), "8:13: beacon.receive[0].timeout: none")
}

func findsAffinity(f finder) {
	f("affinity-key", web("affinity: {hash: {variable: request.uri.path}}"))
	f("affinity-key", web("affinity: ip"))
	f("affinity-key", web("affinity: {hash: {variable: request.scheme}}"), "6:23: clusters.web.affinity.hash.variable: request.scheme has few values")
	f("affinity-key", web("affinity: {hash: {variable: request.id}}"), "6:23: clusters.web.affinity.hash.variable: request.id is another for every request")
	f("affinity-key", web("affinity: {hash: {variable: remote.port}}"), "6:23: clusters.web.affinity.hash.variable: remote.port is another for every connection")

	f("cookie-secret", web("affinity: {cookie: {secret_file: s}}"))
	f("cookie-secret", web("affinity: ip"))
	f("cookie-secret", web("affinity: {cookie: {}}"), "6:16: clusters.web.affinity.cookie.secret_file: absent")

	f("cookie-samesite", web("affinity: {cookie: {samesite: none, secure: true}}"))
	f("cookie-samesite", web("affinity: {cookie: {samesite: none}}"), "6:25: clusters.web.affinity.cookie.samesite: browsers drop")

	sticky := func(listeners, keys string) string {
		return "listeners: [" + listeners + "]\nroutes: [{listeners: [\":443\"], cluster: web}]\nclusters: {web: {upstreams: [http://h], affinity: {cookie: {" + keys + "}}}}\n"
	}
	f("cookie-cleartext", web("affinity: {cookie: {}}"))
	f("cookie-cleartext", sticky(tlsListener, "secure: true"))
	f("cookie-cleartext", sticky(tlsListener, ""), "3:52: clusters.web.affinity.cookie.secure: the cluster is served over TLS alone")
	f("cookie-cleartext", sticky(tlsListener+", \":80\"", ""), "3:52: clusters.web.affinity.cookie.secure")
}

func findsSecrets(f finder) {
	f("secret-in-file", receive("{listen: \":1\", secret_file: s}"))
	f("secret-in-file", receive("{listen: \":1\", secret: \"${UNSET:-0123456789abcdef}\"}"))
	f("secret-in-file", receive("{listen: \":1\", secret: 0123456789abcdef}"), "8:28: beacon.receive[0].secret: whoever reads")
	f("secret-in-file", announce("{address: \"h:1\", secret: 0123456789abcdef}"), "8:31: beacon.announce[0].secret: whoever reads")
	f("secret-in-file", web("request_header: [\"X-Key: ${SET}\", \"-X-Key\", \"X-Key: {{request.header.x-key}}\", \"X-Plain: a\", \"X-Key:\"]"))
	f("secret-in-file", web("request_header: [\"X-Plain: a\", \"Authorization: Basic hidden\"]"), "6:36: clusters.web.request_header[1]: whoever reads this file, or a copy of it, has the value of Authorization")
	f("secret-in-file", route("proxy: {upstreams: [http://h], response_header: [\"Set-Token: hidden\"]}"), "2:60: routes[0].proxy.response_header[0]: whoever reads")
}
