package config

import "testing"

func TestRefusesUpstreams(t *testing.T) {
	f := refused(t)
	f(upstream("127.0.0.1:9000"), "6:9: clusters.web.upstreams[0]: no scheme; write http://host:port or https://host:port")
	f(upstream("http://127.0.0.1:9000/app"), "6:9: clusters.web.upstreams[0]: a path is not allowed in this URL; write scheme://host:port")
	f(upstream("http://127.0.0.1:9000/"), "6:9: clusters.web.upstreams[0]: a path is not allowed in this URL; remove the final /")
	f(upstream("{url: \"http://127.0.0.1:9000?a=b\"}"), "6:10: clusters.web.upstreams[0].url: a query is not allowed in this URL; write scheme://host:port")
	f(upstream("{url: \"http://127.0.0.1:9000#a\"}"), "6:10: clusters.web.upstreams[0].url: a fragment is not allowed in this URL; write scheme://host:port")
	f(upstream("http://user:word@127.0.0.1:9000"), "6:9: clusters.web.upstreams[0]: userinfo (user:password@) is not allowed in this URL; set a header instead")
	f(upstream("\"http://:9000\""), "6:9: clusters.web.upstreams[0]: no host; write a name or an IP address")
	f(upstream("http://"), "6:9: clusters.web.upstreams[0]: no host; write a name or an IP address")
	f(upstream("\"http://[]:80\""), `6:9: clusters.web.upstreams[0]: "" is not an IPv6 address, or has a zone, which is not supported`)
	f(upstream("\"http://@:80\""), "6:9: clusters.web.upstreams[0]: userinfo (user:password@) is not allowed in this URL; set a header instead")
	f(upstream("\"http://h:\""), `6:9: clusters.web.upstreams[0]: the port "" is not a number from 1 to 65535`)
	f(upstream("http://h:0"), `6:9: clusters.web.upstreams[0]: the port "0" is not a number from 1 to 65535`)
	f(upstream("http://h:70000"), `6:9: clusters.web.upstreams[0]: the port "70000" is not a number from 1 to 65535`)
	f(upstream("http://h:-1"), `6:9: clusters.web.upstreams[0]: the port "-1" is not a number from 1 to 65535`)
	f(upstream("http://h:+80"), `6:9: clusters.web.upstreams[0]: the port "+80" is not a number from 1 to 65535`)
	f(upstream("http://h:080"), `6:9: clusters.web.upstreams[0]: the port "080" is not a number from 1 to 65535`)
	f(upstream("\"http://[::1]x\""), `6:9: clusters.web.upstreams[0]: "[::1]x" is not [IPv6]:port`)
	f(upstream("\"http://[::1\""), `6:9: clusters.web.upstreams[0]: "[::1" is not [IPv6]:port`)
	f(upstream("http://::1:80"), `6:9: clusters.web.upstreams[0]: "::1:80" has too many colons; put an IPv6 address in brackets`)
	f(upstream("\"http://[fe80::1%eth0]\""), `6:9: clusters.web.upstreams[0]: "fe80::1%eth0" is not an IPv6 address, or has a zone, which is not supported`)
	f(upstream("\"http://a b\""), `6:9: clusters.web.upstreams[0]: "a b" is not a host name: ' ' is not allowed`)
	f(upstream("http://1.2.3"), `6:9: clusters.web.upstreams[0]: "1.2.3" looks like an IPv4 address but is none`)
	f(upstream("http://0x7f.1"), `6:9: clusters.web.upstreams[0]: "0x7f.1" looks like an IPv4 address but is none`)
	f(upstream("http://-a"), `6:9: clusters.web.upstreams[0]: "-a" is not a host name: a label begins or ends with -`)
	f(upstream("ftp://h"), `6:9: clusters.web.upstreams[0]: the scheme "ftp" is not spoken; http or https`)
	f(upstream("\"http://{{request.host}}/x\""), "6:9: clusters.web.upstreams[0]: a path is not allowed in this URL; write scheme://host:port")
	f(upstream("\"{{request.scheme}}://h\""), `6:9: clusters.web.upstreams[0]: the scheme "{{request.scheme}}" is not spoken; http or https`)
	f(upstream("\"http://{{request.hots}}\""), `6:9: clusters.web.upstreams[0]: unknown variable "request.hots"; did you mean request.host?`)
	f(upstream("\"http://a b{{request.host}}\""), `6:9: clusters.web.upstreams[0]: "a b" holds a character that no host and port have`)
	f(upstream("\"http://u@{{request.host}}\""), "6:9: clusters.web.upstreams[0]: userinfo (user:password@) is not allowed in this URL; set a header instead")
}

