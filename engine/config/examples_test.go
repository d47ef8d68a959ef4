package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const (
	samples   = "../../configs"
	fullFile  = samples + "/full.yaml"
	reference = "../../docs/configuration.md"
)

func TestSamplesLoad(t *testing.T) {
	first, _ := filepath.Glob(samples + "/*.yaml")
	more, _ := filepath.Glob(samples + "/examples/*.yaml")
	if len(first) < 4 || len(more) < 5 {
		t.Errorf("%d and %d samples", len(first), len(more))
	}
	for _, path := range append(first, more...) {
		c, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range Warnings(c) {
			t.Errorf("a sample is warned of: %v", w)
		}
	}
}

// The samples for the first steps use nothing that is not built.
func TestFirstSamplesRun(t *testing.T) {
	for _, name := range []string{"minimal", "two-upstreams", "websocket", "examples/virtual-hosts", "examples/behind-a-load-balancer", "examples/environment", "examples/unix-sockets"} {
		c, err := Load(filepath.Join(samples, name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if faults := Unbuilt(c); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// full.yaml has every key, with its default unless the line says e.g.
func TestFullFileHasEveryKey(t *testing.T) {
	text, err := os.ReadFile(fullFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	c, err := Parse(fullFile, text)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string][]entry{}
	for _, e := range c.src.written {
		written[e.key] = append(written[e.key], e)
	}
	for _, k := range Keys() {
		name := k.Path[strings.LastIndexByte(k.Path, '.')+1:]
		if len(written[k.Path]) == 0 && !regexp.MustCompile(`(?m)^ *# .*\b`+name+`:`).Match(text) {
			t.Errorf("full.yaml has no %s", k.Path)
		}
		for _, e := range written[k.Path] {
			line := lines[c.src.marks[e.path].line-1]
			if e.kind == yaml.ScalarNode && e.text != k.Default && e.text != "" && !strings.Contains(line, "e.g.") && strings.Contains(line, name+":") {
				t.Errorf("full.yaml: %s is %q; the default is %q", e.path, e.text, k.Default)
			}
		}
	}
}

// The reference has a section for each mapping, and in it a row for each key with its
// default, and its meaning in the words that the schema has.
func TestReferenceHasEveryKey(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	rows := referenceRows(string(text))
	for _, k := range Keys() {
		got, ok := rows[k.Path]
		want := "`" + k.Default + "`"
		switch {
		case k.Required:
			want = "required"
		case k.Default == "":
			want = "–"
		}
		if !ok || got.value != want {
			t.Errorf("%s: default %q, want %q (found: %v)", k.Path, got.value, want, ok)
		}
		if ok && got.meaning != k.Meaning {
			t.Errorf("%s: meaning\n%s\nwant\n%s", k.Path, got.meaning, k.Meaning)
		}
		delete(rows, k.Path)
	}
	for path := range rows {
		t.Errorf("the reference has %s, which is no key", path)
	}
}

// A referenceRow is what the reference says of a key.
type referenceRow struct{ value, meaning string }

// referenceRows returns the row of every key. A heading names the mapping in backquotes; a
// row has the key, its type, its default and its meaning.
func referenceRows(text string) map[string]referenceRow {
	rows := map[string]referenceRow{}
	heading := regexp.MustCompile("^#+ .*`([^`]*)`$")
	row := regexp.MustCompile("^\\| `([a-z0-9_]+)` \\| ([^|]*(?:\\\\\\|[^|]*)*) \\| ([^|]*) \\| (.+) \\|$")
	section := ""
	for _, line := range strings.Split(text, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
		}
		if m := row.FindStringSubmatch(line); m != nil {
			path := m[1]
			if section != "(top)" {
				path = section + "." + m[1]
			}
			rows[path] = referenceRow{strings.TrimSpace(m[3]), m[4]}
		}
	}
	return rows
}

// The files shown in the reference are accepted.
func TestReferenceExamplesLoad(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 5 {
		t.Errorf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		file := b[1]
		if !strings.Contains(file, "\nlisteners:") && !strings.HasPrefix(file, "listeners:") {
			file = "listeners: [\":80\"]\n" + file
		}
		if !strings.Contains(file, "\nroutes:") {
			file += "routes: [{local: {}}]\n"
		}
		if _, err := parse("example", []byte(file), environment); err != nil {
			t.Errorf("%v\nin\n%s", err, file)
		}
	}
}
