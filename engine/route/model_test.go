package route

import "testing"

// TestModel compares Find with the reference on every path of a few tokens, for several
// sets of routes.
func TestModel(t *testing.T) {
	sets := [][]Rule[int]{
		prefixRules("/api", "/"),
		prefixRules("/api"),
		prefixRules("/api/", "/api", "/api/x", "/x"),
	}
	for _, rules := range sets {
		compareAll(t, rules, []string{"/", "api", "x", "%2f", "\\", ";", ".."}, 4)
		compareAll(t, rules, []string{"/", "a", "pi", "%", "2", "%46", "%32"}, 4)
		compareAll(t, rules, []string{"/", ".", "%2E", "%3b", "%25", "2e", "\\"}, 3)
	}
}

// compareAll compares on all paths of a slash and up to most tokens.
func compareAll(t *testing.T, rules []Rule[int], tokens []string, most int) {
	t.Helper()
	table, s := mustNew(t, rules), new(Scratch)
	var seen [3]int
	for level := []string{"/"}; most >= 0; most-- {
		var next []string
		for _, path := range level {
			compare(t, table, rules, question{path: path}, s, &seen)
			for _, token := range tokens {
				next = append(next, path+token)
			}
		}
		level = next
	}
	if seen[Found]+seen[NoRoute] < 50 || seen[BadPath] < 20 {
		t.Errorf("%v, %v: verdicts %v are too much of one kind to prove anything", rules, tokens, seen)
	}
}

// A question is what Find is asked.
type question struct {
	listener   int
	host, path string
}

// compare asks both and counts the verdict.
func compare(t *testing.T, table *Table[int], rules []Rule[int], q question, s *Scratch, seen *[3]int) {
	t.Helper()
	m, v := table.Find(q.listener, []byte(q.host), []byte(q.path), s)
	id, want := refFind(rules, q.listener, q.host, q.path)
	if v != want || v == Found && m.Value != rules[id].Value {
		t.Errorf("%+v: verdict %d, value %d; the reference: %d, rule %d", q, v, m.Value, want, id)
	}
	seen[v]++
}

// TestModelHosts compares on hosts, listeners and paths crossed.
func TestModelHosts(t *testing.T) {
	rules := crossedRules()
	table, s := mustNew(t, rules), new(Scratch)
	var seen [3]int
	for listener := range 3 {
		for _, host := range crossedHosts() {
			for _, path := range []string{"/", "/a", "/a/b", "/a/bc", "/a;b", "/a%2Fb", "/c", "/a/b/..", "/a//b/x", "/d/%61"} {
				compare(t, table, rules, question{listener, host, path}, s, &seen)
			}
		}
	}
	if min(seen[Found], seen[NoRoute], seen[BadPath]) < 20 {
		t.Errorf("verdicts %v", seen)
	}
}

// crossedRules is a table in which hosts, listeners and prefixes overlap.
func crossedRules() []Rule[int] {
	rules := []Rule[int]{
		{Hosts: []string{"a.example"}, Prefix: "/a"},
		{Hosts: []string{"a.example"}, Prefix: "/a", Listeners: []int{1}},
		{Hosts: []string{"a.example", "*.b.example"}, Prefix: "/a/b"},
		{Hosts: []string{"*.example"}, Prefix: "/a/", Listeners: []int{0, 2}},
		{Hosts: []string{"*.a.example"}, Prefix: "/"},
		{Hosts: []string{"x.a.example"}, Prefix: "/a/b", Listeners: []int{2}},
		{Hosts: []string{"b.example"}, Prefix: "/"},
		{Prefix: "/c", Listeners: []int{1}},
		{Prefix: "/c"},
		{Prefix: "/a"},
	}
	for i := range rules {
		rules[i].Value = i
	}
	return rules
}

func crossedHosts() []string {
	return []string{"", "a.example", "A.EXAMPLE.:80", "x.a.example", "y.x.a.example", "b.example", "x.b.example", "c.example", "example", ".a.example", "localhost", "[::1]:80"}
}
