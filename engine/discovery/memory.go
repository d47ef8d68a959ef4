package discovery

import (
	"cmp"
	"net/netip"
	"time"
)

// content is what an answer holds.
type content struct {
	owner    string       // the full name that it was found under
	addrs    []netip.Addr // sorted, but for logicalKind
	services []Service    // sorted
}

// A Service is one SRV record.
type Service struct {
	Target   string `json:"target"` // lower case, without final dot
	Port     uint16 `json:"port"`
	Priority uint16 `json:"priority"`
	Weight   uint16 `json:"weight"`
}

// compare orders services so that the same set is the same list.
func (s Service) compare(o Service) int {
	return cmp.Or(cmp.Compare(s.Priority, o.Priority), cmp.Compare(s.Target, o.Target),
		cmp.Compare(s.Port, o.Port), cmp.Compare(s.Weight, o.Weight))
}

// A round is what one lookup came to.
type round struct {
	status  Status        // Resolved, NXDomain or Failed
	content content       // if Resolved
	ttl     time.Duration // of the content, or of its absence; 0 = not told
	err     error         // why it Failed
}

// A memory is what is known of a name from all lookups so far.
type memory struct {
	status    Status
	known     bool      // content is the last good answer
	gone      bool      // that there is no such name is believed
	content   content   // empty if gone
	expires   time.Time // of the content
	negatives int       // lookups in a row that said that there is no such name
	failures  int       // lookups in a row that failed
}

// after returns the memory after one more lookup.
func (m memory) after(r round, now time.Time) memory {
	switch r.status {
	case Resolved:
		return memory{status: Resolved, known: true, content: r.content, expires: now.Add(clampTTL(r.ttl))}
	case NXDomain:
		m.status, m.failures = NXDomain, 0
		if m.negatives++; m.negatives >= believed {
			m.known, m.gone, m.content = false, true, content{}
		}
	default:
		m.status, m.negatives = Failed, 0
		m.failures++
	}
	return m
}

// wait returns the least and the most time from r, the newest round, to the next.
func (m *memory) wait(r round) (least, most time.Duration) {
	switch {
	case m.status == Resolved:
		return refresh(r.ttl)
	case m.status == NXDomain && m.negatives >= believed && r.ttl > 0: // RFC 2308, 5
		ttl := min(max(r.ttl, floor), longestWait)
		return ttl * 80 / 100, ttl
	}
	return backoff(max(m.negatives, m.failures))
}
