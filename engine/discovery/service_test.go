package discovery

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

const web = "_http._tcp.app.test."

func webQuery() Query { return Query{Name: "_http._tcp.app.test", SRV: true, Weight: 1} }

func TestService(t *testing.T) {
	f := func(name string, q Query, want string, records ...string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t)
				d.set("a.test. 60 IN A 10.0.0.1", "b.test. 60 IN A 10.0.0.2", "two.test. 60 IN A 10.0.1.1", "two.test. 60 IN A 10.0.1.2")
				d.set(records...)
				w := d.watch(q)
				w.is(t, "pending:")
				pass(0)
				w.is(t, want)
				if w.calls() != 1 {
					t.Errorf("told %d times: %v", w.calls(), w.answers)
				}
			})
		})
	}
	double := webQuery()
	double.Weight, double.Priority = 2, 5
	f("weights and priorities", double, "resolved: 10.0.0.1:8001*6@15=a.test 10.0.0.2:8002*2@25=b.test",
		web+" 60 IN SRV 20 1 8002 b.test.", web+" 60 IN SRV 10 3 8001 a.test.")
	f("upper case", webQuery(), "resolved: 10.0.0.1:8001*3=a.test", web+" 60 IN SRV 0 3 8001 A.TEST.")
	f("no service", webQuery(), "resolved:", web+" 60 IN SRV 0 0 0 .")
	f("no service beside one", webQuery(), "resolved: 10.0.0.1:8001*3=a.test", web+" 60 IN SRV 0 0 0 .", web+" 60 IN SRV 0 3 8001 a.test.")
	f("no such name", webQuery(), "nxdomain:")
	f("no records", webQuery(), "nxdomain:", web)
	f("ports of one target", webQuery(), "resolved: 10.0.0.1:8001*3=a.test 10.0.0.1:8002*3=a.test",
		web+" 60 IN SRV 0 3 8001 a.test.", web+" 60 IN SRV 0 3 8002 a.test.")
	f("an alias of the service", webQuery(), "resolved: 10.0.0.1:8001*3=a.test",
		web+" 60 IN CNAME other.test.", "other.test. 60 IN SRV 0 3 8001 a.test.")
	f("an alias of the target", webQuery(), "resolved: 10.0.0.1:8001*3=alias.test",
		web+" 60 IN SRV 0 3 8001 alias.test.", "alias.test. 60 IN CNAME a.test.")
	f("addresses split the weight", webQuery(), "resolved: 10.0.0.2:80*10=b.test 10.0.1.1:80*5=two.test 10.0.1.2:80*5=two.test",
		web+" 60 IN SRV 0 10 80 two.test.", web+" 60 IN SRV 0 10 80 b.test.")
	f("one target is lost", webQuery(), "resolved: 10.0.0.1:8001*3=a.test",
		web+" 60 IN SRV 0 3 8001 a.test.", web+" 60 IN SRV 0 3 8001 lost.test.")
	f("all targets are lost", webQuery(), "nxdomain:", web+" 60 IN SRV 0 3 8001 lost.test.")
	f("hostile targets", webQuery(), "nxdomain:", web+` 60 IN SRV 0 3 8001 a\013\010b.test.`, web+` 60 IN SRV 0 3 8001 a\/b.test.`,
		web+" 60 IN SRV 0 3 0 a.test.")
	f("some hostile targets", webQuery(), "resolved: 10.0.0.1:8001*3=a.test", web+` 60 IN SRV 0 3 8001 a\032b.test.`, web+" 60 IN SRV 0 3 8001 a.test.")
}

// fleet is a desk whose service is at a.test:8001, with TTL 1.
func fleet(t *testing.T) (*desk, *heard) {
	t.Helper()
	d := open(t)
	d.set("a.test. 1 IN A 10.0.0.1", "b.test. 1 IN A 10.0.0.2", web+" 1 IN SRV 0 1 8001 a.test.")
	w := d.watch(webQuery())
	pass(0)
	w.is(t, "resolved: 10.0.0.1:8001=a.test")
	return d, w
}

// Port and address change together: no answer has one of them alone, and none is empty.
func TestServiceMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := fleet(t)
		d.delay("b.test.", 700*time.Millisecond)
		d.set(web + " 1 IN SRV 0 1 8002 b.test.")
		pass(4 * time.Second)
		w.is(t, "resolved: 10.0.0.2:8002=b.test")
		if w.calls() != 2 {
			t.Errorf("told %v", w.answers)
		}
		if len(d.lookups) != 2 {
			t.Errorf("%d lookups are kept, want those of the service and its target", len(d.lookups))
		}
	})
}

