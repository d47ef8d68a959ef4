package stats

import (
	"regexp"
	"testing"
)

func TestMethodOf(t *testing.T) {
	f := func(name, want string, idempotent bool) {
		t.Helper()
		m := MethodOf([]byte(name))
		if m.String() != want || m.Idempotent() != idempotent {
			t.Errorf("%q is %s, idempotent %v; want %s, %v", name, m, m.Idempotent(), want, idempotent)
		}
	}
	f("GET", "GET", true)
	f("HEAD", "HEAD", true)
	f("PUT", "PUT", true)
	f("DELETE", "DELETE", true)
	f("OPTIONS", "OPTIONS", true)
	f("TRACE", "TRACE", true)
	f("POST", "POST", false)
	f("PATCH", "PATCH", false)
	f("CONNECT", "CONNECT", false)
	f("", "OTHER", false)
	f("get", "OTHER", false)
	f("OTHER", "OTHER", false)
	f("GETX", "OTHER", false)
	f("PROPFIND", "OTHER", false)
	f("EVIL\nMETHOD", "OTHER", false)
}

func TestRetries(t *testing.T) {
	r := New(2)
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://a:1"})
	const get = `{cluster="web",backend_url="http://a:1",method="GET",method_idempotent="true"`
	const post = `{cluster="web",backend_url="http://a:1",method="POST",method_idempotent="false"`
	x := scrape(t, r)
	x.want(t, "millrace_proxy_retry_count_total"+get+"}", absent)
	x.want(t, "millrace_proxy_retry_final"+get+"}", absent)
	e.Retry(0, GET, true)
	e.Retry(1, GET, false)
	e.Retry(1, POST, false)
	e.RetryFinal(1, GET, false)
	e.RetryFinal(0, GET, true)
	e.RetryFinal(0, POST, true)
	e.RetryFinal(1, POST, false)
	x = scrape(t, r)
	x.want(t, "millrace_proxy_retry_count_total"+get+"}", 2)
	x.want(t, "millrace_proxy_same_upstream_retry_count_total"+get+"}", 1)
	x.want(t, "millrace_proxy_retry_count_total"+post+"}", 1)
	x.want(t, "millrace_proxy_same_upstream_retry_count_total"+post+"}", absent)
	x.want(t, "millrace_proxy_retry_final"+get+"}", 1)
	x.want(t, "millrace_proxy_retry_final"+post+"}", 0)
	x.want(t, "millrace_proxy_retry_final_total"+get+`,outcome="success"}`, 1)
	x.want(t, "millrace_proxy_retry_final_total"+get+`,outcome="failure"}`, 1)
	x.want(t, "millrace_proxy_retry_final_total"+post+`,outcome="failure"}`, 1)
}

func TestWordsOfClosedLists(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[string]bool{}
	for e := range errorTypeCount {
		if !word.MatchString(e.String()) || seen[e.String()] {
			t.Errorf("error type %d is called %q", e, e)
		}
		seen[e.String()] = true
	}
	for r := range reloadResultCount {
		if !word.MatchString(r.String()) {
			t.Errorf("reload result %d is called %q", r, r)
		}
	}
}

func TestFailures(t *testing.T) {
	r := New(2)
	r.Sheet(0).Failure(ConnectionRefused, 502)
	r.Sheet(1).Failure(ConnectionRefused, 502)
	r.Sheet(1).Failure(BudgetExhausted, 503)
	x := scrape(t, r)
	x.want(t, `millrace_proxy_failures_total{error_type="connection_refused",http_response_status_code="502"}`, 2)
	x.want(t, `millrace_proxy_failures_total{error_type="budget_exhausted",http_response_status_code="503"}`, 1)
	x.want(t, `millrace_proxy_failures_total{error_type="timeout",http_response_status_code="504"}`, absent)
}
