package discovery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// records reads the lines of a zone file.
func records(lines ...string) []dns.RR {
	var all []dns.RR
	for _, l := range lines {
		rr, err := dns.NewRR(l)
		if err != nil {
			panic(err)
		}
		all = append(all, rr)
	}
	return all
}

// Answers to app.test A, and what is read: the last name, TTL, addresses.
func TestFollow(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		got := ""
		if trail, err := follow(records(lines...), "App.test.", dns.TypeA, mostAliases); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(trail.end, " ", trail.ttl, " ", addressesIn(trail.records))
		}
		if got != want {
			t.Errorf("%q: %s, want %s", lines, got, want)
		}
	}
	f("app.test. 4294967295 []")
	f("app.test. 60 [10.0.0.1]", "app.test. 60 A 10.0.0.1")
	f("app.test. 5 [10.0.0.1 10.0.0.2]", "app.test. 60 A 10.0.0.2", "APP.TEST. 5 A 10.0.0.1")
	f("app.test. 60 [10.0.0.1]", "app.test. 60 A 10.0.0.1", "evil.test. 1 A 10.6.6.6", "app.test. 1 AAAA ::1", "app.test. 1 CH A 10.6.6.6")
	f("b.test. 7 [10.0.0.1]", "b.test. 60 A 10.0.0.1", "a.test. 7 CNAME B.test.", "app.test. 300 CNAME a.test.") // in any order
	f("a.test. 7 []", "app.test. 7 CNAME a.test.")
	f("too many aliases, or a loop of them", "app.test. 7 CNAME app.test.")
	f("too many aliases, or a loop of them", "app.test. 7 CNAME a.test.", "a.test. 7 CNAME app.test.")
	f("app.test. 0 [10.0.0.1]", "app.test. 2147483648 A 10.0.0.1")
	f("app.test. 2147483647 [10.0.0.1]", "app.test. 2147483647 A 10.0.0.1")
}

func TestServicesIn(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		for i, l := range lines {
			lines[i] = web + " 60 SRV " + l
		}
		if got := fmt.Sprint(servicesIn(records(lines...))); got != want {
			t.Errorf("%q: %s, want %s", lines, got, want)
		}
	}
	f("[]")
	f("[]", "0 0 0 .")
	f("[{a.test 80 0 1}]", "0 1 80 A.Test.")
	f("[{a.test 80 0 1}]", "0 1 80 a.test.", "0 1 80 a.test.")
	f("[{b.test 80 1 1} {a.test 80 2 1} {a.test 81 2 0} {a.test 81 2 9}]", "2 9 81 a.test.", "2 1 80 a.test.", "1 1 80 b.test.", "2 0 81 a.test.")
	f("[]", "0 1 0 a.test.", `0 1 80 a\032b.test.`, `0 1 80 a\.b.test.`, `0 1 80 \226.test.`)
}

func TestAbsence(t *testing.T) {
	f := func(want time.Duration, lines ...string) {
		t.Helper()
		if got := absence(&dns.Msg{Ns: records(lines...)}); got != want {
			t.Errorf("%s: %v, want %v", strings.Join(lines, "; "), got, want)
		}
	}
	f(0)
	f(0, "test. 60 NS ns.test.")
	f(5*time.Second, "test. 60 SOA ns.test. root.test. 1 2 3 4 5")
	f(60*time.Second, "test. 60 SOA ns.test. root.test. 1 2 3 4 500")
	f(0, "test. 4294967295 SOA ns.test. root.test. 1 2 3 4 500")
}
