package discovery

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

// places makes services of "priority weight addresses" each, called a, b, ...; the port is 80.
func places(specs ...string) []located {
	var all []located
	for i, spec := range specs {
		var s located
		var n int
		if _, err := fmt.Sscan(spec, &s.Priority, &s.Weight, &n); err != nil {
			panic(err)
		}
		s.Target, s.Port = string(rune('a'+i)), 80
		for k := range n {
			s.addrs = append(s.addrs, netip.AddrFrom4([4]byte{10, 0, byte(i), byte(k + 1)}))
		}
		all = append(all, s)
	}
	return all
}

// The weights of the endpoints, in order, separated by blanks; a bar between priorities.
func TestWeigh(t *testing.T) {
	f := func(weight int, want string, specs ...string) {
		t.Helper()
		var got []string
		last := -1
		for _, e := range weigh(places(specs...), &Query{Weight: weight}) {
			if last >= 0 && e.Priority != last {
				got = append(got, "|")
			}
			last = e.Priority
			got = append(got, itoa(e.Weight))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("weight %d of %q: %s, want %s", weight, specs, s, want)
		}
	}
	f(1, "")
	f(1, "3 1", "0 3 1", "0 1 1")
	f(2, "6 2", "0 3 1", "0 1 1")
	f(0, "3 1", "0 3 1", "0 1 1")
	f(1, "5 5 10", "0 10 2", "0 10 1")
	f(1, "1 1 2", "0 1 2", "0 1 1") // all alike larger, so that the halves are whole
	f(3, "3 3 6", "0 1 2", "0 1 1")
	f(1, "3 3 2 2 2", "0 1 2", "0 1 3")
	f(1, "1 1 | 7", "0 1 2", "1 7 1") // each priority for itself
	f(1, "1 1", "0 0 1", "0 0 1")
	f(7, "7 7", "0 0 1", "0 0 1")
	f(1, "1 1 2", "0 0 2", "0 0 1")
	f(1, "1 100", "0 0 1", "0 50 1")
	f(1, "1 100", "0 0 1", "0 1 1")
	f(1, "1 1 200", "0 0 1", "0 0 1", "0 5 1")
	f(1, "1 60000", "0 0 1", "0 60000 1")
	f(1, "1 1 200", "0 0 2", "0 1 1")
	f(1, "1 | 5", "0 0 1", "1 5 1")
	f(1000, "1000000 500000", "0 60000 1", "0 30000 1") // smaller, alike
	f(MaxWeight, "1000000 17", "0 60000 1", "0 0 1")
}

func TestTargetsTwice(t *testing.T) {
	f := func(want string, services ...Service) {
		t.Helper()
		var all []located
		for _, s := range services {
			all = append(all, located{s, []netip.Addr{netip.MustParseAddr("10.0.0.1")}})
		}
		got := Answer{Status: Resolved, Endpoints: weigh(all, &Query{Weight: 1})}.text()
		if got != want {
			t.Errorf("%v: %s, want %s", services, got, want)
		}
	}
	f("resolved: 10.0.0.1:80*5=a", Service{"a", 80, 0, 2}, Service{"a", 80, 0, 3})
	f("resolved: 10.0.0.1:80*2=a", Service{"a", 80, 0, 2}, Service{"a", 80, 1, 3})
	f("resolved: 10.0.0.1:80*2=a 10.0.0.1:81*3=a", Service{"a", 80, 0, 2}, Service{"a", 81, 0, 3})
	f("resolved: 10.0.0.1:80*65535=a", Service{"a", 80, 0, 65535}, Service{"a", 80, 0, 65535})
}

// Whatever the records are: weights are in range, addresses of a target have the same weight,
// and the shares of targets are those of the records as long as that can be told in whole
// numbers.
func TestWeighKeepsShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var specs []string
		for range 1 + rng.IntN(6) {
			specs = append(specs, fmt.Sprintf("0 %d %d", 1+rng.IntN(20), 1+rng.IntN(4)))
		}
		services := places(specs...)
		total := map[string]int{}
		own := map[string]int{}
		for _, e := range weigh(services, &Query{Weight: 1}) {
			if e.Weight < 1 || e.Weight > MaxWeight || own[e.Target] != 0 && own[e.Target] != e.Weight {
				t.Fatalf("%q: %+v", specs, e)
			}
			own[e.Target] = e.Weight
			total[e.Target] += e.Weight
		}
		for _, s := range services {
			if total[s.Target]*int(services[0].Weight) != total["a"]*int(s.Weight) {
				t.Fatalf("%q: shares %v", specs, total)
			}
		}
	}
}

func TestEndpointsAreBounded(t *testing.T) {
	var services []located
	for i := range 20 {
		s := located{Service: Service{Target: fmt.Sprintf("t%02d", i), Port: 80, Weight: 1}}
		for k := range 100 {
			s.addrs = append(s.addrs, netip.AddrFrom4([4]byte{10, 0, byte(i), byte(k)}))
		}
		services = append(services, s)
	}
	if n := len(weigh(services, &Query{Weight: 1})); n != mostEndpoints {
		t.Errorf("%d endpoints, want %d", n, mostEndpoints)
	}
}
