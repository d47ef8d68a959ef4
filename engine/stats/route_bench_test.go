package stats

import "testing"

func BenchmarkObserve(b *testing.B) {
	r := New(2)
	rt := r.Route("/", "web")
	for b.Loop() {
		rt.Observe(1, 200, 120_000)
	}
}

func BenchmarkObserveSlow(b *testing.B) {
	r := New(2)
	rt := r.Route("/", "web")
	for b.Loop() {
		rt.Observe(1, 200, 20_000_000_000)
	}
}

func BenchmarkInc(b *testing.B) {
	s := New(2).Sheet(1)
	for b.Loop() {
		s.Inc(AcceptErrors)
	}
}

func BenchmarkEndpointInc(b *testing.B) {
	e := New(2).Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	for b.Loop() {
		e.Inc(1, Selected)
	}
}

func BenchmarkAnswered(b *testing.B) {
	e := New(2).Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	for b.Loop() {
		e.Answered(1, Answer{Status: 200, Reused: true, TTFB: 120_000})
	}
}
