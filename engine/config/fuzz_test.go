package config

import (
	"strings"
	"testing"
)

// FuzzParse requires that nothing panics, that a refusal has faults with positions, and
// that what is accepted keeps the promises of the types.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", ok, web("affinity: ip"), upstream("{url: \"https://h:8443\", active_check: {expect_status: 2xx}}"), listen("unix:/a"),
		route("host: [a, \"*.b\"], prefix: /a, proxy: [http://a, http://b]"), receive("{listen: \":1\", secret: 0123456789abcdef}"),
		local("${SET} $$ ${UNSET:-x}"), web("request_header: [\"+X: {{request.id}}\", \"-Y\"]"), "a: &a [*a]\n<<: {}\n", "- - - -\n", "\t:\n---\n...",
		web("circuit_breaker: {window: 1h30m}\n    retry_budget: true"), ok + "limits: {header_bytes: 16KiB}\ntrusted_proxies: [\"::/0\"]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		c, err := parse("f.yaml", []byte(file), environment)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		checkConfig(t, c)
		for _, faults := range [][]Fault{Unbuilt(c), Warnings(c)} {
			for _, fault := range faults {
				if fault.Line == 0 || fault.Path == "" {
					t.Errorf("%v has no position", fault)
				}
			}
		}
		for _, finding := range examine(c, rules) {
			if finding.Line == 0 || finding.Path == "" || strings.Contains(finding.String(), "\n") {
				t.Errorf("%v: no position, or more than a line", finding)
			}
		}
		// The checks between keys give the same verdict again.
		d := newDecoder("f.yaml", environment)
		d.src = c.src
		d.check(c)
		if len(d.faults) > 0 {
			t.Errorf("checked again: %v", d.faults)
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	e, ok := err.(*Errors)
	if !ok || len(e.Faults) == 0 {
		t.Fatalf("%T with no faults: %v", err, err)
	}
	for _, fault := range e.Faults {
		if fault.Line < 1 || fault.Message == "" || strings.Contains(fault.Error(), "\n") {
			t.Errorf("%#v", fault)
		}
	}
}

// checkConfig holds c against the comments of its types.
func checkConfig(t *testing.T, c *Config) {
	t.Helper()
	if len(c.Listeners) == 0 || len(c.Routes) == 0 {
		t.Error("no listeners or no routes")
	}
	for _, l := range c.Listeners {
		if l.Name == "" || (l.Address.Unix == "") == (l.Address.Port == 0) {
			t.Errorf("listener %+v", l)
		}
	}
	for _, r := range c.Routes {
		if checkPrefix(r.Prefix) != nil || r.Name == "" || (r.Local == nil) == (c.Cluster(r.Cluster) == nil) {
			t.Errorf("route %+v", r)
		}
	}
	names := map[string]bool{}
	for i := range c.Clusters {
		cl := &c.Clusters[i]
		if names[cl.Name] || cl.ResponseHeaderTimeout <= 0 || cl.path == "" {
			t.Errorf("cluster %+v", cl)
		}
		names[cl.Name] = true
		for _, u := range cl.Upstreams {
			if u.Weight < 1 || u.Weight > MaxWeight || (u.URL.Text == "") == (u.SRV == "") || u.path == "" {
				t.Errorf("upstream %+v", u)
			}
			if u.URL.Template == nil && u.SRV == "" && (u.URL.Host == "" || u.URL.Port == 0) {
				t.Errorf("url %+v", u.URL)
			}
		}
		for _, rule := range append(cl.RequestHeader, cl.ResponseHeader...) {
			if !isToken(rule.Name) || strings.ContainsAny(rule.Value.Text, "\r\n\x00") {
				t.Errorf("rule %+v", rule)
			}
		}
	}
}
