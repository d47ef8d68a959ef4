package discovery

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

const good = "resolved: 10.0.0.1:80"

// serving is a desk with an answer to app.
func serving(t *testing.T, text ...string) (*desk, *heard) {
	t.Helper()
	d := open(t, text...)
	d.set("app.test. 1 IN A 10.0.0.1")
	w := d.watch(app())
	pass(0)
	w.is(t, good)
	return d, w
}

// However lookups fail, and for however long, the last good answer stays. It is told once
// when they begin to, and once when they no longer do.
func TestOutageKeepsTheAnswer(t *testing.T) {
	f := func(name string, begin, end func(*desk)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := serving(t)
				begin(d)
				pass(3 * time.Hour)
				w.is(t, "dns_error: 10.0.0.1:80")
				if a := w.last(); w.calls() != 2 || a.Changed {
					t.Errorf("told %d times, last %+v", w.calls(), a)
				}
				end(d)
				pass(time.Minute)
				w.is(t, good)
				want := "WARN dns lookup failed app.test dns_error\nINFO dns recovered app.test resolved"
				if got := d.log.all(); got != want {
					t.Errorf("log:\n%s\nwant:\n%s", got, want)
				}
			})
		})
	}
	code := func(rcode int) func(*desk) { return func(d *desk) { d.fail("app.test.", rcode) } }
	f("SERVFAIL", code(dns.RcodeServerFailure), code(dns.RcodeSuccess))
	f("REFUSED", code(dns.RcodeRefused), code(dns.RcodeSuccess))
	f("FORMERR", code(dns.RcodeFormatError), code(dns.RcodeSuccess))
	f("silence", func(d *desk) { d.silence("app.test.", true) }, func(d *desk) { d.silence("app.test.", false) })
	f("aliases in a loop",
		func(d *desk) { d.set("app.test. 1 IN CNAME app.test."); d.set("app.test.") },
		func(d *desk) { d.remove("app.test."); d.set("app.test. 1 IN A 10.0.0.1") })
	f("half a denial", // A does not exist, of AAAA nobody knows
		func(d *desk) { d.set("app.test."); d.fail("app.test.", dns.RcodeServerFailure, dns.TypeAAAA) },
		func(d *desk) {
			d.set("app.test. 1 IN A 10.0.0.1")
			d.fail("app.test.", dns.RcodeSuccess, dns.TypeAAAA)
		})
}

// Failures are tried again after 1, 2, 4, ... and at most 30 seconds.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := serving(t, "nameserver 10.9.9.9")
		d.fail("app.test.", dns.RcodeServerFailure)
		pass(time.Hour)
		times := d.times("app.test.", dns.TypeA)[1:]
		for i := range times[1:] {
			most := min(time.Second<<min(i, 10), 30*time.Second)
			least := max(most*8/10, time.Second)
			if apart := times[i+1].Sub(times[i]).Round(time.Millisecond); apart < least || apart > max(most, 1100*time.Millisecond) {
				t.Errorf("lookup %d came after %v, want %v to %v", i+1, apart, least, most)
			}
		}
		if len(times) < 120 {
			t.Errorf("%d lookups in an hour, want 120 or more", len(times))
		}
	})
}

// That there is no such name, or no address, is believed the third time.
func TestDenialIsBelievedTheThirdTime(t *testing.T) {
	f := func(name string, deny func(*desk)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := serving(t)
				deny(d)
				before := d.count("app.test.", dns.TypeA)
				for w.Answer().text() != "nxdomain:" && d.count("app.test.", dns.TypeA) < before+10 {
					if n := d.count("app.test.", dns.TypeA) - before; n > 0 && n < 3 {
						w.is(t, "nxdomain: 10.0.0.1:80")
					}
					pass(50 * time.Millisecond)
				}
				if n := d.count("app.test.", dns.TypeA) - before; n != 3 {
					t.Errorf("believed after %d lookups", n)
				}
				if a := w.last(); !a.Changed || a.text() != "nxdomain:" {
					t.Errorf("told %+v", a)
				}
				d.set("app.test. 1 IN A 10.0.0.2")
				pass(30 * time.Second)
				w.is(t, "resolved: 10.0.0.2:80")
			})
		})
	}
	f("NXDOMAIN", func(d *desk) { d.remove("app.test.") })
	f("no records", func(d *desk) { d.set("app.test.") })
}

func TestDenialInBetweenIsNotFelt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := serving(t)
		for range 5 {
			d.remove("app.test.")
			pass(2 * time.Second) // one or two lookups
			d.set("app.test. 1 IN A 10.0.0.1")
			pass(10 * time.Second)
		}
		w.is(t, good)
		for _, a := range w.answers {
			if len(a.Endpoints) != 1 {
				t.Errorf("told %s", a.text())
			}
		}
	})
}

// A failure among denials begins the count anew: three in a row are needed.
func TestFailureBreaksTheRowOfDenials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := serving(t)
		for range 10 {
			d.remove("app.test.")
			n := d.count("app.test.", dns.TypeA)
			for d.count("app.test.", dns.TypeA) < n+1 {
				pass(50 * time.Millisecond)
			}
			d.fail("app.test.", dns.RcodeServerFailure)
			n = d.count("app.test.", dns.TypeA)
			for d.count("app.test.", dns.TypeA) < n+1 {
				pass(50 * time.Millisecond)
			}
			d.fail("app.test.", dns.RcodeSuccess)
		}
		if a := w.Answer(); len(a.Endpoints) != 1 {
			t.Errorf("answer %s", a.text())
		}
	})
}

// A name that does not exist is asked for as seldom as its zone says, within bounds.
func TestDenialsAreAskedForSeldom(t *testing.T) {
	f := func(minimum uint32, least, most time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			d := open(t)
			d.minimum = minimum
			d.watch(app())
			pass(time.Hour)
			times := d.times("app.test.", dns.TypeA)
			times = times[len(times)-10:]
			for i := range times[1:] {
				if apart := times[i+1].Sub(times[i]).Round(time.Millisecond); apart < least || apart > most {
					t.Errorf("minimum %d: a lookup after %v, want %v to %v", minimum, apart, least, most)
				}
			}
		})
	}
	f(0, 24*time.Second, 30*time.Second)
	f(1, time.Second, 1100*time.Millisecond)
	f(5, 4*time.Second, 5*time.Second)
	f(3600, 24*time.Second, 30*time.Second)
}

// A name that never resolved is tried on, and told of when it does.
func TestNeverResolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.fail("app.test.", dns.RcodeServerFailure)
		w := d.watch(app())
		pass(0)
		w.is(t, "dns_error:")
		pass(time.Hour)
		d.fail("app.test.", dns.RcodeSuccess)
		d.set("app.test. 1 IN A 10.0.0.1")
		pass(30 * time.Second)
		w.is(t, good)
		if w.calls() != 2 || !w.last().Changed {
			t.Errorf("told %d times, last %+v", w.calls(), w.last())
		}
	})
}

func TestSilenceEndsALookupInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		d.silence("app.test.", true)
		w := d.watch(app())
		pass(lookupTime)
		w.is(t, "dns_error:")
	})
}
