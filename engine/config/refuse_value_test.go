package config

import "testing"

func TestRefusesValues(t *testing.T) {
	f := refused(t)
	f(ok+"workers: 0\n", `3:1: workers: "0" is out of range; 1 to 1024, or auto`)
	f(ok+"workers: many\n", `3:1: workers: "many" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: 010\n", `3:1: workers: "010" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: 1e1\n", `3:1: workers: "1e1" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: 0x10\n", `3:1: workers: "0x10" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: 1_000\n", `3:1: workers: "1_000" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: 2000\n", `3:1: workers: "2000" is out of range; 1 to 1024, or auto`)
	f(ok+"workers: [2]\n", "3:1: workers: a list where auto or an integer is expected")
	f(ok+"workers:\n", "3:1: workers: no value where auto or an integer is expected; leave the key out for the default, auto")
	f(ok+"proxy_concurrent_conns: 0\n", `3:1: proxy_concurrent_conns: "0" is out of range; 1 to 10000000`)
	f(ok+"shutdown_delay: -1s\n", `3:1: shutdown_delay: "-1s" is negative; a duration is not`)
	f(ok+"shutdown_timeout: 0\n", `3:1: shutdown_timeout: "0" is not enough; this duration must be more than 0`)
	f(ok+"shutdown_timeout: 0s\n", `3:1: shutdown_timeout: "0s" is not enough; this duration must be more than 0`)
	f(ok+"shutdown_timeout: soon\n", `3:1: shutdown_timeout: "soon" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: 10 fortnights\n", `3:1: shutdown_timeout: "10 fortnights" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: 1d\n", `3:1: shutdown_timeout: "1d" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds; did you mean 24h?`)
	f(ok+"shutdown_timeout: 2w\n", `3:1: shutdown_timeout: "2w" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds; did you mean 336h?`)
	f(ok+"shutdown_timeout: 010\n", `3:1: shutdown_timeout: "010" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: 1e3\n", `3:1: shutdown_timeout: "1e3" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: +5s\n", `3:1: shutdown_timeout: "+5s" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: 99999999h\n", `3:1: shutdown_timeout: "99999999h" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: 999999999999999999999\n", `3:1: shutdown_timeout: "999999999999999999999" is too long; at most 87600h`)
	f(ok+"shutdown_timeout: true\n", `3:1: shutdown_timeout: "true" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"shutdown_timeout: {}\n", "3:1: shutdown_timeout: a mapping where a duration is expected")
	f(ok+"shutdown_timeout: \"\"\n", `3:1: shutdown_timeout: "" is not a duration; write it like 250ms, 30s or 24h, or a number of seconds`)
	f(ok+"client_ip_from_header: x-forwarded-fro\n", `3:1: client_ip_from_header: unknown value "x-forwarded-fro"; one of x-forwarded-for, forwarded, x-real-ip`)
	f(ok+"client_ip_from_header: cf-connecting-ip\n", `3:1: client_ip_from_header: unknown value "cf-connecting-ip"; one of x-forwarded-for, forwarded, x-real-ip`)
	f(ok+"trusted_proxies: [10.0.0.0/33]\n", `3:19: trusted_proxies[0]: "10.0.0.0/33" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`)
	f(ok+"trusted_proxies: [\"::/129\", \"\", host, 10.0.0.0//8, \"::ffff:0:0/40\", \"fe80::1%eth0\"]\n",
		`3:19: trusted_proxies[0]: "::/129" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`,
		`3:29: trusted_proxies[1]: "" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`,
		`3:33: trusted_proxies[2]: "host" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`,
		`3:39: trusted_proxies[3]: "10.0.0.0//8" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`,
		`3:52: trusted_proxies[4]: "::ffff:0:0/40" covers more than IPv4 addresses; write the IPv4 network itself`,
		`3:69: trusted_proxies[5]: "fe80::1%eth0" is not a network; write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7`)
	f(ok+"trusted_proxies: 10.0.0.0/8\n", "3:1: trusted_proxies: a single value where a list is expected")
	f(ok+"timeouts: {header: 0, tls_handshake: 0, idle: 0, body_idle: 0, body: 0, tunnel: 0, write_idle: 0}\n",
		`3:12: timeouts.header: "0" is not enough; this duration must be more than 0`,
		`3:23: timeouts.tls_handshake: "0" is not enough; this duration must be more than 0`,
		`3:41: timeouts.idle: "0" is not enough; this duration must be more than 0`,
		`3:50: timeouts.body_idle: "0" is not enough; this duration must be more than 0`,
		`3:84: timeouts.write_idle: "0" is not enough; this duration must be more than 0`)
	f(ok+"limits: {header_bytes: 0}\n", `3:10: limits.header_bytes: "0" is out of range; 256 to 16MiB`)
	f(ok+"limits: {header_bytes: 32 pages}\n", `3:10: limits.header_bytes: "32 pages" is not a size; write bytes, or a whole number of KiB, MiB, GiB or TiB`)
	f(ok+"limits: {header_bytes: 32KB}\n", `3:10: limits.header_bytes: "32KB" is not a size; write bytes, or a whole number of KiB, MiB, GiB or TiB`)
	f(ok+"limits: {header_bytes: 1.5KiB}\n", `3:10: limits.header_bytes: "1.5KiB" is not a size; write bytes, or a whole number of KiB, MiB, GiB or TiB`)
	f(ok+"limits: {header_bytes: -1}\n", `3:10: limits.header_bytes: "-1" is not a size; write bytes, or a whole number of KiB, MiB, GiB or TiB`)
	f(ok+"limits: {header_bytes: 64MiB}\n", `3:10: limits.header_bytes: "64MiB" is out of range; 256 to 16MiB`)
	f(ok+"limits: {body_bytes: 99999999999999999999TiB}\n", `3:10: limits.body_bytes: "99999999999999999999TiB" is out of range; 0 to 1048576TiB`)
	f(ok+"limits: {header_count: 0, uri_bytes: 0, http2_streams: 0}\n",
		`3:10: limits.header_count: "0" is out of range; 1 to 10000`,
		`3:27: limits.uri_bytes: "0" is out of range; 1 to 16MiB`,
		`3:41: limits.http2_streams: "0" is out of range; 1 to 10000`)
	f(ok+"limits: {connections: plenty}\n", `3:10: limits.connections: "plenty" is not an integer; write a whole number from 0 to 10000000`)
}

func TestRefusesValuesOfLogsAndTraces(t *testing.T) {
	f := refused(t)
	f(ok+"log: {level: loud}\n", `3:7: log.level: unknown value "loud"; one of debug, info, warn, error`)
	f(ok+"log: {level: INFO, format: combined}\n",
		`3:7: log.level: unknown value "INFO"; one of debug, info, warn, error`,
		`3:20: log.format: unknown value "combined"; one of json, text`)
	f(ok+"access_log:\n", "3:1: access_log: nothing where a mapping is expected, with keys out of")
	f(ok+"access_log: {format: text}\n", `3:14: access_log.format: unknown value "text"; one of json, combined`)
	f(ok+"access_log: {path: \"\"}\n", "3:14: access_log.path: must not be empty")
	f(ok+"access_log: stdout\n", "3:1: access_log: a single value where a mapping is expected, with keys out of")
	f(ok+"trace: {sample_ratio: 1.5}\n", `3:9: trace.sample_ratio: "1.5" is out of range; 0 to 1`)
	f(ok+"trace: {sample_ratio: .5}\n", `3:9: trace.sample_ratio: ".5" is not a number; write one from 0 to 1`)
	f(ok+"trace: {sample_ratio: -0.1}\n", `3:9: trace.sample_ratio: "-0.1" is out of range; 0 to 1`)
	f(ok+"trace: {otlp_endpoint: 127.0.0.1:4318}\n", "3:9: trace.otlp_endpoint: no scheme; write http://host:port or https://host:port")
	f(ok+"trace: {otlp_endpoint: \"http://127.0.0.1:4318/a b\"}\n", `3:9: trace.otlp_endpoint: "/a b" holds a blank, a # or another character that has to be encoded`)
	f(ok+"trace: {generate: yes}\n", `3:9: trace.generate: "yes" is not a boolean; write true or false`)
	f(ok+"trace: {generate: \"true\"}\n", "3:9: trace.generate: text where true or false is expected; remove the quotes")
	f(ok+"trace: {generate: 1}\n", `3:9: trace.generate: "1" is not a boolean; write true or false`)
	f(ok+"admin: 127.0.0.1:9090\n", "3:1: admin: a single value where true, false or a mapping is expected")
	f(ok+"admin:\n", "3:1: admin: nothing where true, false or a mapping is expected")
	f(ok+"admin: [a]\n", "3:1: admin: a list where true, false or a mapping is expected")
	f(ok+"admin: {address: unix:/run/a.sock}\n", `3:9: admin.address: "unix:/run/a.sock" is a unix socket, which is not possible here; write host:port`)
	f(ok+"admin: {address: true}\n", `3:9: admin.address: "true" has no port; write host:port, [v6]:port or :port`)
	f(ok+"admin: {token_file: \"\"}\n", "3:9: admin.token_file: must not be empty")
}

func TestRefusesEnvironment(t *testing.T) {
	f := refused(t)
	f(local("${UNSET}"), "2:19: routes[0].local.body: environment variable UNSET is not set; set it or write ${UNSET:-default}")
	f(local("${EMPTY}${UNSET}"), "2:19: routes[0].local.body: environment variable UNSET is not set; set it or write ${UNSET:-default}")
	f(local("${}"), "2:19: routes[0].local.body: ${...} does not hold a name of letters, digits and _; write ${NAME} or ${NAME:-default}")
	f(local("${:-x}"), "2:19: routes[0].local.body: ${...} does not hold a name of letters, digits and _; write ${NAME} or ${NAME:-default}")
	f(local("${A-B:-x}"), "2:19: routes[0].local.body: ${...} does not hold a name of letters, digits and _; write ${NAME} or ${NAME:-default}")
	f(local("${9}"), "2:19: routes[0].local.body: ${...} does not hold a name of letters, digits and _; write ${NAME} or ${NAME:-default}")
	f(local("${SET"), "2:19: routes[0].local.body: ${ without its }; for a plain dollar write $$")
	f(local("$"), "2:19: routes[0].local.body: a dollar that begins nothing; write $$ for a plain one, or ${NAME} for an environment variable")
	f(local("5$ each"), "2:19: routes[0].local.body: a dollar that begins nothing; write $$ for a plain one, or ${NAME} for an environment variable")
	f(local("$SET"), "2:19: routes[0].local.body: a dollar that begins nothing; write $$ for a plain one, or ${NAME} for an environment variable")
	f(ok+"workers: ${SET}\n", `3:1: workers: "word" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"workers: ${UNSET:-0}\n", `3:1: workers: "0" is out of range; 1 to 1024, or auto`)
	f(ok+"workers: ${EMPTY}\n", `3:1: workers: "" is not an integer; write a whole number from 1 to 1024, or auto`)
	f(ok+"log: {level: \"${SET}\"}\n", `3:7: log.level: unknown value "word"; one of debug, info, warn, error`)
	f(ok+"${SET}: 1\n", `3:1: ["..."]: unknown key; one of`)
	f(up+"clusters: {\"${SET}\": {upstreams: [http://h]}}\n",
		`2:11: routes[0].cluster: no cluster is called "web"; one of ${SET}`,
		`3:12: clusters["..."]: a cluster's name has letters, digits and . _ - only`)
}
