package beacon

import "sync/atomic"

// Counters say what a receiver has done since it was made.
type Counters struct {
	Accepted uint64          // datagrams that passed every check, with or without url
	Dropped  [reasons]uint64 // the others, by Reason; empty datagrams are in neither
	Lost     uint64          // datagrams that the kernel had no room for; 0 where it does not tell

	Added, Evicted, ReEnabled uint64 // events

	LiveMembers, EvictedMembers int // now
}

// Datagrams returns how many came in.
func (c *Counters) Datagrams() uint64 {
	n := c.Accepted
	for _, dropped := range c.Dropped {
		n += dropped
	}
	return n
}

// counts are the counters while they count. Written by the receiver alone.
type counts struct {
	accepted, lost            atomic.Uint64
	dropped                   [reasons]atomic.Uint64
	added, evicted, reEnabled atomic.Uint64
}

// Counters returns the counters as they are now. Safe for concurrent use.
func (r *Receiver) Counters() Counters {
	c := Counters{
		Accepted:  r.counts.accepted.Load(),
		Lost:      r.counts.lost.Load(),
		Added:     r.counts.added.Load(),
		Evicted:   r.counts.evicted.Load(),
		ReEnabled: r.counts.reEnabled.Load(),
	}
	for i := range r.counts.dropped {
		c.Dropped[i] = r.counts.dropped[i].Load()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.table {
		switch rec.state {
		case Live:
			c.LiveMembers++
		case Evicted:
			c.EvictedMembers++
		}
	}
	return c
}
