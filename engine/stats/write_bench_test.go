package stats

import (
	"fmt"
	"io"
	"testing"
)

// BenchmarkScrape is a scrape of 1,000 routes and 1,000 endpoints on two
// workers.
func BenchmarkScrape(b *testing.B) {
	r := New(2)
	for i := range 1000 {
		r.Route(fmt.Sprintf("/%d", i), "web").Observe(i%2, 200, 1000)
		r.Endpoint(EndpointLabels{Cluster: "web", URL: fmt.Sprintf("http://a:%d", i)}).Answered(i%2, Answer{Status: 200})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.WritePrometheus(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
