package config

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A finder requires that a rule has exactly these findings in a file: the beginnings of
// line:column: path: message.
type finder func(id, file string, want ...string)

// TestRules shows of every rule what it finds, and what it leaves alone.
func TestRules(t *testing.T) {
	hits, silent := map[string]int{}, map[string]int{}
	f := func(id, file string, want ...string) {
		t.Helper()
		got := findingsOf(t, id, file)
		if len(want) == 0 {
			silent[id]++
		} else {
			hits[id]++
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d findings, want %d: %v\nin\n%s", id, len(got), len(want), got, file)
			return
		}
		for i, finding := range got {
			text := fmt.Sprintf("%d:%d: %s: %s", finding.Line, finding.Column, finding.Path, finding.Message)
			if !strings.HasPrefix(text, want[i]) {
				t.Errorf("%s:\ngot  %s\nwant %s\nin\n%s", id, text, want[i], file)
			}
		}
	}
	findsTrust(f)
	findsOperators(f)
	findsRoutes(f)
	findsTimes(f)
	findsResilience(f)
	findsUpstreams(f)
	findsAffinity(f)
	findsSecrets(f)
	for _, r := range rules {
		if hits[r.id] == 0 || silent[r.id] == 0 {
			t.Errorf("%s: shown to find %d times, to be silent %d times", r.id, hits[r.id], silent[r.id])
		}
	}
}

// findingsOf returns what the rule finds, whether this build has what it is about or not.
func findingsOf(t *testing.T, id, file string) []Finding {
	t.Helper()
	for _, r := range rules {
		if r.id == id {
			return examine(mustParse(t, file), []rule{r})
		}
	}
	t.Fatalf("no rule %s", id)
	return nil
}

// Rules that need what this build does not have are silent, and no others.
func TestDoctorKnowsTheBuild(t *testing.T) {
	got := map[string]bool{}
	for _, f := range Doctor(mustParse(t, up+"clusters: {web: {upstreams: [http://10.0.0.1, http://10.0.0.2]}}\n")) {
		got[f.ID] = true
	}
	for id, needs := range map[string]string{
		"retry-unlimited": "clusters.*.retry_budget", "check-absent": "clusters.*.upstreams[].active_check", "access-log-absent": "access_log",
	} {
		if got[id] == isUnbuilt(needs) {
			t.Errorf("%s: found %v, while %s is unbuilt: %v", id, got[id], needs, isUnbuilt(needs))
		}
	}
}

func TestDoctorIsWorstFirst(t *testing.T) {
	c := mustParse(t, ok+"admin: false\nclusters: {web: {keepalive: false, upstreams: [\"http://{{request.uri}}\"]}}\ntrusted_proxies: [\"::/0\", 0.0.0.0/0]\n")
	var got []string
	for _, f := range examine(c, rules) {
		got = append(got, fmt.Sprintf("%s %d %s", f.Level, f.Line, f.ID))
	}
	want := []string{
		"error 4 ssrf", "error 5 trust-everybody", "error 5 trust-everybody",
		"warning 4 cluster-unused", "warning 4 keepalive-off",
		"info 1 client-ip-unset", "info 1 drain-abrupt", "info 1 access-log-absent", "info 3 admin-off", "info 4 breaker-alone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFindingText(t *testing.T) {
	f := Finding{ID: "an-id", Level: FindingWarning, File: "f.yaml", Line: 3, Column: 7, Path: "a.b", Message: "wrong", Fix: "make it right"}
	if got := f.String(); got != "f.yaml:3:7: warning: a.b: wrong [an-id]" {
		t.Errorf("got %q", got)
	}
	got, err := json.Marshal(f)
	if want := `{"id":"an-id","level":"warning","file":"f.yaml","line":3,"column":7,"path":"a.b","message":"wrong","fix":"make it right"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestRuleTable(t *testing.T) {
	keys := map[string]bool{}
	for _, k := range Keys() {
		keys[k.Path] = true
	}
	seen, last := map[string]bool{}, 0
	for _, r := range rules {
		if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(r.id) || seen[r.id] {
			t.Errorf("%q is no id, or one that another rule has", r.id)
		}
		seen[r.id] = true
		if r.fix == "" || strings.HasSuffix(r.fix, ".") || r.look == nil {
			t.Errorf("%s: %q", r.id, r.fix)
		}
		if r.needs != "" && !keys[r.needs] {
			t.Errorf("%s needs %s, which is no key", r.id, r.needs)
		}
		rank := strings.Index("error warning info", string(r.level))
		if rank < last {
			t.Errorf("%s: the table is not worst first", r.id)
		}
		last = rank
	}
}

// The page about rules has a section for each level, and in it a row for each rule.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	levels, marked, section := map[string]string{}, map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		if m := regexp.MustCompile("^## .*`([a-z]+)`").FindStringSubmatch(line); m != nil {
			section = m[1]
		}
		if m := regexp.MustCompile("^\\| `([a-z0-9-]+)` \\| .+ \\| .+ \\|").FindStringSubmatch(line); m != nil {
			levels[m[1]], marked[m[1]] = section, strings.Contains(line, "` | * ")
		}
	}
	for _, r := range rules {
		if levels[r.id] != string(r.level) || marked[r.id] != r.told {
			t.Errorf("%s: documented as %q, marked: %v; is %q, told by check: %v", r.id, levels[r.id], marked[r.id], r.level, r.told)
		}
		delete(levels, r.id)
	}
	for id := range levels {
		t.Errorf("the page has %s, which is no rule", id)
	}
}

// Samples do what the rules ask for; full.yaml shows every key, not good practice.
func TestSamplesAreHealthy(t *testing.T) {
	for _, name := range []string{"minimal", "two-upstreams", "websocket", "examples/beacon", "examples/behind-a-load-balancer", "examples/environment",
		"examples/failover", "examples/sticky", "examples/tls", "examples/unix-sockets", "examples/virtual-hosts"} {
		c, err := Load(samples + "/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range examine(c, rules) {
			// The shortest files leave these to the defaults.
			if f.Level != FindingInfo && f.ID != "retry-unlimited" {
				t.Errorf("%v", f)
			}
		}
	}
}

// A Config made by hand has no positions.
func TestDoctorWithoutFile(t *testing.T) {
	c := defaultConfig()
	c.Admin, c.TrustedProxies = nil, mustParse(t, ok+"trusted_proxies: [0.0.0.0/0]\n").TrustedProxies
	for _, f := range examine(c, rules) {
		if f.Line != 0 || f.Message == "" {
			t.Errorf("%v", f)
		}
	}
}
