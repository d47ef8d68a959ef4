package stats

import (
	"testing"
	"time"
)

func TestDNSIsRead(t *testing.T) {
	r := New(1)
	x := scrape(t, r)
	x.want(t, "millrace_proxy_dns_cache_entries", 0)
	x.want(t, "millrace_proxy_dns_cache_hit_total", 0)
	x.want(t, `millrace_proxy_dns_cache_ttl_remaining_seconds{aggregation="min"}`, absent)
	x.want(t, `millrace_proxy_dns_lookup_failures_total{dns_status="nxdomain"}`, absent)

	r.SetDNS(func() DNS {
		return DNS{Entries: 3, Stale: 1, TTLMin: 0, TTLMax: time.Minute, TTLAvg: 1500 * time.Millisecond, Hits: 4, Misses: 5, NXDomain: 6, Failed: 7}
	})
	x = scrape(t, r)
	for series, want := range map[string]float64{
		"cache_entries": 3, "cache_stale_entries": 1, "cache_hit_total": 4, "cache_miss_total": 5,
		`cache_ttl_remaining_seconds{aggregation="min"}`: 0, `cache_ttl_remaining_seconds{aggregation="max"}`: 60,
		`cache_ttl_remaining_seconds{aggregation="avg"}`: 1.5,
		`lookup_failures_total{dns_status="nxdomain"}`:   6, `lookup_failures_total{dns_status="dns_error"}`: 7,
	} {
		x.want(t, "millrace_proxy_dns_"+series, want)
	}
}

func TestResolvedAddressesHaveSeriesOfTheirOwn(t *testing.T) {
	r := New(1)
	of := func(ip string) *Endpoint {
		return r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://app", DNSStatus: "resolved", ResolvedIP: ip, ID: ip})
	}
	a, b := of("10.0.0.1"), of("10.0.0.2")
	a.Inc(0, Selected)
	b.Inc(0, Selected)
	b.Inc(0, Selected)
	const head = `millrace_proxy_backends_selected_total{cluster="web",backend_url="http://app",backend_resolved_ip="10.0.0.`
	x := scrape(t, r)
	x.want(t, head+`1",dns_status="resolved"}`, 1)
	x.want(t, head+`2",dns_status="resolved"}`, 2)
	a.Release() // the record went
	x = scrape(t, r)
	x.want(t, head+`1",dns_status="resolved"}`, absent)
	x.want(t, head+`2",dns_status="resolved"}`, 2)
}
