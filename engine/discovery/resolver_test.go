package discovery

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Over real sockets: a truncated answer of 200 addresses, from the second of two servers.
func TestResolverAsksServers(t *testing.T) {
	refuses := listen(t, func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 0, rcode(dns.RcodeRefused))) })
	b := listen(t, func(q *dns.Msg, tcp bool) [][]byte {
		switch {
		case q.Question[0].Qtype != dns.TypeA:
			return one(answer(q, 0))
		case !tcp:
			return one(answer(q, 5, truncated))
		}
		return one(answer(q, 200))
	})
	missing := filepath.Join(t.TempDir(), "missing")
	r := New(Options{ResolvConf: missing, Hosts: missing})
	defer r.Close()
	told := make(chan Answer, 10)
	r.Watch(Query{Name: "app.test", Port: 80, Servers: []netip.AddrPort{refuses.addr, b.addr}}, func(a Answer) { told <- a })
	select {
	case a := <-told:
		if a.Status != Resolved || len(a.Endpoints) != 200 {
			t.Errorf("answer %s", a.text())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no answer within 10 s")
	}
	udp, _ := refuses.came()
	if n, tcp := b.came(); udp < 2 || n < 2 || tcp < 1 {
		t.Errorf("%d queries to the first, %d over UDP and %d over TCP to the second; want 2, 2 and 1 or more", udp, n, tcp)
	}
}
