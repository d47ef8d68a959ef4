package beacon

import (
	"errors"
	"fmt"
	"time"
)

// sweepInterval is how often leases are looked at: a member goes that much later than its
// timeout at most.
const sweepInterval = 500 * time.Millisecond

// sweep disables members that are silent for longer than the timeout, and releases the
// records of those that are gone. It also writes what the log still has to be told.
func (r *Receiver) sweep(now time.Time) {
	r.work.Lock()
	defer r.work.Unlock()
	r.logDrops(r.drops.flush(now))
	r.logLosses(r.full.flush(now))
	rules := r.rules.Load()
	for _, rec := range r.table { // the one writer is this goroutine, for work is held
		silent := now.Sub(rec.lastSeen)
		switch {
		case rec.state == Live && rules.timeout > 0 && min(silent, now.Sub(r.hearing)) > rules.timeout:
			r.evict(rec, silent)
		// A copy of its last words is stale from here on, so the replay mark may go: ts was
		// ahead of our clock by one skew at most.
		case rec.state != Live && silent > 2*rules.maxSkew:
			r.release(rec)
		}
	}
}

// hearAgain starts the leases afresh: what is silent while there is no socket need not be gone.
func (r *Receiver) hearAgain(now time.Time) {
	r.work.Lock()
	r.hearing = now
	r.work.Unlock()
}

func (r *Receiver) evict(rec record, silent time.Duration) {
	if !r.cluster.Owns(rec.member.URL) {
		r.forget(rec.member.URL) // it became somebody else's
		return
	}
	if err := r.cluster.Apply(Disable, rec.member); err != nil {
		r.logFailure(Disable, rec.member, err) // and tried again by the next sweep
		return
	}
	rec.state = Evicted
	r.put(rec)
	r.counts.evicted.Add(1)
	r.log.Info(fmt.Sprintf("evicted backend %s from %s (no announcement for %ds)",
		rec.member.URL, r.balancer(), int64(silent/time.Second)))
}

// release frees the record, and the place in the cluster if there is one.
func (r *Receiver) release(rec record) {
	if rec.state == Evicted && r.cluster.Owns(rec.member.URL) {
		err := r.cluster.Apply(Remove, rec.member)
		if err != nil && !errors.Is(err, ErrHeld) {
			r.logFailure(Remove, rec.member, err)
		}
		if err != nil {
			return
		}
	}
	r.forget(rec.member.URL)
}
