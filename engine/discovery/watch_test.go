package discovery

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

func TestEqualLookupsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 60 IN A 10.0.0.1")
		a := d.watch(app())
		pass(0)
		b := d.watch(Query{Name: "App.Test", Port: 81, Weight: 2})
		b.is(t, "resolved: 10.0.0.1:81*2") // at once
		pass(0)
		if n := d.count("app.test.", dns.TypeA); n != 1 || b.calls() != 0 {
			t.Errorf("%d lookups, the second was told %d times", n, b.calls())
		}
		other := d.watch(Query{Name: "app.test", Port: 80, Servers: []netip.AddrPort{netip.MustParseAddrPort("10.9.9.9:53")}})
		pass(0)
		if n := d.count("app.test.", dns.TypeA); n != 2 {
			t.Errorf("%d lookups, want another for other servers", n)
		}
		other.Stop()

		a.Stop()
		a.Stop() // again
		d.set("app.test. 60 IN A 10.0.0.2")
		pass(time.Minute)
		b.is(t, "resolved: 10.0.0.2:81*2")
		a.is(t, good) // as it was
		b.Stop()
		n := d.count("app.test.", dns.TypeA)
		pass(time.Hour)
		if more := d.count("app.test.", dns.TypeA) - n; more != 0 || len(d.lookups) != 0 {
			t.Errorf("%d lookups after the last watch was stopped, %d are kept", more, len(d.lookups))
		}
	})
}

// A reload begins the new watches first: nothing is forgotten.
func TestReplacedWatchKeepsWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, old := serving(t)
		d.fail("app.test.", dns.RcodeServerFailure)
		pass(time.Minute)
		w := d.watch(app())
		old.Stop()
		w.is(t, "dns_error: 10.0.0.1:80")
		if d.Cache().Hits != 0 {
			t.Error("an answer past its time was counted as a hit")
		}
	})
}

// Those who watch may call back, and who is slow holds up nobody's lookups.
func TestCallsFromOnChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 1 IN A 10.0.0.1", "other.test. 1 IN A 10.0.0.2")
		first, second := make(chan *Watch, 1), make(chan *Watch, 10)
		first <- d.Watch(app(), func(Answer) {
			(<-first).Stop()
			second <- d.Watch(Query{Name: "other.test", Port: 80}, func(Answer) { time.Sleep(time.Hour) })
		})
		third := d.watch(app())
		pass(time.Minute)
		if len(second) != 1 {
			t.Fatalf("told %d times", len(second))
		}
		third.is(t, good)
		if got := (<-second).Answer().text(); got != "resolved: 10.0.0.2:80" {
			t.Errorf("the watch that was begun in a call: %s", got)
		}
		d.set("app.test. 1 IN A 10.0.0.3")
		d.set("app.test. 1 IN A 10.0.0.4")
		pass(2 * time.Second)
		third.is(t, "resolved: 10.0.0.4:80") // though nobody can be told now
		pass(2 * time.Hour)
		if third.last().text() != "resolved: 10.0.0.4:80" || third.calls() > 2 {
			t.Errorf("told %d times, last %s", third.calls(), third.last().text())
		}
	})
}

// A change that was undone before it could be told is none.
func TestUndoneChangeIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := serving(t)
		d.set("busy.test. 60 IN A 10.0.0.9")
		d.Watch(Query{Name: "busy.test"}, func(Answer) { time.Sleep(20 * time.Second) })
		pass(0)
		d.set("app.test. 1 IN A 10.0.0.2")
		pass(5 * time.Second)
		d.set("app.test. 1 IN A 10.0.0.1")
		pass(time.Minute)
		if w.calls() != 1 {
			t.Errorf("told %d times: %v", w.calls(), w.answers)
		}
	})
}

// What is still to be told when a watch is stopped, or the resolver closed, is not told.
func TestNothingIsToldAfterwards(t *testing.T) {
	f := func(name string, end func(*desk, *heard)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := serving(t)
				d.set("busy.test. 60 IN A 10.0.0.9")
				d.Watch(Query{Name: "busy.test"}, func(Answer) { time.Sleep(20 * time.Second) })
				pass(0)
				d.set("app.test. 1 IN A 10.0.0.2")
				pass(5 * time.Second)
				w.is(t, "resolved: 10.0.0.2:80")
				end(d, w)
				pass(time.Minute)
				if w.calls() != 1 {
					t.Errorf("told %d times: %v", w.calls(), w.answers)
				}
			})
		})
	}
	f("stopped", func(_ *desk, w *heard) { w.Stop() })
	f("closed", func(d *desk, _ *heard) { d.Close() })
}