// New records whose targets cannot be found do not take the place of those that can.
func TestServiceMovesNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := fleet(t)
		d.fail("b.test.", dns.RcodeServerFailure)
		d.set(web + " 1 IN SRV 0 1 8002 b.test.")
		pass(time.Hour)
		w.is(t, "dns_error: 10.0.0.1:8001=a.test")
		d.set("a.test. 1 IN A 10.0.0.9")
		pass(2 * time.Second)
		w.is(t, "dns_error: 10.0.0.9:8001=a.test") // kept fresh
		d.fail("b.test.", dns.RcodeSuccess)
		pass(time.Minute)
		w.is(t, "resolved: 10.0.0.2:8002=b.test")
	})
}

// They do when it is certain that the targets do not exist.
func TestServiceMovesToNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := fleet(t)
		d.set(web + " 1 IN SRV 0 1 8002 gone.test.")
		pass(2 * time.Second)
		w.is(t, "nxdomain: 10.0.0.1:8001=a.test")
		pass(10 * time.Second)
		w.is(t, "nxdomain:")
	})
}

func TestServiceEnds(t *testing.T) {
	f := func(name, want string, soon time.Duration, end func(*desk)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, w := fleet(t)
				end(d)
				pass(soon)
				w.is(t, want)
				d.fail(web, dns.RcodeSuccess)
				d.set(web + " 1 IN SRV 0 1 8001 a.test.")
				pass(30 * time.Second)
				w.is(t, "resolved: 10.0.0.1:8001=a.test")
			})
		})
	}
	f("by the root as target", "resolved:", 1500*time.Millisecond, func(d *desk) { d.set(web + " 1 IN SRV 0 0 0 .") })
	f("NXDOMAIN, once", "nxdomain: 10.0.0.1:8001=a.test", 1500*time.Millisecond, func(d *desk) { d.remove(web) })
	f("NXDOMAIN, three times", "nxdomain:", 7*time.Second, func(d *desk) { d.remove(web) })
	f("SERVFAIL", "dns_error: 10.0.0.1:8001=a.test", time.Hour, func(d *desk) { d.fail(web, dns.RcodeServerFailure) })
}

// A target that vanishes goes; one whose lookup fails stays.
func TestTargetsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := fleet(t)
		d.set(web+" 1 IN SRV 0 1 8001 a.test.", web+" 1 IN SRV 0 1 8002 b.test.")
		pass(2 * time.Second)
		const both = "resolved: 10.0.0.1:8001=a.test 10.0.0.2:8002=b.test"
		w.is(t, both)
		d.fail("b.test.", dns.RcodeServerFailure)
		pass(time.Minute)
		w.is(t, both)
		d.fail("b.test.", dns.RcodeSuccess)
		d.remove("b.test.")
		pass(time.Minute)
		w.is(t, "resolved: 10.0.0.1:8001=a.test")
		d.set("b.test. 1 IN A 10.0.0.2")
		pass(time.Minute)
		w.is(t, both)
	})
}

// A first answer waits for all targets, but not long for slow ones.
func TestFirstAnswerOfAService(t *testing.T) {
	f := func(delay, before time.Duration, calls int, first string) {
		t.Run(delay.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t)
				d.set("a.test. 60 IN A 10.0.0.1", "b.test. 60 IN A 10.0.0.2", web+" 60 IN SRV 0 1 80 a.test.", web+" 60 IN SRV 0 1 80 b.test.")
				d.delay("b.test.", delay)
				w := d.watch(webQuery())
				pass(before - time.Millisecond)
				w.is(t, "pending:")
				pass(2 * time.Millisecond)
				w.is(t, first)
				pass(10 * time.Second)
				w.is(t, "resolved: 10.0.0.1:80=a.test 10.0.0.2:80=b.test")
				if w.calls() != calls {
					t.Errorf("told %d times: %v", w.calls(), w.answers)
				}
			})
		})
	}
	f(500*time.Millisecond, 500*time.Millisecond, 1, "resolved: 10.0.0.1:80=a.test 10.0.0.2:80=b.test")
	f(1500*time.Millisecond, time.Second, 2, "resolved: 10.0.0.1:80=a.test")
}

func TestStoppedServiceLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := fleet(t)
		other := d.watch(webQuery())
		other.is(t, "resolved: 10.0.0.1:8001=a.test") // at once
		w.Stop()
		d.set("a.test. 1 IN A 10.0.0.7")
		pass(2 * time.Second)
		other.is(t, "resolved: 10.0.0.7:8001=a.test")
		other.Stop()
		if len(d.lookups) != 0 {
			t.Errorf("%d lookups are kept", len(d.lookups))
		}
		n := d.count(web, dns.TypeSRV)
		pass(time.Hour)
		if d.count(web, dns.TypeSRV) != n {
			t.Error("the service is still looked up")
		}
	})
}
