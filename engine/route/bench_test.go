package route

import (
	"fmt"
	"testing"
)

var sizes = []int{1, 10, 100, 1_000, 10_000}

func benchFind(b *testing.B, rules []Rule[int], host, path string) {
	table, s := mustNew(b, rules), new(Scratch)
	h, p := []byte(host), []byte(path)
	b.ReportAllocs()
	for b.Loop() {
		if _, v := table.Find(0, h, p, s); v != Found {
			b.Fatal(v)
		}
	}
}

// BenchmarkPrefixes looks one of n prefixes up, for any host.
func BenchmarkPrefixes(b *testing.B) {
	for _, n := range sizes {
		var rules []Rule[int]
		for i := range n {
			rules = append(rules, Rule[int]{Prefix: fmt.Sprintf("/service-%d/v1", i)})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchFind(b, rules, "a.example:8080", fmt.Sprintf("/service-%d/v1/items/42", n/2))
		})
	}
}

// BenchmarkHosts looks one of n hosts up, each with the prefix "/".
func BenchmarkHosts(b *testing.B) {
	for _, n := range sizes {
		var rules []Rule[int]
		for i := range n {
			rules = append(rules, Rule[int]{Hosts: []string{fmt.Sprintf("tenant-%d.example", i)}, Prefix: "/"})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchFind(b, rules, fmt.Sprintf("tenant-%d.example:8080", n/2), "/v1/items/42")
		})
	}
}

// BenchmarkWildcards looks one of n wildcards up, of two lengths.
func BenchmarkWildcards(b *testing.B) {
	for _, n := range sizes {
		var rules []Rule[int]
		for i := range n {
			rules = append(rules, Rule[int]{Hosts: []string{fmt.Sprintf("*.tenant-%d.example", i)}, Prefix: "/"})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchFind(b, rules, fmt.Sprintf("www.tenant-%d.example", n/2), "/v1/items/42")
		})
	}
}

// BenchmarkSpread looks all of n prefixes up in turn, so that the table does not stay in
// the processor's nearest cache.
func BenchmarkSpread(b *testing.B) {
	for _, n := range sizes {
		var rules []Rule[int]
		var paths [][]byte
		for i := range n {
			rules = append(rules, Rule[int]{Prefix: fmt.Sprintf("/service-%d/v1", i)})
			paths = append(paths, fmt.Appendf(nil, "/service-%d/v1/items/42", i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			table, s, i := mustNew(b, rules), new(Scratch), 0
			b.ReportAllocs()
			for b.Loop() {
				if _, v := table.Find(0, nil, paths[i], s); v != Found {
					b.Fatal(v)
				}
				if i += 7; i >= n {
					i %= n
				}
			}
		})
	}
}

// BenchmarkPaths shows what the path alone costs.
func BenchmarkPaths(b *testing.B) {
	rules := prefixRules("/", "/api")
	f := func(name, path string) {
		b.Run(name, func(b *testing.B) { benchFind(b, rules, "a.example", path) })
	}
	f("root", "/")
	f("plain", "/api/v1/items/42")
	f("long", "/api/v1/organisations/8c1f/projects/4711/pipelines/latest/artifacts/report.html")
	f("hidden", "/api/.well-known/x")
	f("escaped", "/api/caf%C3%A9/menu%20du%20jour")
	f("params", "/api/x;jsessionid=1/y")
	f("slashes", "/api/v4/projects/group%2Fproject")
}

// BenchmarkStrip is Strip of a plain path.
func BenchmarkStrip(b *testing.B) {
	s, p := new(Scratch), []byte("/api/v1/items/42")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Strip("/api", p, s); !ok {
			b.Fatal("refused")
		}
	}
}
