package stats

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The units that a name may end in, before _total.
var units = []string{"_seconds", "_bytes"}

func TestFamilyNames(t *testing.T) {
	name := regexp.MustCompile(`^millrace(_[a-z0-9]+)+$`)
	seen := map[string]bool{}
	for _, f := range families() {
		if !name.MatchString(f.name) || seen[f.name] {
			t.Errorf("%s: not a name of ours, or twice", f.name)
		}
		seen[f.name] = true
		if strings.HasSuffix(f.name, "_total") != (f.kind == counter) {
			t.Errorf("%s is a %s: counters and only they end in _total", f.name, f.kind)
		}
		if f.kind == histoKind && !strings.HasSuffix(f.name, "_seconds") {
			t.Errorf("%s: no unit", f.name)
		}
		if f.kind != counter && f.kind != gaugeKind && f.kind != histoKind {
			t.Errorf("%s: kind %q", f.name, f.kind)
		}
		wordsMeanTheirUnit(t, f)
	}
}

// wordsMeanTheirUnit refuses a time or a size in a unit that is not a base unit.
func wordsMeanTheirUnit(t *testing.T, f family) {
	t.Helper()
	for _, bad := range []string{"_ms", "_millis", "_milliseconds", "_minutes", "_kilobytes", "_kb", "_mb", "_percent"} {
		if strings.Contains(f.name+"_", bad+"_") {
			t.Errorf("%s: %s is no base unit", f.name, bad)
		}
	}
	if strings.HasPrefix(f.help, "Time ") || strings.HasPrefix(f.help, "Unix time") {
		if !strings.Contains(f.name, units[0]) {
			t.Errorf("%s is a time without _seconds", f.name)
		}
	}
}

func TestHelpTexts(t *testing.T) {
	check := func(name, help string) {
		if help == "" || !strings.HasSuffix(help, ".") || strings.ToUpper(help[:1]) != help[:1] || strings.Contains(help, "\n") {
			t.Errorf("%s: help %q is not a sentence", name, help)
		}
	}
	for _, f := range families() {
		check(f.name, f.help)
	}
	for name, m := range runtimeFamilies {
		check(name, m.help)
	}
}

func TestRuntimeFamilyNames(t *testing.T) {
	for name, m := range runtimeFamilies {
		if strings.HasSuffix(name, "_total") != (m.kind == counter) {
			t.Errorf("%s is a %s", name, m.kind)
		}
	}
}

// documented returns the cells behind the name of each row of the tables in
// docs/metrics.md.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			rows[strings.Trim(cells[1], " `")] = cells[2:]
		}
	}
	return rows
}

func TestEveryFamilyIsDocumented(t *testing.T) {
	rows := map[string]string{}
	for name, cells := range documented(t) {
		rows[name] = strings.TrimSpace(cells[0])
	}
	for _, f := range families() {
		if rows[f.name] != f.kind {
			t.Errorf("docs/metrics.md says %q of %s, want %s", rows[f.name], f.name, f.kind)
		}
	}
	for name, m := range runtimeFamilies {
		if rows[name] != m.kind {
			t.Errorf("docs/metrics.md says %q of %s, want %s", rows[name], name, m.kind)
		}
	}
	for name := range rows {
		_, ofRuntime := runtimeFamilies[name]
		if !ofRuntime && strings.HasPrefix(name, "millrace_") && !isFamily(name) {
			t.Errorf("docs/metrics.md has %s, which does not exist", name)
		}
	}
}

func isFamily(name string) bool {
	for _, f := range families() {
		if f.name == name {
			return true
		}
	}
	return false
}

func TestLabelsAreDocumented(t *testing.T) {
	r := configured()
	busy(r)
	rows := documented(t)
	name := regexp.MustCompile(`(\w+)="`)
	for series := range scrape(t, r).samples {
		family, rest, _ := strings.Cut(series, "{")
		if rows[family] == nil { // a sample of a histogram
			family = family[:strings.LastIndex(family, "_")]
		}
		want := strings.Replace(rows[family][1], "backend", "`cluster`, `backend_url`, `backend_unix_path`", 1)
		for _, label := range name.FindAllStringSubmatch(rest, -1) {
			if label[1] != "le" && !strings.Contains(want, "`"+label[1]+"`") {
				t.Errorf("docs/metrics.md does not give %s the label %s", family, label[1])
			}
		}
	}
}
