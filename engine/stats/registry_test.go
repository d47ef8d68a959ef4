package stats

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSumOverWorkers(t *testing.T) {
	r := New(4)
	rt := r.Route("/", "web")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	for w := range 4 {
		for range w + 1 {
			rt.Observe(w, 200, int64(w)*int64(time.Millisecond))
			e.Inc(w, Selected)
			r.Sheet(w).Inc(AcceptErrors)
		}
	}
	x := scrape(t, r)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="200"}`, 10)
	x.want(t, `millrace_request_duration_seconds_count{route="/",cluster="web"}`, 10)
	x.want(t, `millrace_request_duration_seconds_sum{route="/",cluster="web"}`, 0.020)
	x.want(t, `millrace_request_duration_seconds_bucket{route="/",cluster="web",le="0.0005"}`, 1)
	x.want(t, `millrace_request_duration_seconds_bucket{route="/",cluster="web",le="0.001"}`, 3)
	x.want(t, `millrace_request_duration_seconds_bucket{route="/",cluster="web",le="0.0025"}`, 6)
	x.want(t, `millrace_request_duration_seconds_bucket{route="/",cluster="web",le="+Inf"}`, 10)
	x.want(t, `millrace_proxy_backends_selected_total{cluster="web",backend_url="http://a:1"}`, 10)
	x.want(t, `millrace_accept_errors_total`, 10)
}

func TestSeriesGoWithTheLastHolder(t *testing.T) {
	const series = `millrace_requests_total{route="/",cluster="web",status="200"}`
	r := New(1)
	old := r.Route("/", "web")
	kept := r.Route("/", "web") // a reload that keeps the route
	if old != kept {
		t.Fatal("one route has two handles")
	}
	old.Observe(0, 200, -1)
	old.Release()
	scrape(t, r).want(t, series, 1)
	kept.Release()
	x := scrape(t, r)
	x.want(t, series, absent)
	x.want(t, `millrace_request_duration_seconds_count{route="/",cluster="web"}`, absent)
	old.Observe(0, 200, -1) // the last request of the old snapshot
	scrape(t, r).want(t, series, absent)

	again := r.Route("/", "web")
	old.Release() // once too often
	again.Observe(0, 200, -1)
	scrape(t, r).want(t, series, 1)
}

func TestEndpointAndListenerGo(t *testing.T) {
	r := New(1)
	l := r.Listener("127.0.0.1:80")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	l.Open(0)
	e.Inc(0, Selected)
	e.Retry(0, GET, true)
	e.Answered(0, Answer{Status: 200})
	l.Release()
	e.Release()
	for series := range scrape(t, r).samples {
		if strings.Contains(series, "{") {
			t.Errorf("%s is left", series)
		}
	}
}

func TestEndpointsWithEqualLabelsShareSeries(t *testing.T) {
	r := New(1)
	labels := EndpointLabels{Cluster: "web", URL: "http://app"}
	a, b := r.Endpoint(labels), r.Endpoint(labels) // two addresses of one name
	a.Inc(0, Selected)
	b.Inc(0, Selected)
	b.Inc(0, Selected)
	const series = `millrace_proxy_backends_selected_total{cluster="web",backend_url="http://app"}`
	scrape(t, r).want(t, series, 3)
	b.Release() // one address left: what it counted stays, a counter never falls
	scrape(t, r).want(t, series, 3)
}

func TestLabels(t *testing.T) {
	f := func(value, want string) {
		t.Helper()
		r := New(1)
		r.Listener(value)
		scrape(t, r).want(t, `millrace_connections{listener="`+want+`"}`, 0)
	}
	f("127.0.0.1:80", "127.0.0.1:80")
	f("", "")
	f(`a"b`, `a\"b`)
	f(`a\b`, `a\\b`)
	f("a\nb", `a\nb`)
	f(`\n`, `\\n`)
	f("a,b} 1", "a,b} 1")
	f("ünïx", "ünïx")
	f("a\xffb", "a\uFFFDb")
	f("\r\t\x00", "\r\t\x00")
}

func TestEqualAfterRepairIsOneSeries(t *testing.T) {
	r := New(1)
	r.Listener("a\xff").Open(0)
	r.Listener("a\xfe").Open(0)
	scrape(t, r).want(t, "millrace_connections{listener=\"a\uFFFD\"}", 2)
}

func TestStatusesAreBounded(t *testing.T) {
	r := New(1)
	rt := r.Route("/", "web")
	before := len(scrape(t, r).samples)
	for status := -70000; status < 70000; status++ {
		rt.Observe(0, status, -1)
	}
	x := scrape(t, r)
	if grown := len(x.samples) - before; grown != 501 {
		t.Errorf("%d series, want 500 and one for the others", grown)
	}
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="100"}`, 1)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="599"}`, 1)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="99"}`, absent)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="other"}`, 139500)
}

func TestRequestsWithoutDuration(t *testing.T) {
	r := New(1)
	rt := r.Route("/", "web")
	rt.Observe(0, 499, -1)
	rt.Observe(0, 200, 0)
	x := scrape(t, r)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="499"}`, 1)
	x.want(t, `millrace_requests_total{route="/",cluster="web",status="200"}`, 1)
	x.want(t, `millrace_request_duration_seconds_count{route="/",cluster="web"}`, 1)
}

func TestAtLeastOneWorker(t *testing.T) {
	if n := New(0).Workers(); n != 1 {
		t.Errorf("%d workers, want 1", n)
	}
}

func TestReloads(t *testing.T) {
	const success, at = "millrace_config_last_reload_success", "millrace_config_last_reload_timestamp_seconds"
	r := New(1)
	f := func(wantSuccess, wantAt float64, reloads ...float64) {
		t.Helper()
		x := scrape(t, r)
		x.want(t, success, wantSuccess)
		x.want(t, at, wantAt)
		for i, n := range reloads {
			x.want(t, fmt.Sprintf(`millrace_config_reloads_total{result="%s"}`, ReloadResult(i)), n)
		}
	}
	f(0, 0, absent, absent, absent)
	r.ConfigLoaded(time.Unix(100, 0))
	f(1, 100, absent, absent, absent)
	r.ConfigReloaded(ReloadRejected, time.Unix(200, 0))
	f(0, 100, absent, absent, 1)
	r.ConfigReloaded(ReloadUnchanged, time.UnixMilli(300_500))
	f(1, 300.5, absent, 1, 1)
	r.ConfigReloaded(ReloadApplied, time.Unix(400, 0))
	f(1, 400, 1, 1, 1)
}
