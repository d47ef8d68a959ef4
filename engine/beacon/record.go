package beacon

import (
	"math"
	"time"
)

// capacity is how many members a receiver keeps track of.
const capacity = 256

// A State is where a member stands.
type State string

// The states.
const (
	Live    State = "live"    // in the cluster and enabled
	Evicted State = "evicted" // in the cluster and disabled, for it fell silent
	Failed  State = "failed"  // not in the cluster, which did not take it
)

// A Record is what a receiver knows of a member, in the form of the admin API.
type Record struct {
	Cluster  string    `json:"cluster"`
	Listen   string    `json:"listen"` // the receiver's address as configured
	URL      string    `json:"url"`
	State    State     `json:"state"`
	LastSeen time.Time `json:"last_seen"` // receipt of the last announcement that counted, UTC
	TS       int64     `json:"ts"`        // of that announcement, microseconds since the epoch
	Host     string    `json:"host"`      // as the member wrote it: any bytes
	PID      int64     `json:"pid"`       // 0 if it was no number
	Seq      uint64    `json:"seq"`       // 0 if it was no number
}

// A record is the state of one member. Records are replaced, not changed.
type record struct {
	member   Member
	state    State
	lastSeen time.Time // by the receiver's clock, the monotonic one where there is one
	ts       int64     // replay mark: no announcement up to here is accepted
	host     string
	pid      int64
	seq      uint64

	tried time.Time // last add that failed; zero = may be tried at once
	why   Reason    // of that failure
}

// heard returns the record after an announcement.
func (rec record) heard(f *frame, now time.Time) record {
	rec.lastSeen, rec.ts = now, f.ts
	if rec.host != string(f.host) {
		rec.host = string(f.host)
	}
	rec.pid = int64(number(f.pid, math.MaxInt64))
	rec.seq = number(f.seq, math.MaxUint64)
	return rec
}
