package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whatever tests show to load is valid by the schema: mustParse sees to it. These are the
// files that people start from.
func TestSchemaTakesSamples(t *testing.T) {
	v := newValidator(t)
	paths, _ := filepath.Glob(samples + "/*.yaml")
	more, _ := filepath.Glob(samples + "/examples/*.yaml")
	for _, path := range append(paths, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if why := v.refuses(t, string(text)); why != "" {
			t.Errorf("%s: %s", path, why)
		}
	}
	for _, file := range []string{everyKey, ok, web("affinity: ip"), ok + "admin: false\n"} {
		if why := v.refuses(t, file); why != "" {
			t.Errorf("%s in\n%s", why, file)
		}
		if why := v.refuses(t, shownOf(t, file)); why != "" {
			t.Errorf("effective: %s in\n%s", why, file)
		}
	}
}

// schemaRefuses returns a function that requires of a file that both the schema and the
// decoder refuse it.
func schemaRefuses(t *testing.T) func(file string) {
	v := newValidator(t)
	return func(file string) {
		t.Helper()
		if v.refuses(t, file) == "" {
			t.Errorf("valid:\n%s", file)
		}
		if _, err := parse("f.yaml", []byte(file), environment); err == nil {
			t.Errorf("loads:\n%s", file)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	f := schemaRefuses(t)
	f("routes: [{local: {}}]\n")
	f("listeners: [\":80\"]\n")
	f("listeners: []\nroutes: [{local: {}}]\n")
	f("listeners: \":80\"\nroutes: [{local: {}}]\n")
	f(ok + "colour: blue\n")
	f(ok + "workers: 0\n")
	f(ok + "workers: many\n")
	f(ok + "workers:\n")
	f(ok + "shutdown_timeout: 0\n")
	f(ok + "shutdown_timeout: 0s\n")
	f(ok + "shutdown_timeout: -1s\n")
	f(ok + "shutdown_timeout: 10 fortnights\n")
	f(ok + "shutdown_timeout: 1d\n")
	f(ok + "shutdown_timeout: 999999999999\n")
	f(ok + "shutdown_timeout: true\n")
	f(ok + "client_ip_from_header: cf-connecting-ip\n")
	f(ok + "trusted_proxies: 10.0.0.0/8\n")
	f(ok + "trusted_proxies: [host]\n")
	f(ok + "limits: {header_bytes: 32KB}\n")
	f(ok + "limits: {header_bytes: 17000000}\n")
	f(ok + "limits: {header_count: 0}\n")
	f(ok + "limits: {header_count: \"12\"}\n")
	f(ok + "timeouts: {heder: 10s}\n")
	f(ok + "timeouts: [10s]\n")
	f(ok + "trace: {sample_ratio: 1.5}\n")
	f(ok + "trace: {generate: \"true\"}\n")
	f(ok + "trace: {otlp_endpoint: 127.0.0.1:4318}\n")
	f(ok + "log: {level: INFO}\n")
	f(ok + "access_log:\n")
	f(ok + "access_log: {path: \"\"}\n")
	f(ok + "admin:\n")
	f(ok + "admin: {address: unix:/run/a.sock}\n")
	f(listen("8080"))
	f(listen("localhost"))
	f(listen("\":0\""))
	f(listen("unix:run/a.sock"))
	f(listen("{name: a}"))
	f(listen("{address: \":80\", tls: }"))
	f(listen("{address: \":80\", tls: {}}"))
	f(listen("{address: \":80\", tls: {certificates: []}}"))
	f(listen("{address: \":80\", tls: {certificates: [{cert: a.pem}]}}"))
	f(listen("{address: \":80\", tls: {certificates: [{cert: a.pem, key: a.key}], min_version: 1.1}}"))
	f(listen("{address: \":80\", tls: {certificates: [{cert: a.pem, key: a.key}], client_auth: require}}"))
}

func TestSchemaRefusesRoutes(t *testing.T) {
	f := schemaRefuses(t)
	f(route("prefix: /a"))
	f(route("local: {}, proxy: http://h"))
	f(route("local: {status: 99}"))
	f(route("local: ok"))
	f(route("proxy: "))
	f(route("proxy: {}"))
	f(route("proxy: []"))
	f(route("proxy: {upstreams: []}"))
	f(route("proxy: [{url: http://h}]"))
	f(route("proxy: {upstreams: [http://h], algorithm: best}"))
	f(route("prefix: api, local: {}"))
	f(route("prefix: \"/a?b\", local: {}"))
	f(route("host: a.example:80, local: {}"))
	f(route("host: [a.example, \"\"], local: {}"))
	f(route("host: a.*.example, local: {}"))
	f(route("strip_prefix: 1, local: {}"))
	f(route("prefx: /a, local: {}"))
}

func TestSchemaRefusesClusters(t *testing.T) {
	f := schemaRefuses(t)
	f(up + "clusters: {none: {upstreams: [http://h]}}\n")
	f(up + "clusters: {\"a b\": {upstreams: [http://h]}}\n")
	f(web("algorithm: fastest"))
	f(web("upstream: []"))
	f(web("retry_connection: perhaps"))
	f(web("keepalive: \"false\""))
	f(web("max_retries_per_upstream: -1"))
	f(web("proxy_header: v3"))
	f(web("circuit_breaker: "))
	f(web("circuit_breaker: on"))
	f(web("circuit_breaker: {max_fails: 0}"))
	f(web("circuit_breaker: {max_fail: 1}"))
	f(web("retry_budget: {max_retry_rate: 1.5}"))
	f(web("affinity: cookie"))
	f(web("affinity: {}"))
	f(web("affinity: {ip: {}, cookie: {}}"))
	f(web("affinity: {ip: {mask: 24}}"))
	f(web("affinity: {header: {}}"))
	f(web("affinity: {hash: {variable: request.cookie.a}}"))
	f(web("affinity: {cookie: {name: \"a=b\"}}"))
	f(web("affinity: {cookie: {ttl: 0.5}}"))
	f(web("request_header: \"X: y\""))
	f(web("request_header: [\"X-One\"]"))
	f(web("request_header: [\"-X-One: 1\"]"))
	f(web("beacon_defaults: {url: http://h}"))
	f(web("beacon_defaults: {cert: a.pem}"))
	f(upstream("127.0.0.1:9000"))
	f(upstream("http://127.0.0.1:9000/app"))
	f(upstream("http://user:word@127.0.0.1:9000"))
	f(upstream("ftp://h"))
	f(upstream("{weight: 1}"))
	f(upstream("{url: http://h, srv: _http._tcp.h}"))
	f(upstream("{srv: app.example}"))
	f(upstream("{url: http://h, weight: 0}"))
	f(upstream("{url: http://h, weight: 1.5}"))
	f(upstream("{url: http://h, connection_timeout: true}"))
	f(upstream("{url: http://h, unix: a}"))
	f(upstream("{url: https://h, cert: a.pem}"))
	f(upstream("{url: http://h, dns_servers: 127.0.0.1}"))
	f(upstream("{url: http://h, active_check: }"))
	f(upstream("{url: http://h, active_check: {uri: health}}"))
	f(upstream("{url: http://h, active_check: {interval: 0.001}}"))
	f(upstream("{url: http://h, active_check: {expect_status: 6xx}}"))
	f(receive("{secret: 0123456789abcdef}"))
	f(receive("{listen: \":1\"}"))
	f(receive("{listen: \":1\", secret: short}"))
	f(receive("{listen: \":1\", secret: \"hex:00\"}"))
	f(receive("{listen: \":1\", secret: 0123456789abcdef, secret_file: a}"))
	f(announce("{address: \"h:1\", secret: 0123456789abcdef, advertise: \"http://h/a\"}"))
}

// Every key is in the schema, with its meaning and its default.
func TestSchemaHasEveryKey(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys() {
		name := k.Path[strings.LastIndexByte(k.Path, '.')+1:]
		meaning, err := json.Marshal(strings.ReplaceAll(k.Meaning, "`", ""))
		if err != nil {
			t.Fatal(err)
		}
		// The encoder of the schema leaves < > & as they are.
		meaning = regexp.MustCompile(`\\u00(3c|3e|26)`).ReplaceAllFunc(meaning, func(b []byte) []byte {
			return map[string][]byte{`\u003c`: []byte("<"), `\u003e`: []byte(">"), `\u0026`: []byte("&")}[string(b)]
		})
		want := `"` + name + `": {` + "\n *" + `"description": ` + regexp.QuoteMeta(string(meaning)) + `,`
		if k.Default != "" {
			want += "\n *" + `"default": `
		}
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("no %s (%s)", k.Path, want)
		}
	}
}

func TestSchemaDefaults(t *testing.T) {
	v := newValidator(t)
	f := func(want string, path ...string) {
		t.Helper()
		var at any = v.root
		for _, step := range path {
			at = at.(map[string]any)[step]
		}
		if got, _ := json.Marshal(at); string(got) != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	f(`"auto"`, "properties", "workers", "default")
	f(`16384`, "properties", "proxy_concurrent_conns", "default")
	f(`[]`, "properties", "trusted_proxies", "default")
	f(`true`, "properties", "admin", "default")
	f(`null`, "properties", "access_log", "default")
	f(`"75s"`, "properties", "timeouts", "properties", "idle", "default")
	f(`"32KiB"`, "properties", "limits", "properties", "header_bytes", "default")
	f(`1`, "properties", "trace", "properties", "sample_ratio", "default")
	f(`"two_random"`, "$defs", "cluster", "properties", "algorithm", "default")
	f(`true`, "$defs", "cluster", "properties", "circuit_breaker", "default")
	f(`false`, "$defs", "cluster", "properties", "retry_budget", "default")
	f(`{}`, "$defs", "cluster", "properties", "beacon_defaults", "default")
	f(`["listeners","routes"]`, "required")
	f(`false`, "additionalProperties")
}

func TestSchemaIsRepeatable(t *testing.T) {
	first, _ := Schema()
	second, err := Schema()
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v, two schemas differ", err)
	}
}

// FuzzSchema holds that whatever loads is valid by the schema.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{everyKey, ok, web("affinity: ip"), upstream("http://h"), receive("{listen: \":1\", secret: 0123456789abcdef}")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		if _, err := parse("f.yaml", []byte(file), environment); err != nil {
			return
		}
		if why := newValidator(t).refuses(t, file); why != "" {
			t.Errorf("%s in\n%s", why, file)
		}
	})
}
