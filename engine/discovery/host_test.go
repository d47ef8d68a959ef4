package discovery

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// app is the query of most tests.
func app() Query { return Query{Name: "app.test", Port: 80, Weight: 1} }

// pass lets time go by and what is due then be done; with 0, a few answers come.
func pass(d time.Duration) {
	time.Sleep(d + time.Microsecond)
	synctest.Wait()
}

func TestHost(t *testing.T) {
	f := func(name, want string, records ...string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t)
				d.set(records...)
				w := d.watch(app())
				w.is(t, "pending:")
				pass(0)
				w.is(t, want)
				if w.calls() != 1 || w.last().text() != want || w.last().Changed != (len(w.last().Endpoints) > 0) {
					t.Errorf("told %d times, last %+v", w.calls(), w.last())
				}
			})
		})
	}
	f("one address", "resolved: 10.0.0.1:80", "app.test. 60 IN A 10.0.0.1")
	f("several, sorted", "resolved: 10.0.0.1:80 10.0.0.2:80 10.0.0.10:80",
		"app.test. 60 IN A 10.0.0.10", "app.test. 60 IN A 10.0.0.2", "app.test. 60 IN A 10.0.0.1")
	f("both families", "resolved: 10.0.0.1:80 [2001:db8::1]:80", "app.test. 60 IN AAAA 2001:db8::1", "app.test. 60 IN A 10.0.0.1")
	f("IPv6 alone", "resolved: [2001:db8::1]:80", "app.test. 60 IN AAAA 2001:db8::1")
	f("twice the same", "resolved: 10.0.0.1:80", "app.test. 60 IN A 10.0.0.1", "app.test. 60 IN A 10.0.0.1")
	f("mapped", "resolved: 10.0.0.1:80", "app.test. 60 IN A 10.0.0.1", "app.test. 60 IN AAAA ::ffff:10.0.0.1")
	f("of no use", "nxdomain:", "app.test. 60 IN A 0.0.0.0", "app.test. 60 IN A 224.0.0.1", "app.test. 60 IN AAAA fe80::1")
	f("some of no use", "resolved: 10.0.0.1:80", "app.test. 60 IN A 0.0.0.0", "app.test. 60 IN A 10.0.0.1")
	f("none", "nxdomain:", "app.test.")
	f("no such name", "nxdomain:")
	f("an alias", "resolved: 10.0.0.1:80", "app.test. 60 IN CNAME a.test.", "a.test. 60 IN A 10.0.0.1")
	f("an alias of nothing", "nxdomain:", "app.test. 60 IN CNAME a.test.")
	f("aliases in a loop", "dns_error:", "app.test. 60 IN CNAME a.test.", "a.test. 60 IN CNAME app.test.")
}

func TestWeightPriorityAndPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 60 IN A 10.0.0.1", "app.test. 60 IN A 10.0.0.2")
		w := d.watch(Query{Name: "APP.test", Port: 8443, Weight: 7, Priority: 3})
		pass(0)
		w.is(t, "resolved: 10.0.0.1:8443*7@3 10.0.0.2:8443*7@3")
	})
}

func TestLiteral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		for name, want := range map[string]string{
			"10.0.0.1": "10.0.0.1:80", "2001:db8::1": "[2001:db8::1]:80", "::ffff:10.0.0.1": "10.0.0.1:80",
		} {
			w := d.watch(Query{Name: name, Port: 80})
			w.is(t, "static: "+want)
			w.Stop()
		}
		pass(time.Hour)
		if c := d.Cache(); c.Misses != 0 || c.Entries != 0 {
			t.Errorf("literals were looked up: %+v", c)
		}
	})
}

