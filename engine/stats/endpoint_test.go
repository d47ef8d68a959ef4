package stats

import (
	"testing"
	"time"
)

func TestPooledFollowsFromEvents(t *testing.T) {
	f := func(events string, idle, busy int64) {
		t.Helper()
		e := New(2).Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
		for _, c := range events {
			switch c {
			case 'o':
				e.Opened(1, int64(time.Millisecond))
			case 'p':
				e.Inc(1, Parked)
			case 'r':
				e.Inc(1, Reused)
			case 'i':
				e.Inc(1, ClosedIdle)
			case 'b':
				e.Inc(1, ClosedBusy)
			}
		}
		if i, b := e.pooled(1); i != idle || b != busy {
			t.Errorf("%s: %d idle and %d busy, want %d and %d", events, i, b, idle, busy)
		}
		if i, b := e.pooled(0); i != 0 || b != 0 {
			t.Errorf("%s: the other worker has %d idle and %d busy", events, i, b)
		}
	}
	f("", 0, 0)
	f("o", 0, 1)
	f("op", 1, 0)
	f("opr", 0, 1)
	f("oprp", 1, 0)
	f("oo", 0, 2)
	f("oopp", 2, 0)
	f("ooppi", 1, 0)
	f("ob", 0, 0)
	f("oprb", 0, 0)
	f("opi", 0, 0)
	f("oopprb", 1, 0)
	f("i", 0, 0) // seen between two loads: never below zero
	f("b", 0, 0)
}

func TestAttemptsArePicksAndRetriesOnTheSame(t *testing.T) {
	r := New(2)
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	e.Inc(0, Selected)
	e.Inc(1, Selected)
	e.Retry(0, GET, true)
	e.Retry(1, GET, false) // came with a pick of its own
	x := scrape(t, r)
	x.want(t, `millrace_proxy_backends_selected_total{cluster="web",backend_url="http://a:1"}`, 2)
	x.want(t, `millrace_proxy_backends_selected_per_request_total{cluster="web",backend_url="http://a:1"}`, 3)
}

func TestWatches(t *testing.T) {
	r := New(1)
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	const labels = `{cluster="web",backend_url="http://a:1"}`
	f := func(active, score float64) {
		t.Helper()
		x := scrape(t, r)
		x.want(t, "millrace_proxy_lb_active_connections"+labels, active)
		x.want(t, "millrace_proxy_lb_score"+labels, score)
	}
	fixed := func(v float64) func() float64 { return func() float64 { return v } }
	f(absent, absent)
	stop := e.Watch(ActiveConnections, fixed(2))
	e.Watch(ActiveConnections, fixed(3))
	e.Watch(Score, fixed(-4))
	f(5, -4)
	largest := e.Watch(Score, fixed(7))
	e.Watch(Score, fixed(1))
	f(5, 7)
	stop()
	largest()
	largest() // again: nothing left to stop
	f(3, 1)
}

func TestAnsweredByConnectionAndStatus(t *testing.T) {
	r := New(2)
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	e.Answered(0, Answer{Status: 200, TTFB: -1})
	e.Answered(1, Answer{Status: 200, Reused: true, TTFB: int64(time.Second)})
	e.Answered(0, Answer{Status: 200, Reused: true, TTFB: int64(time.Second)})
	e.Answered(0, Answer{Status: 999, Reused: true, TTFB: int64(time.Second)})
	x := scrape(t, r)
	const head = `millrace_proxy_requests_total{cluster="web",backend_url="http://a:1",connection_reused=`
	x.want(t, head+`"false",http_response_status_code="200"}`, 1)
	x.want(t, head+`"true",http_response_status_code="200"}`, 2)
	x.want(t, head+`"true",http_response_status_code="other"}`, 1)
	x.want(t, `millrace_proxy_ttfb_seconds_sum{cluster="web",backend_url="http://a:1"}`, 3)
	x.want(t, `millrace_proxy_ttfb_seconds_count{cluster="web",backend_url="http://a:1"}`, 3)
}

// at is the handle of one of the endpoints of a name.
func at(r *Registry, id string) *Endpoint {
	return r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://app", ID: id})
}

func TestEndpointsCountApartAndShareSeries(t *testing.T) {
	r := New(2)
	a, b := at(r, "a"), at(r, "b")
	a.Answered(0, Answer{Status: 200, TTFB: -1})
	a.Answered(1, Answer{Status: 502, TTFB: -1, Reused: true})
	b.Answered(1, Answer{Status: 200, TTFB: -1})
	b.Failed(0)
	b.Failed(1)
	f := func(e *Endpoint, answers, failures int64) {
		t.Helper()
		if e.Answers() != answers || e.Failures() != failures {
			t.Errorf("%s: %d answers and %d failures, want %d and %d", e.key.ID, e.Answers(), e.Failures(), answers, failures)
		}
	}
	f(a, 2, 0)
	f(b, 1, 2)
	f(at(r, "a"), 2, 0) // a reload that keeps the endpoint
	const fresh = `millrace_proxy_requests_total{cluster="web",backend_url="http://app",connection_reused="false",http_response_status_code="200"}`
	scrape(t, r).want(t, fresh, 2)
}

func TestSeriesStayWhileAnEndpointDoes(t *testing.T) {
	const series = `millrace_proxy_backends_selected_total{cluster="web",backend_url="http://app"}`
	r := New(1)
	a, b := at(r, "a"), at(r, "b")
	a.Inc(0, Selected)
	a.Failed(0)
	a.Release()
	a.Release() // once too often
	scrape(t, r).want(t, series, 1)
	again := at(r, "a")
	if again.Failures() != 0 {
		t.Errorf("an endpoint that came back has %d failures of before", again.Failures())
	}
	b.Release()
	scrape(t, r).want(t, series, 1)
	again.Release()
	scrape(t, r).want(t, series, absent)
}