func TestRefusesUpstreamSettings(t *testing.T) {
	f := refused(t)
	f(upstream("{}"), "6:9: clusters.web.upstreams[0]: an upstream needs url or srv")
	f(upstream("{weight: 2}"), "6:9: clusters.web.upstreams[0]: an upstream needs url or srv")
	f(upstream("{url: http://h, srv: _http._tcp.h}"), "6:9: clusters.web.upstreams[0]: an upstream has url or srv, not both")
	f(upstream("{srv: app.example}"), `6:10: clusters.web.upstreams[0].srv: "app.example" is not a DNS service name; write it like _http._tcp.app.example`)
	f(upstream("{srv: _http._tcp.a..b}"), `6:10: clusters.web.upstreams[0].srv: "_http._tcp.a..b" is not a host name: an empty label between dots`)
	f(upstream("{srv: _http._tcp.h, unix: /a}"), "6:29: clusters.web.upstreams[0].unix: unix does not go with srv, which finds addresses itself")
	f(upstream("{url: http://h, unix: a.sock}"), `6:25: clusters.web.upstreams[0].unix: "a.sock" is not the absolute path of a socket`)
	f(upstream("{url: http://h, weight: 0}"), `6:25: clusters.web.upstreams[0].weight: "0" is out of range; 1 to 1000000`)
	f(upstream("{url: http://h, weight: 1000001}"), `6:25: clusters.web.upstreams[0].weight: "1000001" is out of range; 1 to 1000000`)
	f(upstream("{url: http://h, weight: 1.5}"), `6:25: clusters.web.upstreams[0].weight: "1.5" is not an integer; write a whole number from 1 to 1000000`)
	f(upstream("{url: http://h, priority: -1, limit: -1, idle_timeout: 0}"),
		`6:25: clusters.web.upstreams[0].priority: "-1" is out of range; 0 to 65535`,
		`6:39: clusters.web.upstreams[0].limit: "-1" is out of range; 0 to 1000000`,
		`6:50: clusters.web.upstreams[0].idle_timeout: "0" is not enough; this duration must be more than 0`)
	f(upstream("{url: http://h, connection_timeout: 0}"), `6:25: clusters.web.upstreams[0].connection_timeout: "0" is not enough; this duration must be more than 0; false for none`)
	f(upstream("{url: http://h, connection_timeout: true}"), `6:25: clusters.web.upstreams[0].connection_timeout: "true" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds; false for none`)
	f(upstream("{url: https://h, cert: a.pem}"), "6:26: clusters.web.upstreams[0].cert: cert needs key, the file with its private key")
	f(upstream("{url: https://h, key: a.key}"), "6:26: clusters.web.upstreams[0].key: key needs cert, the file with its certificate")
	f(upstream("{url: https://h, server_name: \"a:1\"}"), `6:26: clusters.web.upstreams[0].server_name: "a:1" is not a host name: ':' is not allowed`)
	f(upstream("{url: http://h, dns_servers: [localhost, \"127.0.0.1:0\", \"127.0.0.1:x\"]}"),
		`6:39: clusters.web.upstreams[0].dns_servers[0]: "localhost" is not the address of a DNS server; write it like 127.0.0.1, 127.0.0.1:5353 or [::1]:53`,
		`6:50: clusters.web.upstreams[0].dns_servers[1]: "127.0.0.1:0" is not the address of a DNS server; write it like 127.0.0.1, 127.0.0.1:5353 or [::1]:53`,
		`6:65: clusters.web.upstreams[0].dns_servers[2]: "127.0.0.1:x" is not the address of a DNS server; write it like 127.0.0.1, 127.0.0.1:5353 or [::1]:53`)
	f(upstream("{url: http://h, dns_servers: 127.0.0.1}"), "6:25: clusters.web.upstreams[0].dns_servers: a single value where a list is expected")
	f(upstream("{url: http://h, active_check: }"), "6:25: clusters.web.upstreams[0].active_check: nothing where true, false or a mapping is expected")
	f(upstream("{url: http://h, active_check: /health}"), "6:25: clusters.web.upstreams[0].active_check: a single value where true, false or a mapping is expected")
	f(upstream("{url: http://h, active_check: {uri: health}}"), `6:40: clusters.web.upstreams[0].active_check.uri: "health" does not begin with a slash`)
	f(upstream("{url: http://h, active_check: {uri: \"/a b\"}}"), `6:40: clusters.web.upstreams[0].active_check.uri: "/a b" holds a blank, a # or another character that has to be encoded`)
	f(upstream("{url: http://h, active_check: {uri: \"/a#b\"}}"), `6:40: clusters.web.upstreams[0].active_check.uri: "/a#b" holds a blank, a # or another character that has to be encoded`)
	f(upstream("{url: http://h, active_check: {method: POST}}"), `6:40: clusters.web.upstreams[0].active_check.method: unknown value "POST"; one of GET, HEAD`)
	f(upstream("{url: http://h, active_check: {method: HEAD, body_match: ok}}"), "6:54: clusters.web.upstreams[0].active_check.body_match: body_match needs method GET; the answer to HEAD has no body")
	f(upstream("{url: http://h, active_check: {interval: 1ms, timeout: 0, response_time_threshold: 0}}"),
		`6:40: clusters.web.upstreams[0].active_check.interval: "1ms" is too short; at least 10ms`,
		`6:55: clusters.web.upstreams[0].active_check.timeout: "0" is not enough; this duration must be more than 0`,
		`6:67: clusters.web.upstreams[0].active_check.response_time_threshold: "0" is not enough; this duration must be more than 0`)
	f(upstream("{url: http://h, active_check: {expect_status: 6xx}}"), `6:40: clusters.web.upstreams[0].active_check.expect_status: "6xx" is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between`)
	f(upstream("{url: http://h, active_check: {expect_status: \"200-\"}}"), `6:40: clusters.web.upstreams[0].active_check.expect_status: "200-" is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between`)
	f(upstream("{url: http://h, active_check: {expect_status: \"299-200\"}}"), `6:40: clusters.web.upstreams[0].active_check.expect_status: "299-200" is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between`)
	f(upstream("{url: http://h, active_check: {expect_status: \"\"}}"), `6:40: clusters.web.upstreams[0].active_check.expect_status: "" is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between`)
	f(upstream("{url: http://h, active_check: {expect_status: \"200,,201\"}}"), `6:40: clusters.web.upstreams[0].active_check.expect_status: "200,,201" is no set of status codes; write classes (2xx), codes (204) or ranges (200-299) within 100 to 599, with commas between`)
	f(upstream("{url: http://h, active_check: {consecutive_fails: 0, consecutive_passes: 0}}"),
		`6:40: clusters.web.upstreams[0].active_check.consecutive_fails: "0" is out of range; 1 to 1000`,
		`6:62: clusters.web.upstreams[0].active_check.consecutive_passes: "0" is out of range; 1 to 1000`)
	f(upstream("{url: \"http://{{request.host}}\", active_check: true}"), "6:42: clusters.web.upstreams[0].active_check: active_check does not go with a URL that is made for each request")
	f(upstream("\"http://{{request.host}}\"")+"    affinity: ip\n", "7:5: clusters.web.affinity: affinity does not go with a URL that is made for each request, which clusters.web.upstreams[0] has")
	f(upstream("{url: http://h, unix: /a}")+"    http2_only: true\n", "7:5: clusters.web.http2_only: http2_only does not go with unix, which clusters.web.upstreams[0] has")
}
