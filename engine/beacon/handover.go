package beacon

import (
	"errors"
	"fmt"
	"time"
)

// handoverVersion is that of the form of a Handover.
const handoverVersion = 1

// A Handover is what a receiver knows, for the process that follows. It is made to be
// stored as JSON. No secret is in it.
type Handover struct {
	Version int              `json:"version"`
	Records []HandoverRecord `json:"records"`
}

// A HandoverRecord is what is known of one member.
type HandoverRecord struct {
	URL    string `json:"url"` // canonical
	State  State  `json:"state"`
	TS     int64  `json:"ts"`        // replay mark
	Silent int64  `json:"silent_us"` // since the last announcement, in microseconds
	Host   string `json:"host"`
	PID    int64  `json:"pid"`
	Seq    uint64 `json:"seq"`
}

// Export returns what the receiver knows at now. Stop Run first: what comes later is not
// in it.
func (r *Receiver) Export(now time.Time) Handover {
	h := Handover{Version: handoverVersion, Records: []HandoverRecord{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	for url, rec := range r.table {
		h.Records = append(h.Records, HandoverRecord{
			URL: url, State: rec.state, TS: rec.ts, Silent: max(0, now.Sub(rec.lastSeen).Microseconds()),
			Host: rec.host, PID: rec.pid, Seq: rec.seq,
		})
	}
	return h
}

// Import takes over what another receiver exported, before Run. Live members are added to
// the cluster, evicted ones adopted without requests; each goes on with its lease and its
// replay mark. Records that make no sense are skipped. A form of another version is an
// error, and nothing is taken.
func (r *Receiver) Import(h Handover, now time.Time) error {
	if h.Version != handoverVersion {
		return fmt.Errorf("beacon state of version %d, not %d", h.Version, handoverVersion)
	}
	r.work.Lock()
	defer r.work.Unlock()
	if r.cluster == nil {
		return nil
	}
	taken := 0
	for i := range h.Records {
		if r.take(&h.Records[i], now) {
			taken++
		}
	}
	if taken > 0 {
		r.log.Info(fmt.Sprintf("took over %d existing member(s)", taken), "listen", r.listen)
	}
	return nil
}

// take makes a record of what another receiver knew, and reports whether it has become a
// member of the cluster.
func (r *Receiver) take(h *HandoverRecord, now time.Time) bool {
	m, err := ParseMember(h.URL)
	_, known := r.table[h.URL]
	if err != nil || m.URL != h.URL || known || len(r.table) >= capacity || h.TS < 0 {
		return false
	}
	const longest = int64(1<<63-1) / int64(time.Microsecond)
	silent := time.Duration(min(max(h.Silent, 0), longest)) * time.Microsecond
	rec := record{
		member: m, state: h.State, lastSeen: now.Add(-silent), ts: h.TS,
		host: h.Host, pid: h.PID, seq: h.Seq,
	}
	change := Adopt
	switch h.State {
	case Live:
		change = Add
	case Evicted:
	case Failed:
		r.put(rec) // its next announcement tries again
		return false
	default:
		return false
	}
	err = r.cluster.Apply(change, m)
	switch {
	case errors.Is(err, ErrNotManaged):
		return false
	case err != nil:
		r.logFailure(change, m, err)
		rec.state = Failed
	}
	r.put(rec)
	return err == nil
}
