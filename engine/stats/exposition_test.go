package stats

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An exposition is a parsed scrape.
type exposition struct {
	kinds, helps map[string]string
	families     []string // in order
	samples      map[string]float64
}

var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)
var labelPair = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)`)

// parse reads the text format 0.0.4 more strictly than a scraper does: each
// family in one piece behind its HELP and TYPE, no series twice, no time stamps.
func parse(text string) (*exposition, error) {
	x := &exposition{kinds: map[string]string{}, helps: map[string]string{}, samples: map[string]float64{}}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("no newline at the end")
	}
	current := ""
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if err := x.line(line, &current); err != nil {
			return nil, fmt.Errorf("line %d %q: %w", n+1, line, err)
		}
	}
	return x, nil
}

func (x *exposition) line(line string, current *string) error {
	if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
		name, help, _ := strings.Cut(rest, " ")
		if x.helps[name] != "" || help == "" {
			return fmt.Errorf("second or empty HELP")
		}
		x.helps[name] = help
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
		name, kind, _ := strings.Cut(rest, " ")
		if x.kinds[name] != "" || x.helps[name] == "" {
			return fmt.Errorf("second TYPE, or no HELP in front")
		}
		x.kinds[name], *current = kind, name
		x.families = append(x.families, name)
		return nil
	}
	return x.sample(line, *current)
}

func (x *exposition) sample(line, current string) error {
	m := sampleLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("not a sample")
	}
	suffix, ok := strings.CutPrefix(m[1], current)
	if !ok || current == "" || !suffixFits(x.kinds[current], suffix) {
		return fmt.Errorf("not of the family %q", current)
	}
	seen := map[string]bool{}
	for rest := m[2]; rest != ""; {
		pair := labelPair.FindStringSubmatch(rest)
		if pair == nil || seen[pair[1]] {
			return fmt.Errorf("bad label at %q", rest)
		}
		seen[pair[1]] = true
		rest = rest[len(pair[0]):]
	}
	v, err := strconv.ParseFloat(m[3], 64)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("value %q", m[3])
	}
	series, _, _ := strings.Cut(line, " "+m[3])
	if _, twice := x.samples[series]; twice {
		return fmt.Errorf("series twice")
	}
	x.samples[series] = v
	return nil
}

func suffixFits(kind, suffix string) bool {
	switch suffix {
	case "":
		return kind != histoKind
	case "_bucket":
		return kind == histoKind
	case "_sum", "_count":
		return kind == histoKind || kind == summary
	}
	return false
}

// scrape returns what the registry's own families say.
func scrape(t *testing.T, r *Registry) *exposition {
	t.Helper()
	x, err := parse(own(r))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// own is the text of the registry's own families.
func own(r *Registry) string {
	var b strings.Builder
	t := &text{to: &b}
	r.writeOwn(t)
	t.flush()
	return b.String()
}

// want compares one series; NaN means that it is not there.
func (x *exposition) want(t *testing.T, series string, v float64) {
	t.Helper()
	got, ok := x.samples[series]
	if ok == math.IsNaN(v) || ok && got != v {
		t.Errorf("%s is %v (there: %v), want %v", series, got, ok, v)
	}
}

var absent = math.NaN()

func TestParseRefuses(t *testing.T) {
	f := func(text string) {
		t.Helper()
		if _, err := parse(text); err == nil {
			t.Errorf("parse accepts %q", text)
		}
	}
	const head = "# HELP a x\n# TYPE a counter\n"
	f("a 1\n")
	f("# TYPE a counter\na 1\n")
	f(head + "a 1")
	f(head + "a 1\na 1\n")
	f(head + "a{x=\"1} 1\n")
	f(head + "a{x=\"1\",x=\"2\"} 1\n")
	f(head + "a_bucket 1\n")
	f(head + "b 1\n")
	f(head + "a NaN\n")
	f(head + head)
	f(head + "a 1 2\n")
}
