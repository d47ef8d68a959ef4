package netpoll

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pairOf is a connection of a new loop, which the caller runs turn by turn or not at all,
// and the other end of it.
func pairOf(tb testing.TB) (*Conn, int) {
	tb.Helper()
	l, err := NewLoop(NewClock())
	if err != nil {
		tb.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		tb.Fatal(err)
	}
	c := l.newConn(fds[0], Addr{}.IP)
	if err := l.poller.add(fds[0]); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		l.Close()
		closeFD(fds[1])
	})
	return c, fds[1]
}

// endingBench is a connection that ends in virtual time, on a loop that does not run.
type endingBench struct {
	t     *testing.T
	c     *Conn
	other int
	now   int64
}

func newEndingBench(t *testing.T, queued int, limits Lingering) *endingBench {
	t.Helper()
	c, other := pairOf(t)
	if err := unix.SetNonblock(other, true); err != nil {
		t.Fatal(err)
	}
	b := &endingBench{t: t, c: c, other: other, now: int64(time.Hour)}
	c.loop.clock = func() int64 { return b.now }
	if err := c.Write(make([]byte, queued)); err != nil {
		t.Fatal(err)
	}
	c.End(limits, nil)
	return b
}

// pass lets time go by, then handles a report, 0 for none, and what is due.
func (b *endingBench) pass(d time.Duration, r readiness) {
	b.now += int64(d)
	b.c.loop.now = 0
	if r != 0 {
		b.c.ready(r)
	}
	b.c.loop.wheel.turn()
}

func (b *endingBench) want(closed bool, when string) {
	b.t.Helper()
	if b.c.closed != closed {
		b.t.Fatalf("%s: closed = %v, want %v", when, b.c.closed, closed)
	}
}

// take reads all that is there, as the other side.
func (b *endingBench) take() {
	b.t.Helper()
	p := make([]byte, 64<<10)
	for taken := 0; ; {
		n, errno := sysRead(b.other, p)
		if errno == unix.EAGAIN && taken > 0 {
			return
		}
		if errno != 0 {
			b.t.Fatal(errno)
		}
		taken += n
	}
}

// A reader that goes on gets all, though it takes several times the bound on a pause; one
// that stops is cut.
func TestEndWaitsForASlowReader(t *testing.T) {
	b := newEndingBench(t, 8<<20, Lingering{WriteIdle: 10 * time.Second})
	for range 8 {
		b.take()
		b.pass(9*time.Second, writeReady)
		b.want(false, "while it takes bytes")
	}
	if b.c.Queued() == 0 {
		t.Fatal("nothing is queued any more")
	}
	b.pass(9*time.Second, 0)
	b.want(false, "before the bound")
	b.pass(time.Second+2*time.Duration(tick), 0)
	b.want(true, "after the bound")
}

func TestEndWithoutBoundOnWriting(t *testing.T) {
	b := newEndingBench(t, 8<<20, Lingering{})
	b.pass(100*time.Hour, 0)
	b.want(false, "with bytes queued")
}

// The wait for the other side's end lasts while it sends, up to the total.
func TestEndHearsTheOtherSideOut(t *testing.T) {
	limits := Lingering{Silence: 10 * time.Second, Total: time.Minute, Discard: true}
	b := newEndingBench(t, 10, limits)
	say := func() {
		t.Helper()
		if _, errno := sysWrite(b.other, []byte("x")); errno != 0 {
			t.Fatal(errno)
		}
	}
	for range 6 {
		say()
		b.pass(9*time.Second, readReady)
		b.want(false, "while it sends")
	}
	say()
	b.pass(7*time.Second, readReady)
	b.want(true, "after the total")

	b = newEndingBench(t, 10, limits)
	b.pass(9*time.Second, 0)
	b.want(false, "before the bound on silence")
	b.pass(time.Second+2*time.Duration(tick), 0)
	b.want(true, "after silence")

	b = newEndingBench(t, 10, Lingering{Discard: true})
	b.pass(2*time.Duration(tick), 0)
	b.want(true, "without a wait")
}