// Changes are told in the order in which they were found.
func TestOrderOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		var order string
		for i := range 5 {
			name := fmt.Sprintf("n%d.test.", i)
			d.set(name + " 60 IN A 10.0.0.1")
			d.delay(name, time.Duration(5-i)*time.Millisecond)
			d.Watch(Query{Name: name}, func(Answer) { order += itoa(i) })
		}
		pass(time.Second)
		if order != "43210" {
			t.Errorf("told in the order %s", order)
		}
	})
}

// A dead server costs those names that only it knows.
func TestDeadServerIsItsNamesTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		dead := []netip.AddrPort{netip.MustParseAddrPort("10.9.9.9:53")}
		for i := range 100 {
			name := fmt.Sprintf("dead%d.test.", i)
			d.silence(name, true)
			d.watch(Query{Name: name, Servers: dead})
		}
		pass(0)
		d.set("app.test. 1 IN A 10.0.0.1")
		w := d.watch(app())
		pass(0)
		w.is(t, good)
		pass(time.Minute)
		if n := d.count("app.test.", dns.TypeA); n < 50 {
			t.Errorf("%d lookups in a minute", n)
		}
	})
}

func TestCloseIsQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := serving(t)
		d.silence("app.test.", true)
		d.silence("late.test.", true)
		late := d.watch(Query{Name: "late.test"})
		pass(2500 * time.Millisecond)
		begin := time.Now()
		d.Close()
		if took := time.Since(begin); took != 0 {
			t.Errorf("Close took %v", took)
		}
		late.is(t, "pending:")
		if a := w.Answer(); len(a.Endpoints) != 1 {
			t.Errorf("answer %s", a.text())
		}
		n := d.count("app.test.", dns.TypeA)
		d.watch(Query{Name: "after.test"}).is(t, "pending:")
		w.Stop()
		pass(time.Hour)
		if d.count("app.test.", dns.TypeA) != n || d.count("after.test.", dns.TypeA) != 0 {
			t.Error("a lookup after Close")
		}
		d.Close() // again
	})
}

func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("a.test. 60 IN A 10.0.0.1", "b.test. 120 IN A 10.0.0.2", "c.test. 1 IN A 10.0.0.3")
		f := func(want Cache) {
			t.Helper()
			got := d.Cache()
			for _, ttl := range []*time.Duration{&got.TTLMin, &got.TTLMax, &got.TTLAvg} {
				*ttl = ttl.Round(time.Millisecond)
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		f(Cache{})
		d.watch(Query{Name: "a.test"})
		d.watch(Query{Name: "b.test"})
		d.watch(Query{Name: "none.test"})
		pass(0)
		f(Cache{Entries: 2, TTLMin: time.Minute, TTLMax: 2 * time.Minute, TTLAvg: 90 * time.Second, Misses: 3, NXDomain: 1})
		d.watch(Query{Name: "a.test"})
		pass(500 * time.Millisecond)
		f(Cache{Entries: 2, TTLMin: 59500 * time.Millisecond, TTLMax: 119500 * time.Millisecond, TTLAvg: 89500 * time.Millisecond,
			Hits: 1, Misses: 3, NXDomain: 1})

		w := d.watch(Query{Name: "c.test"})
		pass(5 * time.Second)
		d.fail("c.test.", dns.RcodeServerFailure)
		pass(10 * time.Second)
		if a := w.Answer(); len(a.Endpoints) != 1 {
			t.Fatalf("answer %s", a.text())
		}
		if c := d.Cache(); c.Entries != 3 || c.Stale != 1 || c.TTLMin != 0 || c.Failed < 2 {
			t.Errorf("with an entry past its time: %+v", c)
		}
		w.Stop()
		d.fail("a.test.", dns.RcodeServerFailure)
		pass(42 * time.Second) // to 57.5 s: looked up again, and still good
		if c := d.Cache(); c.Entries != 2 || c.Stale != 1 || c.TTLMin == 0 {
			t.Errorf("with an entry whose lookup failed: %+v", c)
		}
	})
}
