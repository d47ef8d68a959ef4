package route

import (
	"strings"
	"testing"
)

// prefixRules makes a rule for any host of each prefix; its value is its number.
func prefixRules(list ...string) []Rule[int] {
	var rules []Rule[int]
	for i, prefix := range list {
		rules = append(rules, Rule[int]{Prefix: prefix, Value: i})
	}
	return rules
}

func mustNew(tb testing.TB, rules []Rule[int]) *Table[int] {
	tb.Helper()
	t, err := New(rules)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// outcome is the prefix that Find chose, or the status it stands for.
func outcome(t *Table[int], listener int, host, path string) string {
	m, v := t.Find(listener, []byte(host), []byte(path), new(Scratch))
	switch v {
	case Found:
		return m.Prefix
	case NoRoute:
		return "404"
	}
	return "400"
}

func TestFindPrefix(t *testing.T) {
	var table *Table[int]
	routes := func(list ...string) { table = mustNew(t, prefixRules(list...)) }
	f := func(path, want string) {
		t.Helper()
		if got := outcome(table, 0, "a.example", path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}

	routes("/svc-a", "/b/c")
	f("/svc-a", "/svc-a")
	f("/svc-a/", "/svc-a")
	f("/svc-a/x", "/svc-a")
	f("/svc-ab", "404")
	f("/svc-", "404")
	f("/svc-a.b", "404")
	f("/", "404")
	f("/b", "404")
	f("/b/c", "/b/c")
	f("/b/c/d", "/b/c")
	f("/b/cd", "404")
	f("/x/svc-a", "404")
	f("", "400")
	f("*", "400")
	f("svc-a", "400")
	f("/svc-a?q", "400")
	f("/svc-a#f", "400")
	f("/svc-a/\x00", "400")
	f("/svc-a/\x7f", "400")
	f("/svc-a/a b", "400")
	f("/svc-a/\xc3\xa9", "400")

	routes("/", "/a", "/a/b/c", "/a/b")
	f("/", "/")
	f("/x", "/")
	f("/a", "/a")
	f("/a/x", "/a")
	f("/a/b", "/a/b")
	f("/a/b/x", "/a/b")
	f("/a/b/c", "/a/b/c")
	f("/a/b/c/d", "/a/b/c")
	f("/a/bc", "/a")
	f("/ab", "/")

	routes("/svc-a/")
	f("/svc-a/", "/svc-a/")
	f("/svc-a/x", "/svc-a/")
	f("/svc-a//x", "/svc-a/")
	f("/svc-a", "404")
	f("/svc-ab", "404")

	routes("/a", "/a/", "/a/bcd")
	f("/a", "/a")
	f("/a/", "/a/")
	f("/a/x", "/a/")
	f("/a/bcd", "/a/bcd")
	f("/a/bce", "/a/")
	f("/a%2F", "400")

	routes("/", "/api", "/~x")
	f("/%61pi/x", "/api")
	f("/ap%69", "/api")
	f("//api/x", "/api")
	f("/api//x", "/api")
	f("///api", "/api")
	f("/%7Ex", "/~x")
	f("/%7ex/y", "/~x")
	f("/API/x", "/")
	f("/%41pi/x", "/")
	f("/apix", "/")
	f("/api%20", "/")
	f("/ap", "/")
	f("/api%61", "/")

	routes()
	f("/", "404")
	f("/..", "400")
}

func TestFindHost(t *testing.T) {
	rules := []Rule[int]{
		{Hosts: []string{"a.example"}, Prefix: "/exact"},
		{Hosts: []string{"b.example", "C.Example."}, Prefix: "/list"},
		{Hosts: []string{"*.a.example"}, Prefix: "/wild"},
		{Hosts: []string{"*.x.a.example"}, Prefix: "/longer"},
		{Hosts: []string{"[2001:DB8:0::1]", "192.0.2.1"}, Prefix: "/address"},
		{Prefix: "/any"},
	}
	// With the catch-all below each, the outcome names the host that was chosen.
	for i := range 6 {
		rules = append(rules, Rule[int]{Hosts: rules[i].Hosts, Prefix: "/"})
	}
	for i := range rules {
		rules[i].Value = i % 6
	}
	table := mustNew(t, rules)
	names := []string{"exact", "list", "wild", "longer", "address", "any"}
	f := func(host, want string) {
		t.Helper()
		m, v := table.Find(0, []byte(host), []byte("/"), new(Scratch))
		if got := names[m.Value]; v != Found || got != want {
			t.Errorf("%q: %s (%d), want %s", host, got, v, want)
		}
	}
	f("a.example", "exact")
	f("A.Example", "exact")
	f("a.example:8080", "exact")
	f("a.example.", "exact")
	f("A.EXAMPLE.:443", "exact")
	f("a.example..", "any")
	f("b.example", "list")
	f("c.example", "list")
	f("x.a.example", "wild")
	f("X.A.EXAMPLE:1", "wild")
	f("x.a.example.", "wild")
	f("z.y.a.example", "wild")
	f("y.x.a.example", "longer")
	f("z.y.x.a.example", "longer")
	f(".a.example", "any")
	f("..a.example", "any")
	f("xa.example", "any")
	f("d.example", "any")
	f("example", "any")
	f("[2001:db8::1]", "address")
	f("[2001:DB8::1]:443", "address")
	f("[2001:db8::2]", "any")
	f("[2001:db8::1", "any")
	f("192.0.2.1:80", "address")
	f("", "any")
	f(":80", "any")
	f(".", "any")
	f("*.a.example", "wild")
	f(strings.Repeat("x", 240)+".a.example", "wild")
	f(strings.Repeat("X", 245)+".a.example", "any")
}

func TestFindFallsBackToLessSpecificHost(t *testing.T) {
	table := mustNew(t, []Rule[int]{
		{Hosts: []string{"x.a.example"}, Prefix: "/one"},
		{Hosts: []string{"*.a.example"}, Prefix: "/two"},
		{Hosts: []string{"*.example"}, Prefix: "/three"},
		{Prefix: "/four/deeper"},
		{Hosts: []string{"x.a.example"}, Prefix: "/four"},
	})
	f := func(host, path, want string) {
		t.Helper()
		if got := outcome(table, 0, host, path); got != want {
			t.Errorf("%s%s: %s, want %s", host, path, got, want)
		}
	}
	f("x.a.example", "/one", "/one")
	f("x.a.example", "/two", "/two")
	f("x.a.example", "/three", "/three")
	f("y.a.example", "/one", "404")
	f("y.b.example", "/two", "404")
	f("y.b.example", "/three", "/three")
	f("x.a.example", "/four/deeper", "/four") // the host goes before the prefix
	f("y.a.example", "/four/deeper", "/four/deeper")
	f("", "/four/deeper", "/four/deeper")
	f("", "/one", "404")
	f("y.a.example", "/one%2Fx", "404") // no reading has a route
	f("x.a.example", "/one%2Fx", "400")
}

func TestFindListener(t *testing.T) {
	table := mustNew(t, []Rule[int]{
		{Prefix: "/", Value: 0},
		{Prefix: "/", Listeners: []int{1, 2}, Value: 1},
		{Prefix: "/a", Listeners: []int{2}, Value: 2},
		{Prefix: "/b", Value: 3},
		{Prefix: "/c", Listeners: []int{0}, Hosts: []string{"a.example"}, Value: 4},
	})
	f := func(listener int, host, path string, want int) {
		t.Helper()
		if m, v := table.Find(listener, []byte(host), []byte(path), new(Scratch)); v != Found || m.Value != want {
			t.Errorf("listener %d, %s%s: %d (%d), want %d", listener, host, path, m.Value, v, want)
		}
	}
	f(0, "", "/", 0)
	f(1, "", "/", 1)
	f(2, "", "/", 1)
	f(3, "", "/", 0)
	f(-1, "", "/", 0)
	f(0, "", "/a", 0)
	f(1, "", "/a", 1)
	f(2, "", "/a", 2)
	f(3, "", "/a", 0)
	f(2, "", "/b", 3) // the prefix goes before the listener
	f(0, "a.example", "/c", 4)
	f(1, "a.example", "/c", 1)
}
