package beacon

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestLease(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: 30 * time.Second, MaxSkew: time.Minute})
	book := logging(r)
	deliver(t, r, said(t, "http://a", start), start, accepted)
	c.wants(t, "add http://a")
	r.sweep(start.Add(30 * time.Second)) // as long as the timeout is not longer
	c.wants(t)
	book.take()
	r.sweep(start.Add(31*time.Second - 1))
	c.wants(t, "disable http://a")
	if got, want := book.take(), "level=INFO msg=\"evicted backend http://a from balancer://web (no announcement for 30s)\"\n"; got != want {
		t.Errorf("log %s, want %s", got, want)
	}
	r.sweep(start.Add(40 * time.Second))
	c.wants(t) // once
	if n := r.Counters(); n.LiveMembers != 0 || n.EvictedMembers != 1 {
		t.Errorf("counters %+v", n)
	}
	at := start.Add(50 * time.Second)
	deliver(t, r, said(t, "http://a", at), at, accepted)
	c.wants(t, "enable http://a")
	if got, want := book.take(), "level=INFO msg=\"re-enabled backend http://a in balancer://web (announcing again)\"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("log %s, want %s", got, want)
	}
	r.sweep(at.Add(30 * time.Second))
	c.wants(t)
	n := r.Counters()
	if n.Added != 1 || n.Evicted != 1 || n.ReEnabled != 1 || n.LiveMembers != 1 || n.EvictedMembers != 0 {
		t.Errorf("counters %+v", n)
	}
}

func TestNoTimeout(t *testing.T) {
	r, c := receiving(t, Settings{})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	r.sweep(start.Add(10_000 * time.Hour))
	c.wants(t, "add http://a")
	if got := states(r); got != "http://a live" {
		t.Errorf("got %s", got)
	}
}

func TestRecordsAreReleased(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Second, MaxSkew: 10 * time.Second})
	ahead := start.Add(10 * time.Second) // of our clock, as far as it may be
	last := said(t, "http://a", ahead)
	deliver(t, r, last, start, accepted)
	r.sweep(start.Add(2 * time.Second))
	c.wants(t, "add http://a", "disable http://a")
	r.sweep(start.Add(20 * time.Second))
	c.wants(t)
	deliver(t, r, last, start.Add(20*time.Second), Replayed)
	r.sweep(start.Add(20*time.Second + time.Microsecond))
	c.wants(t, "remove http://a")
	if got := states(r); got != "" {
		t.Errorf("got %s", got)
	}
	// From here on its last words are stale, so that the mark is not missed.
	deliver(t, r, last, start.Add(20*time.Second+time.Microsecond), Stale)
	at := start.Add(30 * time.Second)
	deliver(t, r, said(t, "http://a", at), at, accepted)
	c.wants(t, "add http://a")
}

func TestEvictionIsSeenBeforeRelease(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Minute, MaxSkew: time.Second})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	r.sweep(start.Add(2 * time.Minute))
	if got := states(r); got != "http://a evicted" {
		t.Errorf("got %s", got)
	}
	r.sweep(start.Add(3 * time.Minute))
	c.wants(t, "add http://a", "disable http://a", "remove http://a")
}

func TestFailedAddsAreReleased(t *testing.T) {
	r, c := receiving(t, Settings{MaxSkew: time.Second})
	c.fails = errors.New("full")
	deliver(t, r, said(t, "http://a", start), start, AddFailed)
	r.sweep(start.Add(2 * time.Second))
	if got := states(r); got != "http://a failed" {
		t.Errorf("got %s", got)
	}
	if n := r.Counters(); n.LiveMembers != 0 || n.EvictedMembers != 0 {
		t.Errorf("counters %+v", n)
	}
	r.sweep(start.Add(2*time.Second + 1))
	if got := states(r); got != "" {
		t.Errorf("got %s", got)
	}
	c.wants(t, "add http://a")
}

func TestWhatTheClusterRefusesIsTriedAgain(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Second, MaxSkew: 10 * time.Second})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	c.wants(t, "add http://a")
	c.fails = errors.New("busy")
	r.sweep(start.Add(2 * time.Second))
	r.sweep(start.Add(3 * time.Second))
	c.wants(t, "disable http://a", "disable http://a")
	c.fails = nil
	r.sweep(start.Add(4 * time.Second))
	c.wants(t, "disable http://a")
	c.fails = errors.New("busy")
	at := start.Add(5 * time.Second)
	deliver(t, r, said(t, "http://a", at), at, AddFailed)
	deliver(t, r, said(t, "http://a", at), at, Replayed)
	c.fails = nil
	deliver(t, r, said(t, "http://a", at.Add(1000)), at, accepted)
	c.wants(t, "enable http://a", "enable http://a")
	c.fails = errors.New("busy")
	r.sweep(at.Add(2 * time.Second))
	c.fails = nil
	r.sweep(at.Add(2 * time.Second))
	c.fails = errors.New("busy")
	r.sweep(at.Add(21 * time.Second))
	if got := states(r); got != "http://a evicted" {
		t.Errorf("got %s", got)
	}
	c.fails = nil
	r.sweep(at.Add(22 * time.Second))
	c.wants(t, "disable http://a", "disable http://a", "remove http://a", "remove http://a")
}

// While there is no socket, silence proves nothing.
func TestLeasesRestWhileDeaf(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: 10 * time.Second})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	c.wants(t, "add http://a")
	r.hearAgain(start.Add(time.Hour))
	r.sweep(start.Add(time.Hour + 10*time.Second))
	c.wants(t)
	r.sweep(start.Add(time.Hour + 10*time.Second + 1))
	c.wants(t, "disable http://a")
}

func TestHeldMembersAreNotReleased(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Second, MaxSkew: time.Second})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	r.sweep(start.Add(2 * time.Second))
	book := logging(r)
	c.fails = ErrHeld
	for i := range 3 {
		r.sweep(start.Add(time.Duration(i+3) * time.Second))
	}
	if got := states(r); got != "http://a evicted" || book.take() != "" {
		t.Errorf("got %s", got)
	}
	c.fails = nil
	r.sweep(start.Add(7 * time.Second))
	if got := states(r); got != "" {
		t.Errorf("got %s", got)
	}
}
