package beacon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// addRetry is how long a member waits that the cluster did not take.
	addRetry = time.Minute
	// receiptLines is how many announcements are logged one by one in a second. Without it,
	// whoever captured one could fill the disk with copies of it.
	receiptLines = 100
)

// receive takes one datagram. It does not allocate for one that is not authentic, stale or
// a replay. An empty one is nothing.
func (r *Receiver) receive(datagram []byte, now time.Time) {
	if len(datagram) == 0 {
		return
	}
	r.work.Lock()
	defer r.work.Unlock()
	why := r.judge(datagram, now)
	if why == accepted {
		r.counts.accepted.Add(1)
		return
	}
	r.counts.dropped[why].Add(1)
	r.last = why
	r.logDrops(r.drops.add(1, now))
}

// judge checks a datagram and acts on it.
func (r *Receiver) judge(datagram []byte, now time.Time) Reason {
	rules := r.rules.Load()
	f, why := open(datagram, &rules.key)
	if why != accepted {
		return why
	}
	if isStale(f.ts, now, rules.maxSkew) {
		return Stale
	}
	if r.cluster == nil || f.url == nil {
		r.logReceipt(&f, now)
		return accepted
	}
	return r.announced(&f, now)
}

// isStale reports whether ts is further from now than skew, either way.
func isStale(ts int64, now time.Time, skew time.Duration) bool {
	d := now.UnixMicro() - ts // ts is not negative, and neither is the year
	return max(d, -d) > skew.Microseconds()
}

// announced acts on an announcement of a member.
func (r *Receiver) announced(f *frame, now time.Time) Reason {
	rec, known := r.table[string(f.url)] // mostly spelled in the canonical way
	if !known {
		m, err := ParseMember(string(f.url))
		if err != nil {
			r.logReceipt(f, now)
			return UnacceptableURL
		}
		if rec, known = r.table[m.URL]; !known {
			rec.member = m
		}
	}
	if known && f.ts <= rec.ts {
		return Replayed
	}
	r.logReceipt(f, now)
	if !known && len(r.table) >= capacity {
		return TableFull
	}
	return r.renew(rec.heard(f, now), now)
}

// renew does what a fresh announcement of the record's member asks for.
func (r *Receiver) renew(rec record, now time.Time) Reason {
	inCluster := rec.state == Live || rec.state == Evicted
	switch {
	case rec.state == Failed && !rec.tried.IsZero() && now.Sub(rec.tried) < addRetry:
		r.put(rec)
		return rec.why
	case !inCluster || !r.cluster.Owns(rec.member.URL):
		return r.add(rec, now)
	case rec.state == Evicted:
		return r.enable(rec)
	}
	r.put(rec)
	return accepted
}

// add makes the record's member one of the cluster.
func (r *Receiver) add(rec record, now time.Time) Reason {
	err := r.cluster.Apply(Add, rec.member)
	if errors.Is(err, ErrNotManaged) {
		r.forget(rec.member.URL)
		return NotManaged
	}
	rec.why = accepted
	switch {
	case err != nil:
		rec.why = AddFailed
		r.logFailure(Add, rec.member, err)
	case !r.cluster.Owns(rec.member.URL):
		rec.why = AddUnconfirmed
	}
	if rec.why != accepted {
		rec.state, rec.tried = Failed, now
		r.put(rec)
		return rec.why
	}
	rec.state = Live
	r.put(rec)
	r.counts.added.Add(1)
	r.log.Info("added backend " + rec.member.URL + " to " + r.balancer())
	return accepted
}

// enable brings an evicted member back.
func (r *Receiver) enable(rec record) Reason {
	if err := r.cluster.Apply(Enable, rec.member); err != nil {
		r.logFailure(Enable, rec.member, err)
		r.put(rec) // still evicted, and tried again by the next announcement
		return AddFailed
	}
	rec.state = Live
	r.put(rec)
	r.counts.reEnabled.Add(1)
	r.log.Info("re-enabled backend " + rec.member.URL + " in " + r.balancer() + " (announcing again)")
	return accepted
}

// balancer is what log lines call the cluster, which is what httpd calls it.
func (r *Receiver) balancer() string { return "balancer://" + r.clusterName }

func (r *Receiver) logReceipt(f *frame, now time.Time) {
	if r.receipts.take(receiptLines, now) && r.log.Enabled(context.Background(), slog.LevelInfo) {
		r.log.Info("received: " + quoted(f.message))
	}
}

// logDrops writes the line about n drops, if there are any.
func (r *Receiver) logDrops(n int) {
	if n > 0 {
		r.log.Warn(fmt.Sprintf("dropped %d announcement(s) (last: %v)", n, r.last), "listen", r.listen)
	}
}

func (r *Receiver) logFailure(c Change, m Member, err error) {
	r.log.Warn("beacon member not changed", "change", c.String(), "backend_url", m.URL, "error.message", err.Error())
}
