package discovery

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

func TestSearch(t *testing.T) {
	f := func(name, resolvConf, host, want string, records ...string) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, resolvConf)
				d.set(records...)
				w := d.watch(Query{Name: host, Port: 80})
				pass(0)
				w.is(t, want)
			})
		})
	}
	const two = "search x.test y.test"
	f("in the first domain", two, "app", "resolved: 10.0.0.1:80", "app.x.test. 60 IN A 10.0.0.1", "app.y.test. 60 IN A 10.0.0.2")
	f("in the second", two, "app", "resolved: 10.0.0.2:80", "app.y.test. 60 IN A 10.0.0.2")
	f("past one without address", two, "app", "resolved: 10.0.0.2:80", "app.x.test.", "app.y.test. 60 IN A 10.0.0.2")
	f("as it stands at last", two, "app", "resolved: 10.0.0.3:80", "app. 60 IN A 10.0.0.3")
	f("as it stands at first", two, "app.test", "resolved: 10.0.0.3:80", "app.test. 60 IN A 10.0.0.3", "app.test.x.test. 60 IN A 10.0.0.1")
	f("ndots", two+"\noptions ndots:2", "app.test", "resolved: 10.0.0.1:80", "app.test. 60 IN A 10.0.0.3", "app.test.x.test. 60 IN A 10.0.0.1")
	f("a final dot", two, "app.", "nxdomain:", "app.x.test. 60 IN A 10.0.0.1")
	f("nowhere", two, "app", "nxdomain:")
}

func TestServersOfAQueryHaveNoSearchList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, "search x.test")
		d.set("app.x.test. 60 IN A 10.0.0.1")
		w := d.watch(Query{Name: "app", Servers: []netip.AddrPort{netip.MustParseAddrPort("10.9.9.9:53")}})
		pass(0)
		w.is(t, "nxdomain:")
	})
}

// A domain that fails is passed over, but not the one that a name was found in: its outage does
// not send requests elsewhere.
func TestFailingDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, "search x.test y.test")
		d.fail("app.x.test.", dns.RcodeServerFailure)
		d.set("app.y.test. 1 IN A 10.0.0.2")
		w := d.watch(Query{Name: "app", Port: 80})
		pass(0)
		w.is(t, "resolved: 10.0.0.2:80")
		w.Stop()

		d.fail("app.x.test.", dns.RcodeSuccess)
		d.set("app.x.test. 1 IN A 10.0.0.1")
		w = d.watch(Query{Name: "app", Port: 80})
		pass(0)
		w.is(t, "resolved: 10.0.0.1:80")
		d.fail("app.x.test.", dns.RcodeServerFailure)
		pass(time.Hour)
		w.is(t, "dns_error: 10.0.0.1:80")
		w.Stop()

		w = d.watch(Query{Name: "app", Port: 80})
		pass(0)
		w.is(t, "resolved: 10.0.0.2:80")
		w.Stop()

		d.remove("app.y.test.")
		w = d.watch(Query{Name: "app", Port: 80})
		pass(0)
		w.is(t, "dns_error:") // not nxdomain: nobody knows
	})
}

// A name that was found in one domain is not looked for in the next until it is certain that it
// has gone.
func TestNameMovesToAnotherDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, "search x.test y.test")
		d.set("app.x.test. 1 IN A 10.0.0.1", "app.y.test. 1 IN A 10.0.0.2")
		w := d.watch(Query{Name: "app", Port: 80})
		pass(0)
		d.remove("app.x.test.")
		pass(2 * time.Second) // once or twice
		w.is(t, "nxdomain: 10.0.0.1:80")
		d.set("app.x.test. 1 IN A 10.0.0.1")
		pass(5 * time.Second)
		w.is(t, "resolved: 10.0.0.1:80")
		d.remove("app.x.test.")
		pass(15 * time.Second)
		w.is(t, "resolved: 10.0.0.2:80")
	})
}