// A long chain of aliases is followed, within a message and over several.
func TestAliases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		f := func(n int, want string) {
			t.Helper()
			var lines []string
			for i := range n {
				lines = append(lines, fmt.Sprintf("a%d.test. %d IN CNAME a%d.test.", i, 60+i, i+1))
			}
			d.set(append(lines, fmt.Sprintf("a%d.test. 60 IN A 10.0.0.1", n))...)
			for _, d.steps = range []bool{false, true} {
				w := d.watch(Query{Name: "a0.test", Port: 80})
				pass(0)
				w.is(t, want)
				w.Stop()
			}
			d.remove(fmt.Sprintf("a%d.test.", n))
		}
		f(10, "resolved: 10.0.0.1:80")
		f(mostAliases, "resolved: 10.0.0.1:80")
		f(mostAliases+1, "dns_error:")
	})
}

func TestLeastTTLOfTheAliasesCounts(t *testing.T) {
	for _, steps := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := open(t)
			d.steps = steps
			d.set("app.test. 10 IN CNAME a.test.", "a.test. 86400 IN A 10.0.0.1", "b.test. 86400 IN A 10.0.0.2")
			w := d.watch(app())
			pass(0)
			d.set("app.test. 10 IN CNAME b.test.")
			pass(10 * time.Second)
			w.is(t, "resolved: 10.0.0.2:80")
		})
	}
}

// A record joins and one leaves; one that only changes its place is no change.
func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 5 IN A 10.0.0.1", "app.test. 5 IN A 10.0.0.2")
		w := d.watch(app())
		pass(0)
		f := func(calls int, want string, records ...string) {
			t.Helper()
			d.set(records...)
			pass(5 * time.Second)
			w.is(t, want)
			if w.calls() != calls {
				t.Errorf("told %d times, want %d", w.calls(), calls)
			}
		}
		f(1, "resolved: 10.0.0.1:80 10.0.0.2:80", "app.test. 5 IN A 10.0.0.2", "app.test. 5 IN A 10.0.0.1")
		f(2, "resolved: 10.0.0.1:80 10.0.0.2:80 10.0.0.3:80", "app.test. 5 IN A 10.0.0.3", "app.test. 5 IN A 10.0.0.2", "app.test. 5 IN A 10.0.0.1")
		f(3, "resolved: 10.0.0.3:80", "app.test. 5 IN A 10.0.0.3")
		f(4, "resolved: [2001:db8::1]:80", "app.test.", "app.test. 5 IN AAAA 2001:db8::1")
	})
}

// Ten addresses change every second: the set follows and does not grow.
func TestRotatingSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		var w *heard
		for round := range 50 {
			var lines []string
			for i := range 10 {
				lines = append(lines, fmt.Sprintf("app.test. 1 IN A 10.0.%d.%d", round, i+1))
			}
			d.set(lines...)
			if round == 0 {
				w = d.watch(app())
			}
			pass(1100 * time.Millisecond)
			a := w.Answer()
			if want := fmt.Sprintf("10.0.%d.1:80", round); len(a.Endpoints) != 10 || a.Endpoints[0].Addr.String() != want {
				t.Fatalf("round %d: %s", round, a.text())
			}
		}
	})
}

func TestIntervals(t *testing.T) {
	f := func(ttl int, least, most time.Duration) {
		t.Run(fmt.Sprint(ttl), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t)
				d.set(fmt.Sprintf("app.test. %d IN A 10.0.0.1", ttl))
				d.watch(app())
				pass(20 * most)
				d.Close()
				times := d.times("app.test.", dns.TypeA)
				for i := range times[1:] {
					if apart := times[i+1].Sub(times[i]).Round(time.Millisecond); apart < least || apart > most {
						t.Errorf("lookup %d came after %v, want %v to %v", i+1, apart, least, most)
					}
				}
				if len(times) < 20 {
					t.Errorf("%d lookups, want 20 or more", len(times))
				}
			})
		})
	}
	f(0, time.Second, 1100*time.Millisecond)
	f(1, time.Second, 1100*time.Millisecond)
	f(2, 1600*time.Millisecond, 1900*time.Millisecond)
	f(60, 48*time.Second, 57*time.Second)
	f(300, 240*time.Second, 285*time.Second)
	f(86400, 240*time.Second, 285*time.Second)
}

