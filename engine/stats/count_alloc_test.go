//go:build !race

package stats

import "testing"

func TestCountingDoesNotAllocate(t *testing.T) {
	r := New(2)
	rt, l := r.Route("/", "web"), r.Listener("127.0.0.1:80")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	method := []byte("DELETE")
	f := func(name string, count func()) {
		t.Helper()
		if n := testing.AllocsPerRun(1000, count); n != 0 {
			t.Errorf("%s allocates %v times, want 0", name, n)
		}
	}
	f("Observe", func() { rt.Observe(1, 200, 120_000) })
	f("Sheet.Inc", func() { r.Sheet(1).Inc(AcceptErrors) })
	f("Sheet.Add", func() { r.Sheet(1).Add(AcceptErrors, 2) })
	f("Failure", func() { r.Sheet(1).Failure(Timeout, 504) })
	f("Listener", func() { l.Open(1); l.Closed(1) })
	f("Endpoint.Inc", func() { e.Inc(1, Selected) })
	f("Opened", func() { e.Opened(1, 1000) })
	f("Waited", func() { e.Waited(1, 1000) })
	f("Answered", func() { e.Answered(1, Answer{Status: 200, Reused: true, TTFB: 1000}) })
	f("Failed", func() { e.Failed(1) })
	f("Retry", func() { e.Retry(1, MethodOf(method), true); e.RetryFinal(1, DELETE, true) })
}
