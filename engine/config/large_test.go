package config

import (
	"fmt"
	"strings"
	"testing"
)

// tenants returns a file with n hosts, each with a cluster of its own.
func tenants(n int) string {
	var b strings.Builder
	b.WriteString("listeners: [\":80\"]\nroutes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {host: tenant-%d.example, cluster: c%d}\n", i, i)
	}
	b.WriteString("clusters:\n")
	for i := range n {
		fmt.Fprintf(&b, "  c%d: {upstreams: [http://10.0.0.1:%d]}\n", i, i+1)
	}
	return b.String()
}

// BenchmarkParse shows that a cluster costs the same however many there are.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		file := []byte(tenants(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := parse("f.yaml", file, environment); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/cluster")
		})
	}
}

// A message about one name does not list thousands of others, nor compare it with each.
func TestMessagesStayShort(t *testing.T) {
	f := func(clusters int, want string) {
		t.Helper()
		_, err := parse("f.yaml", []byte(strings.Replace(tenants(clusters), "cluster: c1}", "cluster: x1}", 1)), environment)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d clusters: %.200s, want the end %s", clusters, err, want)
		}
	}
	f(3, "one of c0, c1, c2")
	f(60, `no cluster is called "x1"`)
	f(1100, `no cluster is called "x1"`)

	_, err := parse("f.yaml", []byte(strings.Replace(tenants(900), "cluster: c123}", "cluster: c123x}", 1)), environment)
	if err == nil || !strings.HasSuffix(err.Error(), "; did you mean c123?") {
		t.Errorf("%v", err)
	}
}

func TestClusterByName(t *testing.T) {
	c := mustParse(t, up+"clusters: {other: {upstreams: [http://o]}, web: {upstreams: [http://h]}}\n")
	byHand := &Config{Clusters: c.Clusters}
	for _, config := range []*Config{c, byHand} {
		for _, name := range []string{"web", "other"} {
			if got := config.Cluster(name); got == nil || got.Name != name {
				t.Errorf("%s: got %v", name, got)
			}
		}
		if got := config.Cluster("none"); got != nil {
			t.Errorf("got %v", got)
		}
	}
}
