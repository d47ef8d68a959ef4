package discovery

import "time"

// counts are what a resolver has counted. Guarded by Resolver.mu.
type counts struct{ hits, misses, nxdomain, failed int64 }

// Cache says what a resolver knows and has done.
type Cache struct {
	Entries int // names with an answer
	Stale   int // those whose answer is older than its TTL, or whose last lookup came to nothing

	// Time for which the answers are still good, over all entries; 0 for a stale one.
	TTLMin, TTLMax, TTLAvg time.Duration

	Hits   int64 // times that somebody began to watch a name whose answer was there
	Misses int64 // lookups that went to name servers: first ones, and those that keep answers fresh

	NXDomain int64 // lookups that found that there is no such name
	Failed   int64 // lookups that failed
}

// Cache returns what there is now. It is quick.
func (r *Resolver) Cache() Cache {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := Cache{Hits: r.counts.hits, Misses: r.counts.misses, NXDomain: r.counts.nxdomain, Failed: r.counts.failed}
	now := time.Now()
	var sum time.Duration
	for _, l := range r.lookups {
		if !l.memory.known {
			continue
		}
		left := max(l.memory.expires.Sub(now), 0)
		if left == 0 || l.memory.status != Resolved {
			c.Stale++
		}
		if c.Entries++; c.Entries == 1 || left < c.TTLMin {
			c.TTLMin = left
		}
		c.TTLMax = max(c.TTLMax, left)
		sum += left
	}
	if c.Entries > 0 {
		c.TTLAvg = sum / time.Duration(c.Entries)
	}
	return c
}

func (r *Resolver) countMiss() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.misses++
}
