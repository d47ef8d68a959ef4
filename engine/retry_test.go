package engine

import (
	"fmt"
	"syscall"
	"testing"

	"millrace/engine/stats"
	"millrace/netpoll"
)

func TestDecide(t *testing.T) {
	// An attempt in words: reached (a byte of the request was sent), reused and so on. Not
	// said is: nothing was sent, the request is idempotent and whole, one try is left on the
	// endpoint, and there are others.
	f := func(said string, want retry, change ...func(*outcome)) {
		t.Helper()
		o := outcome{idempotent: true, whole: true, same: 1, others: true}
		for _, c := range change {
			c(&o)
		}
		if got := decide(o); got != want {
			t.Errorf("%s: got %d, want %d", said, got, want)
		}
	}
	sent := func(o *outcome) { o.sent = true }
	unsafe := func(o *outcome) { o.idempotent = false }
	lost := func(o *outcome) { o.whole = false }
	reused := func(o *outcome) { o.reused = true }
	staleTried := func(o *outcome) { o.staleTried = true }
	answered := func(o *outcome) { o.answered = true }
	heard := func(o *outcome) { o.heard = true }
	late := func(o *outcome) { o.late = true }
	slow := func(o *outcome) { o.slow = true }
	exhausted := func(o *outcome) { o.same = 0 }
	alone := func(o *outcome) { o.others = false }

	f("connect refused", sameEndpoint)
	f("connect refused again", otherEndpoint, exhausted)
	f("connect refused by the last", noRetry, exhausted, alone)
	f("connect refused, POST", sameEndpoint, unsafe)
	f("connect refused again, POST", otherEndpoint, unsafe, exhausted)
	f("connect too slow", otherEndpoint, slow)
	f("connect too slow, alone", noRetry, slow, alone)
	f("closed without an answer", sameEndpoint, sent)
	f("closed without an answer again", otherEndpoint, sent, exhausted)
	f("closed without an answer, POST", noRetry, sent, unsafe)
	f("closed without an answer, long PUT", noRetry, sent, lost)
	f("nothing sent, but the body is gone", noRetry, lost)
	f("stale", freshConnection, sent, reused)
	f("stale, no tries left, alone", freshConnection, sent, reused, exhausted, alone)
	f("stale, nothing sent, POST", freshConnection, reused, unsafe)
	f("stale, POST", noRetry, sent, reused, unsafe)
	f("stale, long PUT", noRetry, sent, reused, lost)
	f("stale twice", sameEndpoint, sent, reused, staleTried)
	f("stale twice, no tries left", otherEndpoint, sent, reused, staleTried, exhausted)
	f("half an answer", noRetry, sent, answered)
	f("half an answer on a reused connection", noRetry, sent, answered, reused)
	f("half a head", sameEndpoint, sent, heard)
	f("half a head, POST", noRetry, sent, heard, unsafe)
	f("half a head on a reused connection", sameEndpoint, sent, heard, reused)
	f("half a head, no tries left", otherEndpoint, sent, heard, exhausted)
	f("no answer in time", noRetry, sent, late)
	f("no answer in time on a reused connection", noRetry, sent, late, reused)
}

// Whatever else is true, these hold.
func TestDecideNever(t *testing.T) {
	for bits := range 1 << 11 {
		bit := func(n int) bool { return bits>>n&1 != 0 }
		o := outcome{
			answered: bit(0), sent: bit(1), late: bit(2), slow: bit(3), reused: bit(4), staleTried: bit(5),
			idempotent: bit(6), whole: bit(7), same: bits >> 8 & 1, others: bit(9), heard: bit(10),
		}
		got := decide(o)
		switch {
		case got == noRetry:
		case o.answered, o.late, !o.whole, o.sent && !o.idempotent:
			t.Errorf("%+v: got %d", o, got)
		case got == freshConnection && (!o.reused || o.staleTried || o.heard),
			got == sameEndpoint && o.same == 0,
			got == otherEndpoint && !o.others:
			t.Errorf("%+v: got %d", o, got)
		}
	}
}

func TestDialFailure(t *testing.T) {
	f := func(err error, status int, kind stats.ErrorType, shortage bool) {
		t.Helper()
		got := dialFailure(fmt.Errorf("wrapped: %w", err))
		if got.status != status || got.kind != kind || got.late || isShortage(got.err) != shortage || ((&exchange{}).blame(got.err) == abandoned) != shortage {
			t.Errorf("%v: got %+v", err, got)
		}
	}
	f(netpoll.ErrTimeout, 504, stats.ConnectTimeout, false)
	f(syscall.ETIMEDOUT, 504, stats.ConnectTimeout, false)
	f(netpoll.ErrShortage, 503, stats.DescriptorsExhausted, true)
	f(syscall.ECONNREFUSED, 502, stats.ConnectionRefused, false)
	f(syscall.ECONNRESET, 502, stats.ConnectionReset, false)
	f(syscall.ENOENT, 502, stats.ConnectionReset, false)
	f(syscall.EHOSTUNREACH, 502, stats.ConnectionReset, false)
}
