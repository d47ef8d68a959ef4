package beacon

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// deliver hands r a datagram and fails unless it comes to that.
func deliver(t *testing.T, r *Receiver, datagram []byte, now time.Time, want Reason) {
	t.Helper()
	before := r.Counters()
	r.receive(datagram, now)
	after := r.Counters()
	if want == accepted {
		before.Accepted++
	} else {
		before.Dropped[want]++
	}
	if after.Accepted != before.Accepted || after.Dropped != before.Dropped {
		t.Errorf("%q: accepted %d, dropped %v, want %d, %v (%v)", datagram, after.Accepted, after.Dropped, before.Accepted, before.Dropped, want)
	}
}

// states returns the URLs that are tracked with their states.
func states(r *Receiver) string {
	var all []string
	for _, rec := range r.Records() {
		all = append(all, rec.URL+" "+string(rec.State))
	}
	return strings.Join(all, ", ")
}

func TestFirstAnnouncementAdds(t *testing.T) {
	r, c := receiving(t, Settings{})
	book := logging(r)
	deliver(t, r, said(t, "HTTP://A:80/", start), start, accepted)
	c.wants(t, "add http://a")
	want := "level=INFO msg=\"received: BEACON url=HTTP://A:80/ host=h pid=1 seq=0 ts=1750000000000000\"\n" +
		"level=INFO msg=\"added backend http://a to balancer://web\"\n"
	if got := book.take(); got != want {
		t.Errorf("log %s, want %s", got, want)
	}
	got := r.Records()
	if len(got) != 1 || got[0] != (Record{"web", "127.0.0.1:0", "http://a", Live, start.UTC(), start.UnixMicro(), "h", 1, 0}) {
		t.Errorf("records %+v", got)
	}
	if n := r.Counters(); n.Added != 1 || n.LiveMembers != 1 || n.Datagrams() != 1 {
		t.Errorf("counters %+v", n)
	}
}

func TestReplays(t *testing.T) {
	r, c := receiving(t, Settings{})
	f := func(url string, after time.Duration, want Reason) {
		t.Helper()
		deliver(t, r, said(t, url, start.Add(after)), start, want)
	}
	f("http://a", 0, accepted)
	book := logging(r)
	f("http://a", 0, Replayed)
	f("HTTP://A:80/", 0, Replayed) // in another spelling
	f("http://a", -time.Microsecond, Replayed)
	f("http://a", time.Microsecond, accepted)
	f("http://a", 0, Replayed)
	f("http://b", -time.Second, accepted) // each member has a mark of its own
	f("http://b", -2*time.Second, Replayed)
	f("http://b", 20*time.Second, accepted)
	f("http://b", 19*time.Second, Replayed)
	c.wants(t, "add http://a", "add http://b")
	log := book.take()
	if got := strings.Count(log, "received: "); got != 3 {
		t.Errorf("%d lines about receipts, want one for each that is no replay: %s", got, log)
	}
}

func TestReplaysDoNotRenew(t *testing.T) {
	r, _ := receiving(t, Settings{Timeout: time.Second})
	last := said(t, "http://a", start)
	deliver(t, r, last, start, accepted)
	deliver(t, r, last, start.Add(900*time.Millisecond), Replayed)
	r.sweep(start.Add(1001 * time.Millisecond))
	if got := states(r); got != "http://a evicted" {
		t.Errorf("got %s", got)
	}
	deliver(t, r, last, start.Add(1100*time.Millisecond), Replayed)
	if got := states(r); got != "http://a evicted" {
		t.Errorf("a replay brings it back: %s", got)
	}
}

func TestFreshness(t *testing.T) {
	f := func(skew, off time.Duration, want Reason) {
		t.Helper()
		r, _ := receiving(t, Settings{MaxSkew: skew})
		deliver(t, r, said(t, "http://a", start.Add(off)), start, want)
	}
	const us = time.Microsecond
	f(0, 30*time.Second, accepted)
	f(0, 30*time.Second+us, Stale)
	f(0, -30*time.Second, accepted)
	f(0, -30*time.Second-us, Stale)
	f(500*time.Millisecond, 500*time.Millisecond, accepted)
	f(500*time.Millisecond, 500*time.Millisecond+us, Stale)
	f(500*time.Millisecond, -500*time.Millisecond-us, Stale)
	f(2*time.Hour, -time.Hour, accepted)
	r, _ := receiving(t, Settings{MaxSkew: 1<<63 - 1})
	deliver(t, r, signed(t, "BEACON ts=0"), start, accepted)
	r, _ = receiving(t, Settings{})
	deliver(t, r, signed(t, "BEACON ts=9223372036854775807"), start, Stale)
	deliver(t, r, signed(t, "BEACON ts=0"), start, Stale)
	for _, v := range vectors { // which were made at other times
		r, err := NewReceiver(ReceiverOptions{Listen: ":1", Settings: Settings{Secret: v.secret}})
		if err != nil {
			t.Fatal(err)
		}
		deliver(t, r, []byte(v.datagram), start.Add(time.Hour), Stale)
	}
}

