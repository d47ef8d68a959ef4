package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"millrace/engine/config"
)

// inOrder does what the rules say one after the other, on lines "name: value".
func inOrder(lines []string, rules []config.HeaderRule) []string {
	for _, r := range rules {
		if r.Op != config.HeaderAdd {
			var kept []string
			for _, l := range lines {
				if name, _, _ := strings.Cut(l, ":"); !strings.EqualFold(name, r.Name) {
					kept = append(kept, l)
				}
			}
			lines = kept
		}
		if r.Op != config.HeaderRemove {
			lines = append(lines, r.Name+": "+r.Value.Text)
		}
	}
	return lines
}

// compiled does the same by the compiled rules.
func compiled(t *testing.T, lines []string, in []config.HeaderRule) []string {
	t.Helper()
	x := parsed(t, "GET / HTTP/1.1\r\nHost: h\r\n"+strings.Join(append(lines, ""), "\r\n")+"\r\n")
	r := newRules(in)
	var out []byte
	for i := 1; i < len(x.req.Fields); i++ {
		if !r.drops(&x.req.Head, i) {
			out = append(out, x.req.Line(i)...)
		}
	}
	return strings.Split(strings.TrimSuffix(string(r.appendTo(out, x)), "\r\n"), "\r\n")
}

func TestRules(t *testing.T) {
	names := []string{"X-A", "x-a", "X-B", "X-AB", "X-C"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var lines []string
		var in []config.HeaderRule
		for i := range rng.IntN(6) {
			lines = append(lines, fmt.Sprintf("%s: %d", names[rng.IntN(len(names))], i))
		}
		for i := range rng.IntN(8) {
			rule := config.HeaderRule{Op: config.HeaderOp(rng.IntN(3)), Name: names[rng.IntN(len(names))]}
			if rule.Op != config.HeaderRemove {
				rule.Value, _ = config.ParseTemplate(fmt.Sprint("v", i))
			}
			in = append(in, rule)
		}
		got, want := strings.Join(compiled(t, lines, in), "|"), strings.Join(inOrder(lines, in), "|")
		if got != want {
			t.Fatalf("%q by %v: got %q, want %q", lines, in, got, want)
		}
	}
}

// A field that is set or removed is the rules' affair; one that is added to is not.
func TestRulesNames(t *testing.T) {
	set := func(op config.HeaderOp, name string) config.HeaderRule { return config.HeaderRule{Op: op, Name: name} }
	r := newRules([]config.HeaderRule{set(config.HeaderSet, "X-Real-IP"), set(config.HeaderRemove, "x-gone"), set(config.HeaderAdd, "X-More")})
	f := func(name string, want bool) {
		t.Helper()
		if got := r.names(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	f("x-real-ip", true)
	f("x-gone", true)
	f("x-more", false)
	f("x", false)
	if r = newRules(nil); r != nil || r.names("x") || r.drops(nil, 0) || len(r.appendTo(nil, nil)) > 0 {
		t.Error("no rules do something")
	}
}

func TestEqualFold(t *testing.T) {
	f := func(name, lower string, want bool) {
		t.Helper()
		if got := equalFold([]byte(name), lower); got != want {
			t.Errorf("%q, %q: got %v", name, lower, got)
		}
	}
	f("", "", true)
	f("X-Ab", "x-ab", true)
	f("x-ab", "x-ab", true)
	f("x-a", "x-ab", false)
	f("x_ab", "x-ab", false)
	f("@", "`", false)
	f("[", "{", false)
}
