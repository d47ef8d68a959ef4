package beacon

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// refresh is how often a socket is made anew, which also looks its name up again and
	// notices that this machine has another address.
	refresh = 30 * time.Second
	// retarget is how long to wait for that after an announcement came back.
	retarget = time.Second
	// proof is how long nothing comes back from a receiver that is up again. Not every
	// datagram to a closed port does: systems limit the answers.
	proof = 3 * time.Second
	// writeLimit bounds the wait for a queue to the interface that is full.
	writeLimit = time.Second
)

// A sender is what the targets of one announcer share.
type sender struct {
	says     Announcement // but Seq and TS
	key      Key
	interval time.Duration
	log      *slog.Logger
	net      network
	stamp    stamp
}

// A target is one receiver and the announcements to it. Only run touches it but for the
// counters.
type target struct {
	*sender
	address string // as configured
	host    string
	port    uint16

	announced, errors atomic.Uint64

	seq        uint64
	conn       conn           // nil until the first success
	at         netip.AddrPort // of conn
	fresh      bool           // nothing was sent on conn yet
	avoid      bool           // at does not take announcements
	down       time.Time      // last failed send of an outage that the log knows of; zero = none
	unresolved bool           // the log knows that the last look-up failed
	waits      backoff        // until the first success
	datagram   []byte         // scratch
}

// An opened is what an attempt to reach a target has led to.
type opened struct {
	conn conn
	at   netip.AddrPort
	err  error
}

// close closes the connection if there is one.
func (o opened) close() {
	if o.conn != nil {
		_ = o.conn.Close() // nothing is buffered
	}
}

// run announces until ctx ends. Names are looked up aside, so a slow one holds up nothing:
// until it has an answer, announcements go where they went before.
func (t *target) run(ctx context.Context) {
	ready, opening := make(chan opened, 1), false
	reach := func() {
		opening = true
		at, avoid := t.at, t.avoid
		go func() { ready <- t.reach(ctx, at, avoid) }()
	}
	again, due := time.NewTimer(0), time.NewTimer(0)
	due.Stop()
	for {
		select {
		case <-ctx.Done():
			if opening {
				(<-ready).close()
			}
			opened{conn: t.conn}.close()
			t.conn = nil
			return
		case <-again.C:
			reach()
		case o := <-ready:
			opening = false
			if t.take(o) {
				due.Reset(0)
			}
			again.Reset(t.nextReach(o.err))
		case <-due.C:
			due.Reset(t.wait())
			if t.announce(time.Now()) && !opening {
				again.Reset(retarget)
			}
		}
	}
}

// take makes o the connection of t. It reports whether it leads elsewhere than before, so
// that an announcement is due.
func (t *target) take(o opened) (moved bool) {
	if o.err != nil {
		t.errors.Add(1)
		if !t.unresolved {
			t.log.Error("cannot resolve "+t.address, "error.message", o.err.Error())
		}
		t.unresolved = true
		return false
	}
	moved = o.at != t.at
	opened{conn: t.conn}.close()
	t.conn, t.at, t.fresh, t.unresolved = o.conn, o.at, true, false
	if moved {
		t.avoid = false
		if t.down.IsZero() {
			t.logAddress()
		}
	}
	return moved
}

// nextReach returns when to reach for the target again after an attempt with that error.
func (t *target) nextReach(err error) time.Duration {
	if err != nil && t.conn == nil {
		return t.waits.next()
	}
	return max(refresh, 4*t.interval) // a few announcements on each socket, for what comes back
}

// wait returns the time to the next announcement.
func (t *target) wait() time.Duration {
	return t.interval - time.Duration(rand.Int64N(int64(t.interval/10)))
}

// announce sends one announcement. It reports whether another address is to be looked for,
// as this one has stopped to take them.
func (t *target) announce(now time.Time) (move bool) {
	says := t.says
	says.Seq, says.TS = t.seq, t.stamp.next(now.UnixMicro())
	t.seq++
	t.datagram = says.Append(t.datagram[:0], t.key)
	_ = t.conn.SetWriteDeadline(now.Add(writeLimit))
	_, err := t.conn.Write(t.datagram)
	failure := err
	if errors.Is(err, syscall.ECONNREFUSED) {
		// That is about the announcement before. This one was not sent.
		_, err = t.conn.Write(t.datagram)
	}
	if err == nil {
		t.announced.Add(1)
	}
	first := t.fresh
	t.fresh = false
	if failure != nil {
		return t.failed(failure, now)
	}
	if !first && !t.down.IsZero() && now.Sub(t.down) >= proof {
		t.down, t.avoid = time.Time{}, false
		t.logAddress()
	}
	return false
}

// failed notes an announcement that did not arrive. The log gets the first of an outage.
func (t *target) failed(err error, now time.Time) (move bool) {
	t.errors.Add(1)
	if t.down.IsZero() {
		t.log.Warn("sendto "+t.address+" failed", "address", t.at.String(), "error.message", err.Error())
	}
	move = !t.avoid
	t.down, t.avoid = now, true
	return move
}

func (t *target) logAddress() { t.log.Info("beaconing to "+t.address, "address", t.at.String()) }