func TestUnacceptableURL(t *testing.T) {
	r, c := receiving(t, Settings{})
	for _, url := range []string{"", "http://a/b", "unix:/x|http://a", "ftp://a", "http://caf\xc3\xa9", "http://a\tb"} {
		deliver(t, r, signed(t, fmt.Sprintf("BEACON url=%s host=h ts=%d", url, start.UnixMicro())), start, UnacceptableURL)
	}
	c.wants(t)
}

func TestHeartbeat(t *testing.T) {
	r, c := receiving(t, Settings{})
	book := logging(r)
	deliver(t, r, said(t, "", start), start, accepted)
	r.receive(nil, start)
	r.receive([]byte{}, start)
	c.wants(t)
	if log := book.take(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "received: BEACON host=h ") {
		t.Errorf("log %s", log)
	}
	if n := r.Counters(); n.Datagrams() != 1 {
		t.Errorf("%d datagrams, want 1: empty ones are nothing", n.Datagrams())
	}
}

func TestLogOnly(t *testing.T) {
	r, err := NewReceiver(ReceiverOptions{Listen: "127.0.0.1:0", Settings: Settings{Secret: secret, Timeout: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	book := logging(r)
	deliver(t, r, said(t, "http://a", start), start, accepted)
	deliver(t, r, []byte("BEACON url=http://b ts=1 mac=0123456789abcdef"), start, MACMismatch)
	r.sweep(start.Add(time.Hour))
	log := book.take()
	if !strings.Contains(log, "received: BEACON url=http://a") || strings.Contains(log, "http://b") || len(r.Records()) != 0 {
		t.Errorf("records %v, log %s", r.Records(), log)
	}
}

func TestOwnership(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Second})
	at := start
	f := func(want Reason, changes ...string) {
		t.Helper()
		at = at.Add(time.Millisecond)
		deliver(t, r, said(t, "http://a", at), at, want)
		c.wants(t, changes...)
	}
	c.foreign["http://a"] = true
	f(NotManaged, "add http://a")
	f(NotManaged, "add http://a")
	if got := states(r); got != "" {
		t.Errorf("a foreign member is tracked: %s", got)
	}
	c.foreign["http://a"] = false
	f(accepted, "add http://a")
	f(accepted)
	delete(c.members, "http://a") // a reload has configured it
	c.foreign["http://a"] = true
	f(NotManaged, "add http://a")
	c.foreign["http://a"] = false
	f(accepted, "add http://a")
	delete(c.members, "http://a") // and again, and now it falls silent
	r.sweep(at.Add(2 * time.Second))
	c.wants(t)
	if got := states(r); got != "" || r.Counters().Evicted != 0 {
		t.Errorf("a member that is not ours is evicted: %s", got)
	}
}

func TestFailedAdd(t *testing.T) {
	f := func(spoil func(*fakeCluster), want Reason) {
		t.Helper()
		r, c := receiving(t, Settings{})
		spoil(c)
		say := func(after time.Duration, want Reason) {
			t.Helper()
			at := start.Add(after)
			deliver(t, r, said(t, "http://a", at), at, want)
		}
		say(0, want)
		c.wants(t, "add http://a")
		say(addRetry-1, want)
		say(addRetry-1, Replayed) // its mark moves all the same
		c.wants(t)
		if got := states(r); got != "http://a failed" {
			t.Errorf("got %s", got)
		}
		say(addRetry, want)
		c.wants(t, "add http://a")
		c.fails, c.forgetful = nil, false
		say(2*addRetry-1, want)
		say(2*addRetry, accepted)
		c.wants(t, "add http://a")
		if n := r.Counters(); n.Added != 1 || n.LiveMembers != 1 {
			t.Errorf("counters %+v", n)
		}
	}
	f(func(c *fakeCluster) { c.fails = errors.New("full") }, AddFailed)
	f(func(c *fakeCluster) { c.forgetful = true }, AddUnconfirmed)
}

func TestCapacity(t *testing.T) {
	r, _ := receiving(t, Settings{Timeout: time.Second, MaxSkew: time.Second})
	url := func(n int) string { return fmt.Sprintf("http://h%d", n) }
	for n := range capacity {
		deliver(t, r, said(t, url(n), start), start, accepted)
	}
	deliver(t, r, said(t, "http://more", start), start, TableFull)
	deliver(t, r, said(t, "http://more", start), start, TableFull)
	later := start.Add(time.Second)
	deliver(t, r, said(t, url(7), later), later, accepted) // known ones go on
	if n := len(r.Records()); n != capacity {
		t.Errorf("%d records", n)
	}
	r.sweep(later.Add(time.Millisecond))
	deliver(t, r, said(t, "http://more", later), later, TableFull) // those evicted keep their records
	r.sweep(start.Add(2*time.Second + 1))
	deliver(t, r, said(t, "http://more", later), later, accepted)
	// h7 has its record until it was silent for long enough, too.
	if got := states(r); got != "http://h7 evicted, http://more live" {
		t.Errorf("got %s", got)
	}
}

func TestDropsAreLoggedOnceASecond(t *testing.T) {
	r, _ := receiving(t, Settings{})
	book := logging(r)
	bad := func(after time.Duration, datagram string) { r.receive([]byte(datagram), start.Add(after)) }
	f := func(want string) {
		t.Helper()
		if want != "" {
			want = "level=WARN msg=\"" + want + "\" listen=127.0.0.1:0\n"
		}
		if got := book.take(); got != want {
			t.Errorf("log %s, want %s", got, want)
		}
	}
	bad(0, "x")
	f("dropped 1 announcement(s) (last: no mac)")
	for i := range 1000 {
		bad(time.Duration(i)*999*time.Microsecond, "x")
	}
	r.sweep(start.Add(999 * time.Millisecond))
	f("")
	bad(time.Second, "x mac=")
	f("dropped 1001 announcement(s) (last: bad mac length)")
	bad(time.Second, "x\x00")
	r.sweep(start.Add(2*time.Second - 1))
	f("")
	r.sweep(start.Add(2 * time.Second))
	f("dropped 1 announcement(s) (last: embedded NUL)")
	r.sweep(start.Add(9 * time.Second))
	f("")
}

func TestReceiptsDoNotFillTheLog(t *testing.T) {
	r, _ := receiving(t, Settings{})
	book := logging(r)
	captured := said(t, "", start) // without a url nothing tells a copy
	for range 10 * receiptLines {
		deliver(t, r, captured, start, accepted)
	}
	deliver(t, r, captured, start.Add(time.Second), accepted)
	if n := strings.Count(book.take(), "\n"); n != receiptLines+1 {
		t.Errorf("%d lines, want %d a second", n, receiptLines)
	}
}

func TestHostileTextStaysOneLine(t *testing.T) {
	r, _ := receiving(t, Settings{})
	book := logging(r)
	text := fmt.Sprintf("BEACON host=a\"\\\r\n\x1b[31m{\"level\":\"ERROR\"}\xff ts=%d", start.UnixMicro())
	deliver(t, r, signed(t, text), start, accepted)
	log := book.take()
	if strings.Count(log, "\n") != 1 || strings.ContainsAny(log, "\r\x1b") || strings.Contains(log, "\xff") || !strings.Contains(log, `\\x1b[31m`) {
		t.Errorf("log %q", log)
	}
}

func TestConfigure(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Hour})
	deliver(t, r, said(t, "http://a", start), start, accepted)
	if err := r.Configure(Settings{Secret: "short", Timeout: time.Second}); err == nil {
		t.Error("a short secret is taken")
	}
	if err := r.Configure(Settings{Secret: secret, Timeout: -1}); err == nil {
		t.Error("a negative timeout is taken")
	}
	r.sweep(start.Add(2 * time.Second))
	c.wants(t, "add http://a")
	if err := r.Configure(Settings{Secret: "another passphrase", Timeout: time.Second}); err != nil {
		t.Fatal(err)
	}
	r.sweep(start.Add(2 * time.Second))
	c.wants(t, "disable http://a")
	deliver(t, r, said(t, "http://a", start.Add(3*time.Second)), start.Add(3*time.Second), MACMismatch)
}

func TestNewReceiverRefuses(t *testing.T) {
	f := func(o ReceiverOptions) {
		t.Helper()
		if _, err := NewReceiver(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	f(ReceiverOptions{Listen: "127.0.0.1", Settings: Settings{Secret: secret}})
	f(ReceiverOptions{Listen: ":1"})
	f(ReceiverOptions{Listen: ":1", Settings: Settings{Secret: secret, MaxSkew: -1}})
}
