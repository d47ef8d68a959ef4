package config

import "testing"

func TestRefusesClusters(t *testing.T) {
	f := refused(t)
	f(web("algorithm: fastest"), `6:5: clusters.web.algorithm: unknown value "fastest"; one of random, round_robin, least_conn, two_random, p2c_ewma`)
	f(web("algorithm: least_con"), `6:5: clusters.web.algorithm: unknown value "least_con"; one of random, round_robin, least_conn, two_random, p2c_ewma`)
	f(web("algorithm: "), "6:5: clusters.web.algorithm: no value where random | round_robin | least_conn | two_random | p2c_ewma is expected; leave the key out for the default, two_random")
	f(web("retry_connection: perhaps"), `6:5: clusters.web.retry_connection: "perhaps" is not a boolean; write true or false`)
	f(web("keepalive: \"false\""), "6:5: clusters.web.keepalive: text where true or false is expected; remove the quotes")
	f(web("max_retries_per_upstream: -1"), `6:5: clusters.web.max_retries_per_upstream: "-1" is out of range; 0 to 100`)
	f(web("pipeline: 2000"), `6:5: clusters.web.pipeline: "2000" is out of range; 0 to 1024`)
	f(web("response_header_timeout: 0"), `6:5: clusters.web.response_header_timeout: "0" is not enough; this duration must be more than 0`)
	f(web("response_idle_timeout: never"), `6:5: clusters.web.response_idle_timeout: "never" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(web("proxy_header: v3"), `6:5: clusters.web.proxy_header: unknown value "v3"; one of v1, v2`)
	f(web("circuit_breaker: "), "6:5: clusters.web.circuit_breaker: nothing where true, false or a mapping is expected")
	f(web("circuit_breaker: on"), "6:5: clusters.web.circuit_breaker: a single value where true, false or a mapping is expected")
	f(web("circuit_breaker: []"), "6:5: clusters.web.circuit_breaker: a list where true, false or a mapping is expected")
	f(web("circuit_breaker: {max_fails: 0, window: 0, open_duration: 0, consecutive_passes: 0, flapping_window: 0, latency_threshold: 0}"),
		`6:23: clusters.web.circuit_breaker.max_fails: "0" is out of range; 1 to 100000`,
		`6:37: clusters.web.circuit_breaker.window: "0" is not enough; this duration must be more than 0`,
		`6:48: clusters.web.circuit_breaker.open_duration: "0" is not enough; this duration must be more than 0`,
		`6:66: clusters.web.circuit_breaker.consecutive_passes: "0" is out of range; 1 to 100000`,
		`6:89: clusters.web.circuit_breaker.flapping_window: "0" is not enough; this duration must be more than 0`,
		`6:109: clusters.web.circuit_breaker.latency_threshold: "0" is not enough; this duration must be more than 0`)
	f(web("retry_budget: {max_retry_rate: 1.5}"), `6:20: clusters.web.retry_budget.max_retry_rate: "1.5" is out of range; 0 to 1`)
	f(web("retry_budget: {max_tokens: 0, refill_rate: -1}"),
		`6:20: clusters.web.retry_budget.max_tokens: "0" is out of range; 1 to 1000000`,
		`6:35: clusters.web.retry_budget.refill_rate: "-1" is out of range; 0 to 1000000`)
}

func TestRefusesAffinity(t *testing.T) {
	f := refused(t)
	f(web("affinity: "), "6:5: clusters.web.affinity: affinity is ip, or a mapping with one of cookie, header, hash, ip")
	f(web("affinity: cookie"), "6:5: clusters.web.affinity: affinity is ip, or a mapping with one of cookie, header, hash, ip")
	f(web("affinity: true"), "6:5: clusters.web.affinity: affinity is ip, or a mapping with one of cookie, header, hash, ip")
	f(web("affinity: {}"), "6:5: clusters.web.affinity: affinity has exactly one of cookie, header, hash, ip")
	f(web("affinity: {ip: {}, cookie: {}}"), "6:5: clusters.web.affinity: affinity has exactly one of cookie, header, hash, ip")
	f(web("affinity: {ip: {mask: 24}}"), "6:16: clusters.web.affinity.ip: affinity by ip has no settings; write ip: {}")
	f(web("affinity: {header: X-Key}"), "6:16: clusters.web.affinity.header: a single value where a mapping is expected, with keys out of")
	f(web("affinity: {header: {}}"), "6:16: clusters.web.affinity.header: name is required")
	f(web("affinity: {header: {name: \"X Key\"}}"), "6:25: clusters.web.affinity.header.name: \"X Key\" is not a name; letters, digits and !#$%&'*+-.^_`|~ only")
	f(web("affinity: {hash: {variable: request.cookie.a}}"), `6:23: clusters.web.affinity.hash.variable: unknown variable "request.cookie.a"; one of request.method`)
	f(web("affinity: {hash: {variable: \"{{remote.ip}}\"}}"), "6:23: clusters.web.affinity.hash.variable: a variable is written without braces here")
	f(web("affinity: {hash: {variable: \"request.header.a b\"}}"), `6:23: clusters.web.affinity.hash.variable: "request.header.a b" names no field; write request.header.NAME with the name of a request header`)
	f(web("affinity: {cookie: {name: \"a=b\", ttl: 0, path: a, domain: .a.example, samesite: sometimes}}"),
		"6:25: clusters.web.affinity.cookie.name: \"a=b\" is not a name; letters, digits and !#$%&'*+-.^_`|~ only",
		`6:38: clusters.web.affinity.cookie.ttl: "0" is too short; at least 1s`,
		`6:46: clusters.web.affinity.cookie.path: "a" does not begin with a slash`,
		`6:55: clusters.web.affinity.cookie.domain: ".a.example" is not a host name: an empty label between dots`,
		`6:75: clusters.web.affinity.cookie.samesite: unknown value "sometimes"; one of strict, lax, none`)
	f(web("affinity: {cookie: {path: \"/;x\"}}"), `6:25: clusters.web.affinity.cookie.path: "/;x" holds a semicolon, which ends a cookie's attribute`)
}

func TestRefusesHeaderRules(t *testing.T) {
	f := refused(t)
	f(web("request_header: \"X: y\""), "6:5: clusters.web.request_header: a single value where a list is expected")
	f(web("request_header: [Host: x]"), "6:22: clusters.web.request_header[0]: a mapping where a header rule in quotes is expected")
	f(web("request_header: [\"X-One\"]"), "6:22: clusters.web.request_header[0]: no colon; write +Name: value to add, Name: value to replace, or -Name to remove")
	f(web("request_header: [\"X One: 1\", \": 1\", \"+\", \"-\"]"),
		"6:22: clusters.web.request_header[0]: what stands before the colon is not the name of a header",
		"6:34: clusters.web.request_header[1]: what stands before the colon is not the name of a header",
		"6:41: clusters.web.request_header[2]: no colon; write +Name: value to add, Name: value to replace, or -Name to remove",
		"6:46: clusters.web.request_header[3]: what stands before the colon is not the name of a header")
	f(web("request_header: [\"-X-One: 1\"]"), "6:22: clusters.web.request_header[0]: a rule that removes has no value; write -Name")
	f(web("request_header:\n      - \"+X-One: 1\"\n      - \"X-Two: 2\\r\\nX-Three: 3\""), "8:9: clusters.web.request_header[1]: the value of X-Two holds a line end or another control character")
	f(web("request_header: [\"X: a\\0b\"]"), "6:22: clusters.web.request_header[0]: the value of X holds a line end or another control character")
	f(web("request_header: [\"X: {{request.nonsense}}\"]"), `6:22: clusters.web.request_header[0]: unknown variable "request.nonsense"; one of request.method`)
	f(web("request_header: [\"X: {{remote.ip\"]"), "6:22: clusters.web.request_header[0]: {{ without its }}")
	f(web("request_header: [\"X: {{}}\"]"), `6:22: clusters.web.request_header[0]: unknown variable ""; one of request.method`)
	f(web("request_header: [\"X: {{request.header.}}\"]"), `6:22: clusters.web.request_header[0]: "request.header." names no field; write request.header.NAME with the name of a request header`)
	f(web("request_header: [\"X: {{remote.pi}}\"]"), `6:22: clusters.web.request_header[0]: unknown variable "remote.pi"; did you mean remote.ip?`)
	f(web("request_header: [\"Content-Length: 1\", \"-transfer-encoding\", \"+Connection: x\", \"TE: x\", \"-Trailer\", \"Upgrade: x\", \"Keep-Alive: x\", \"-Proxy-Connection\", \"-HTTP2-Settings\"]"),
		"6:22: clusters.web.request_header[0]: Content-Length frames the message or belongs to one connection; a rule must not change it",
		"6:43: clusters.web.request_header[1]: transfer-encoding frames the message or belongs to one connection; a rule must not change it",
		"6:65: clusters.web.request_header[2]: Connection frames the message or belongs to one connection; a rule must not change it",
		"6:83: clusters.web.request_header[3]: TE frames the message or belongs to one connection; a rule must not change it",
		"6:92: clusters.web.request_header[4]: Trailer frames the message or belongs to one connection; a rule must not change it",
		"6:104: clusters.web.request_header[5]: Upgrade frames the message or belongs to one connection; a rule must not change it",
		"6:118: clusters.web.request_header[6]: Keep-Alive frames the message or belongs to one connection; a rule must not change it",
		"6:135: clusters.web.request_header[7]: Proxy-Connection frames the message or belongs to one connection; a rule must not change it",
		"6:156: clusters.web.request_header[8]: HTTP2-Settings frames the message or belongs to one connection; a rule must not change it")
	f(web("request_header: [\"-Host\", \"+Host: a\"]"),
		"6:22: clusters.web.request_header[0]: a request has exactly one Host; it can be replaced (Host: value) but not added or removed",
		"6:31: clusters.web.request_header[1]: a request has exactly one Host; it can be replaced (Host: value) but not added or removed")
	f(web("response_header: [\"-Content-Length\"]"), "6:23: clusters.web.response_header[0]: Content-Length frames the message or belongs to one connection; a rule must not change it")
}

func TestRefusesCombinations(t *testing.T) {
	f := refused(t)
	f(web("beacon_defaults: {url: http://h}"), "6:23: clusters.web.beacon_defaults.url: unknown key; one of")
	f(web("beacon_defaults: {weight: 0}"), `6:23: clusters.web.beacon_defaults.weight: "0" is out of range; 1 to 1000000`)
	f(web("beacon_defaults: {cert: a.pem}"), "6:23: clusters.web.beacon_defaults.cert: cert needs key, the file with its private key")
	f(web("http2_only: true\n    keepalive: false"), "6:5: clusters.web.http2_only: http2_only does not go with keepalive: false: HTTP/2 connections are shared")
	f(web("proxy_header: v1\n    http2: true\n    http2_only: true\n    pipeline: 1"),
		"6:5: clusters.web.proxy_header: proxy_header does not go with http2: such a connection belongs to one client",
		"6:5: clusters.web.proxy_header: proxy_header does not go with http2_only: such a connection belongs to one client",
		"6:5: clusters.web.proxy_header: proxy_header does not go with pipeline: such a connection belongs to one client",
		"9:5: clusters.web.pipeline: pipeline does not go with http2: pipelining is HTTP/1.1 on a connection that is kept",
		"9:5: clusters.web.pipeline: pipeline does not go with http2_only: pipelining is HTTP/1.1 on a connection that is kept")
	f(web("pipeline: 1\n    http2: true\n    http2_only: true\n    keepalive: false"),
		"6:5: clusters.web.pipeline: pipeline does not go with http2: pipelining is HTTP/1.1 on a connection that is kept",
		"6:5: clusters.web.pipeline: pipeline does not go with http2_only: pipelining is HTTP/1.1 on a connection that is kept",
		"6:5: clusters.web.pipeline: pipeline does not go with keepalive: false: pipelining is HTTP/1.1 on a connection that is kept",
		"8:5: clusters.web.http2_only: http2_only does not go with keepalive: false: HTTP/2 connections are shared")
	f(up+"clusters:\n  web: {algorithm: random}\n", "4:3: clusters.web: no upstreams, and no beacon.receive fills the cluster")
	f(up+"clusters:\n  web: {upstreams: []}\n", "4:9: clusters.web.upstreams: no upstreams, and no beacon.receive fills the cluster")
	f(up+"clusters:\n  web: [http://h]\n", "4:3: clusters.web: a list where a mapping is expected, with keys out of")
	f(up+"clusters:\n  web: {upstreams: [http://h]}\n  web: {upstreams: [http://i]}\n", "5:3: clusters.web: written twice; the first is on line 4")
	f(up+"clusters:\n  web: {upstreams: [http://h]}\n  none: {upstreams: [http://h]}\n  a/b: {upstreams: [http://h]}\n",
		"5:3: clusters.none: the name none stands for no cluster; choose another",
		`6:3: clusters["a/b"]: a cluster's name has letters, digits and . _ - only`)
	f(up+"clusters:\n  web: {upstreams: [http://h]}\n  a.b: {algorithm: x, upstreams: [http://h]}\n", `5:9: clusters["a.b"].algorithm: unknown value "x"; one of random, round_robin, least_conn, two_random, p2c_ewma`)
	f(up+"clusters:\n  web: {upstreams: [http://h]}\n  \"\": {upstreams: [http://h]}\n", `5:3: clusters[""]: a cluster's name has 1 to 128 characters`)
}

func TestRefusesBeacons(t *testing.T) {
	f := refused(t)
	f(receive("{cluster: web, secret: 0123456789abcdef}"), "8:13: beacon.receive[0]: listen is required")
	f(receive("{listen: 5555, secret: 0123456789abcdef}"), `8:14: beacon.receive[0].listen: "5555" is a port alone; write ":5555" for every address, or host:port`)
	f(receive("{listen: \":5555\", cluster: wbe, secret: 0123456789abcdef}"), `8:31: beacon.receive[0].cluster: no cluster is called "wbe"; did you mean web?`)
	f(receive("{listen: \":5555\"}"), "8:13: beacon.receive[0]: a secret is required: secret, or secret_file with the name of a file")
	f(receive("{listen: \":5555\", secret: 0123456789abcde}"), "8:31: beacon.receive[0].secret: the secret is shorter than 16 bytes; write a longer one, or hex: and 32 hexadecimal digits")
	f(receive("{listen: \":5555\", secret: \"\"}"), "8:31: beacon.receive[0].secret: the secret is shorter than 16 bytes; write a longer one, or hex: and 32 hexadecimal digits")
	f(receive("{listen: \":5555\", secret: }"), "8:31: beacon.receive[0].secret: no value where a secret is expected")
	f(receive("{listen: \":5555\", secret: [0123456789abcdef]}"), "8:31: beacon.receive[0].secret: a list where a secret is expected")
	f(receive("{listen: \":5555\", secret: *0123456789abcdef}"), "8:39: an alias without its anchor; put a value that begins with * in quotes")
	f(receive("{listen: \":5555\", secret: \"hex:00112233445566778899aabbccddeef\"}"), "8:31: beacon.receive[0].secret: a secret that begins with hex: goes on with 32 hexadecimal digits; openssl rand -hex 16 makes them")
	f(receive("{listen: \":5555\", secret: \"hex:zz112233445566778899aabbccddeeff\"}"), "8:31: beacon.receive[0].secret: a secret that begins with hex: goes on with 32 hexadecimal digits; openssl rand -hex 16 makes them")
	f(receive("{listen: \":5555\", secret: 0123456789abcdef, secret_file: s}"), "8:13: beacon.receive[0]: secret and secret_file exclude each other")
	f(receive("{listen: \":5555\", secret: 0123456789abcdef, max_skew: 0}"), `8:57: beacon.receive[0].max_skew: "0" is not enough; this duration must be more than 0`)
	f(receive("{listen: \":5555\", secret: 0123456789abcdef, timeout: -1s}"), `8:57: beacon.receive[0].timeout: "-1s" is negative; a duration is not`)
	f(receive("{listen: \":5555\", secret: 0123456789abcdef}, {listen: \"[::]:5555\", secret: 0123456789abcdef}"), `8:59: beacon.receive[1].listen: "[::]:5555" is the address of beacon.receive[0] already`)
	f(announce("{address: h:1, advertise: http://10.0.0.5:80}"), "8:14: beacon.announce[0]: a secret is required: secret, or secret_file with the name of a file")
	f(announce("{advertise: http://10.0.0.5:80, secret: 0123456789abcdef}"), "8:14: beacon.announce[0]: address is required")
	f(announce("{address: \":1\", secret: 0123456789abcdef}"), `8:15: beacon.announce[0].address: ":1" has no host; write that of the receiver`)
	f(announce("{address: h, secret: 0123456789abcdef}"), `8:15: beacon.announce[0].address: "h" has no port; write host:port, [v6]:port or :port`)
	f(announce("{address: h:1, secret: 0123456789abcdef, advertise: http://10.0.0.5:80/app}"), "8:55: beacon.announce[0].advertise: a path is not allowed in this URL; write scheme://host:port")
	f(announce("{address: h:1, secret: 0123456789abcdef, advertise: \"unix:/a|http://h\"}"), `8:55: beacon.announce[0].advertise: the scheme "unix:/a|http" is not spoken; http or https`)
	f(announce("{address: h:1, secret: 0123456789abcdef, interval: 99ms}"), `8:55: beacon.announce[0].interval: "99ms" is too short; at least 100ms`)
	f(announce("{address: \"127.0.0.1:5555\", secret: 0123456789abcdef}")+"  receive: [{listen: \"127.0.0.1:5555\", secret: 0123456789abcdef}]\n", `8:15: beacon.announce[0].address: "127.0.0.1:5555" is where beacon.receive[0] listens: this proxy would announce itself to itself`)
	f(announce("{address: \"localhost:5555\", secret: 0123456789abcdef}")+"  receive: [{listen: \":5555\", secret: 0123456789abcdef}]\n", `8:15: beacon.announce[0].address: "localhost:5555" is where beacon.receive[0] listens: this proxy would announce itself to itself`)
}