// One family that fails or is silent neither hides the other nor loses its addresses.
func TestOneFamilyFails(t *testing.T) {
	f := func(name string, broken uint16, breakIt func(d *desk, on bool), want string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t)
				d.set("app.test. 5 IN A 10.0.0.1", "app.test. 5 IN AAAA 2001:db8::1")
				breakIt(d, true)
				w := d.watch(app())
				pass(2 * time.Second)
				w.is(t, want) // the other alone

				breakIt(d, false)
				pass(6 * time.Second)
				w.is(t, "resolved: 10.0.0.1:80 [2001:db8::1]:80")
				breakIt(d, true)
				if broken == dns.TypeA {
					d.set("app.test. 5 IN AAAA 2001:db8::2")
				} else {
					d.set("app.test. 5 IN A 10.0.0.2")
				}
				pass(8 * time.Second)
				if broken == dns.TypeA {
					w.is(t, "resolved: 10.0.0.1:80 [2001:db8::2]:80")
				} else {
					w.is(t, "resolved: 10.0.0.2:80 [2001:db8::1]:80")
				}
				if d.log.all() != "" {
					t.Errorf("log: %s", d.log.all())
				}
			})
		})
	}
	servfail := func(qtype uint16) func(*desk, bool) {
		return func(d *desk, on bool) {
			code := dns.RcodeSuccess
			if on {
				code = dns.RcodeServerFailure
			}
			d.fail("app.test.", code, qtype)
		}
	}
	silent := func(qtype uint16) func(*desk, bool) {
		return func(d *desk, on bool) { d.silence("app.test.", on, qtype) }
	}
	f("AAAA fails", dns.TypeAAAA, servfail(dns.TypeAAAA), "resolved: 10.0.0.1:80")
	f("AAAA is silent", dns.TypeAAAA, silent(dns.TypeAAAA), "resolved: 10.0.0.1:80")
	f("A fails", dns.TypeA, servfail(dns.TypeA), "resolved: [2001:db8::1]:80")
	f("A is silent", dns.TypeA, silent(dns.TypeA), "resolved: [2001:db8::1]:80")
}

// A family that failed is asked for again soon, though the other has a long TTL.
func TestFailedFamilyIsAskedForSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 300 IN A 10.0.0.1", "app.test. 300 IN AAAA 2001:db8::1")
		d.fail("app.test.", dns.RcodeServerFailure, dns.TypeAAAA)
		w := d.watch(app())
		pass(0)
		d.fail("app.test.", dns.RcodeSuccess, dns.TypeAAAA)
		pass(partialTTL)
		w.is(t, "resolved: 10.0.0.1:80 [2001:db8::1]:80")
	})
}

// A family that is only a little slower is waited for.
func TestSlowerFamilyIsInTheFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.set("app.test. 60 IN A 10.0.0.1", "app.test. 60 IN AAAA 2001:db8::1")
		d.delay("app.test.", 900*time.Millisecond, dns.TypeAAAA)
		w := d.watch(app())
		pass(time.Second)
		w.is(t, "resolved: 10.0.0.1:80 [2001:db8::1]:80")
		if w.calls() != 1 {
			t.Errorf("told %d times", w.calls())
		}
	})
}

func TestOverlargeAnswerIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		var lines []string
		a := netip.MustParseAddr("10.0.0.1")
		for range mostAddresses + 100 {
			lines = append(lines, "app.test. 60 IN A "+a.String())
			a = a.Next()
		}
		d.set(lines...)
		w := d.watch(app())
		pass(0)
		if got := w.Answer().Endpoints; len(got) != mostAddresses || got[0].Addr.String() != "10.0.0.1:80" {
			t.Errorf("%d endpoints from %v", len(got), got[0].Addr)
		}
	})
}
