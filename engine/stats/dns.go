package stats

import "time"

// DNS says what is known of the names of upstreams, and how it came.
type DNS struct {
	Entries, Stale         int           // names with an answer; those of them whose answer is not fresh
	TTLMin, TTLMax, TTLAvg time.Duration // that is left of the answers
	Hits, Misses           int64         // looks at answers that were there; lookups by name servers
	NXDomain, Failed       int64         // lookups that came to nothing
}

// SetDNS has read called, by whoever scrapes, for the families of the DNS. read must be quick
// and safe for concurrent use.
func (r *Registry) SetDNS(read func() DNS) { r.dns.Store(&read) }

// readDNS is all zero before SetDNS.
func (r *Registry) readDNS() DNS {
	if read := r.dns.Load(); read != nil {
		return (*read)()
	}
	return DNS{}
}

func dnsFamilies() []family {
	return []family{
		{proxy + "dns_cache_hit_total", counter, "Times that a name was needed whose answer was there.", ofDNS(func(d *DNS) int64 { return d.Hits })},
		{proxy + "dns_cache_miss_total", counter, "Lookups that went to name servers, those that keep answers fresh included.", ofDNS(func(d *DNS) int64 { return d.Misses })},
		{proxy + "dns_cache_ttl_remaining_seconds", gaugeKind, "Time for which answers are still good, over all names.", writeTTL},
		{proxy + "dns_cache_entries", gaugeKind, "Names with an answer.", ofDNS(func(d *DNS) int64 { return int64(d.Entries) })},
		{proxy + "dns_cache_stale_entries", gaugeKind, "Names whose last good answer is kept past its time, or because lookups fail.", ofDNS(func(d *DNS) int64 { return int64(d.Stale) })},
		{proxy + "dns_lookup_failures_total", counter, "Lookups that came to nothing, by status.", writeLookupFailures},
	}
}

func ofDNS(which func(*DNS) int64) func(*text, *view) {
	return func(t *text, v *view) { t.count(which(&v.dns)) }
}

// writeTTL writes nothing while there is no answer: then no time is true.
func writeTTL(t *text, v *view) {
	if v.dns.Entries == 0 {
		return
	}
	t.float(v.dns.TTLMin.Seconds(), label("aggregation", "min"))
	t.float(v.dns.TTLMax.Seconds(), label("aggregation", "max"))
	t.float(v.dns.TTLAvg.Seconds(), label("aggregation", "avg"))
}

func writeLookupFailures(t *text, v *view) {
	if n := v.dns.NXDomain; n > 0 {
		t.count(n, label("dns_status", "nxdomain"))
	}
	if n := v.dns.Failed; n > 0 {
		t.count(n, label("dns_status", "dns_error"))
	}
}
