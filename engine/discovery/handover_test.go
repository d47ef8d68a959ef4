package discovery

import (
	"encoding/json"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// A successor serves what its predecessor knew, though no server answers it.
func TestHandover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := open(t)
		old.set("app.test. 60 IN A 10.0.0.1", "a.test. 60 IN A 10.0.0.2", web+" 60 IN SRV 0 1 8001 a.test.")
		servers := []netip.AddrPort{netip.MustParseAddrPort("10.9.9.9:53")}
		queries := []Query{app(), webQuery(), {Name: "app.test", Port: 81, Servers: servers}, {Name: "none.test"}}
		for _, q := range queries {
			old.watch(q)
		}
		pass(10 * time.Second)
		text, err := json.Marshal(old.Export())
		if err != nil {
			t.Fatal(err)
		}
		old.Close()

		var records []Record
		if err := json.Unmarshal(text, &records); err != nil || len(records) != 4 {
			t.Fatalf("%d records, %v: %s", len(records), err, text)
		}
		d := open(t)
		for _, name := range []string{"app.test.", "a.test.", web, "none.test."} {
			d.fail(name, dns.RcodeServerFailure)
		}
		d.Import(records)
		var watches []*heard
		for _, q := range queries {
			watches = append(watches, d.watch(q))
		}
		f := func(status string) {
			t.Helper()
			watches[0].is(t, status+": 10.0.0.1:80")
			watches[1].is(t, status+": 10.0.0.2:8001=a.test")
			watches[2].is(t, status+": 10.0.0.1:81")
		}
		f("resolved")
		watches[3].is(t, "pending:")
		if c := d.Cache(); c.Entries != 4 || c.TTLMin.Round(time.Millisecond) != 50*time.Second {
			t.Errorf("%+v", c)
		}
		pass(0)
		watches[0].is(t, "dns_error: 10.0.0.1:80") // looked up at once
		d.fail("app.test.", dns.RcodeSuccess)
		d.set("app.test. 60 IN A 10.0.0.7")
		pass(2 * time.Second)
		watches[0].is(t, "resolved: 10.0.0.7:80")
		watches[0].Stop()
		d.watch(app()).is(t, "pending:") // what was handed over is used once
	})
}

func TestImportLeavesNonsenseAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		unusable := []netip.Addr{netip.MustParseAddr("0.0.0.0")}
		d.Import([]Record{
			{Kind: "other", Name: "app.test", Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}},
			{Kind: "host", Name: "app.test", Addrs: unusable},
			{Kind: "host", Name: "app.test", Addrs: []netip.Addr{{}}},
			{Kind: "service", Name: "_http._tcp.app.test", Services: []Service{{Target: "a\r\nb", Port: 80}}},
			{Kind: "service", Name: "_http._tcp.app.test", Services: []Service{{Target: "a.test"}}},
		})
		d.watch(app()).is(t, "pending:")
		d.watch(webQuery()).is(t, "pending:")
	})
}

// What other servers said will do, however old it was, but not for ever.
func TestHandoverToOtherServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		for _, name := range []string{"app.test.", "a.test.", web} {
			d.fail(name, dns.RcodeServerFailure)
		}
		d.Import([]Record{
			{Kind: "host", Name: "app.test", Sources: "10.9.9.9:53", Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}},
			{Kind: "service", Name: "_http._tcp.app.test", Services: []Service{{Target: "a.test", Port: 8001}}},
			{Kind: "host", Name: "a.test.", Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.2")}},
		})
		service := webQuery()
		service.Servers = []netip.AddrPort{netip.MustParseAddrPort("10.9.9.8:53")}
		d.watch(service).is(t, "resolved: 10.0.0.2:8001=a.test")
		w := d.watch(app())
		w.is(t, good)
		w.Stop()
		pass(ceiling + time.Second)
		d.watch(app()).is(t, "pending:")
	})
}
