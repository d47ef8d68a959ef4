package stats

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// One goroutine a worker counts, others scrape and take and release handles:
// every scrape is whole, no counter falls, and in the end nothing is lost.
func TestScrapesUnderLoad(t *testing.T) {
	const workers, rounds = 4, 5000
	r := New(workers)
	rt := r.Route("/", "web")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	l := r.Listener("127.0.0.1:80")
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	readers.Go(func() { neverFalls(t, r, stop) })
	readers.Go(func() { churn(r, stop) })
	for w := range workers {
		writers.Go(func() {
			for i := range rounds {
				oneRequest(w, i, rt, e, l)
				r.Sheet(w).Failure(ErrorType(i%int(errorTypeCount)), 502)
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()

	x := scrape(t, r)
	const all = workers * rounds
	var requests float64
	for series, v := range x.samples {
		if strings.HasPrefix(series, "millrace_requests_total") {
			requests += v
		}
	}
	if requests != all {
		t.Errorf("%v requests, want %d", requests, all)
	}
	x.want(t, `millrace_request_duration_seconds_count{route="/",cluster="web"}`, all)
	x.want(t, `millrace_proxy_pool_hit_total{cluster="web",backend_url="http://a:1"}`, all)
	x.want(t, `millrace_proxy_pool_outstanding{cluster="web",backend_url="http://a:1",worker="0"}`, 0)
	x.want(t, `millrace_connections{listener="127.0.0.1:80"}`, 0)
}

func oneRequest(w, i int, rt *Route, e *Endpoint, l *Listener) {
	l.Open(w)
	rt.Observe(w, 200+i%300, int64(i)*1000)
	e.Inc(w, Selected)
	e.Opened(w, 1000)
	e.Inc(w, Parked)
	e.Inc(w, Reused)
	e.Answered(w, Answer{Status: 200 + i%300, Reused: true, TTFB: 1000})
	e.Retry(w, GET, true)
	e.RetryFinal(w, GET, i%2 == 0)
	e.Inc(w, ClosedBusy)
	l.Closed(w)
}

func neverFalls(t *testing.T, r *Registry, stop chan struct{}) {
	last := map[string]float64{}
	for {
		x, err := parse(own(r))
		if err != nil {
			t.Error(err)
			return
		}
		for series, v := range x.samples {
			if rises(series) && v < last[series] || v < 0 {
				t.Errorf("%s fell from %v to %v", series, last[series], v)
			}
			last[series] = v
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

// rises tells whether a series is one that only rises.
func rises(series string) bool {
	name, _, _ := strings.Cut(series, "{")
	for _, suffix := range []string{"_total", "_bucket", "_sum", "_count"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// churn reloads, in a way.
func churn(r *Registry, stop chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		rt, e := r.Route("/", "web"), r.Endpoint(EndpointLabels{Cluster: "web", URL: fmt.Sprintf("http://b:%d", i%3)})
		unwatch := e.Watch(ActiveConnections, func() float64 { return 1 })
		if i%16 == 0 {
			_ = r.WritePrometheus(io.Discard)
		}
		unwatch()
		rt.Release()
		e.Release()
	}
}
