package discovery

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// servers answer as a letter says, by the last byte of their address: a, b, ...
// + an address, 0 NXDOMAIN, e SERVFAIL, r a referral, - nothing.
type servers struct {
	mu    sync.Mutex
	does  string
	asked string
}

func (s *servers) exchange(ctx context.Context, at netip.AddrPort, q question, _ bool) (*dns.Msg, error) {
	n := at.Addr().As4()[3]
	s.mu.Lock()
	s.asked += string(rune('a' + n))
	does := s.does[n]
	s.mu.Unlock()
	query := newQuery(q, false)
	reply := new(dns.Msg)
	change := func(*dns.Msg) {}
	count := 0
	switch does {
	case '+':
		count = 1
	case '0':
		change = rcode(dns.RcodeNameError)
	case 'e':
		change = rcode(dns.RcodeServerFailure)
	case 'r':
		change = func(m *dns.Msg) { m.RecursionAvailable = false }
	case '-':
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return reply, reply.Unpack(answer(query, count, change))
}

// sourcesOf are n servers.
func sourcesOf(n int) settings {
	s := standard()
	for i := range n {
		s.sources = append(s.sources, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 9, byte(i)}), port))
	}
	return s
}

// What servers do, who was asked for it in what order, and after how long there was what.
func TestAsk(t *testing.T) {
	f := func(does, asked, want string, after time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			c, s := newClient(), &servers{does: does}
			c.exchange = s.exchange
			settings := sourcesOf(len(does))
			begin := time.Now()
			reply, err := c.ask(t.Context(), appA, &settings)
			got := ""
			switch {
			case err != nil:
				_, got, _ = strings.Cut(err.Error(), ": ")
			default:
				got = dns.RcodeToString[reply.Rcode]
			}
			if s.asked != asked || got != want || time.Since(begin) != after {
				t.Errorf("%s: asked %s for %q after %v, want %s for %q after %v", does, s.asked, got, time.Since(begin), asked, want, after)
			}
		})
	}
	f("+", "a", "NOERROR", 0)
	f("+-", "a", "NOERROR", 0)
	f("0+", "a", "NXDOMAIN", 0) // an answer
	f("-+", "ab", "NOERROR", 2*time.Second)
	f("e+", "ab", "NOERROR", 0)
	f("r+", "ab", "NOERROR", 0)
	f("-e+", "abc", "NOERROR", 2*time.Second)
	f("e", "a", "SERVFAIL", 0) // says the same again
	f("r", "a", "a referral; the server does not resolve names", 0)
	f("-", "aa", "timeout", 4*time.Second)
	f("--", "abab", "timeout", 8*time.Second)
	f("-e", "aba", "timeout", 4*time.Second)
	f("", "", "", 0)
}

// A server that did not answer is asked after the others for a while.
func TestDeadServerIsAvoided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := newClient(), &servers{does: "-++"}
		c.exchange = s.exchange
		settings := sourcesOf(3)
		f := func(want string) {
			t.Helper()
			s.asked = ""
			if _, err := c.ask(t.Context(), appA, &settings); err != nil || s.asked != want {
				t.Errorf("asked %s, %v; want %s", s.asked, err, want)
			}
		}
		f("ab")
		f("b")
		s.does = "-e+"
		f("bc")
		s.does = "+-+" // b falls silent as well
		f("bc")
		f("c")
		s.does = "+--" // the last in good repute
		f("ca")
		s.does = "+++"
		f("a") // all are in bad repute but a, which answered
		time.Sleep(avoidance)
		s.does = "-++"
		f("ab")
		s.does = "+ee"
		f("bca")
		f("a") // in good repute again
	})
}

func TestRotation(t *testing.T) {
	c := newClient()
	s := sourcesOf(3)
	s.rotate = true
	first := map[netip.AddrPort]int{}
	for range 9 {
		order := c.order(&s)
		if len(order) != 3 {
			t.Fatalf("order %v", order)
		}
		first[order[0]]++
	}
	for _, at := range s.sources {
		if first[at] != 3 {
			t.Errorf("%v was the first %d times of 9", at, first[at])
		}
	}
}

// A server has so many queries at once; the others wait, and not for ever.
func TestQueriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient()
		var mu sync.Mutex
		var running, most, ended int
		c.exchange = func(ctx context.Context, _ netip.AddrPort, _ question, _ bool) (*dns.Msg, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			running--
			mu.Unlock()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s := sourcesOf(1)
		for range 100 {
			go func() {
				if _, err := c.ask(ctx, appA, &s); errors.Is(err, errTimeout) {
					mu.Lock()
					ended++
					mu.Unlock()
				}
			}()
		}
		pass(5 * time.Second)
		if most != mostAtOnce || ended != 100 {
			t.Errorf("%d queries at once, want %d; %d of 100 ended", most, mostAtOnce, ended)
		}
	})
}

func TestTCPByWill(t *testing.T) {
	b := listen(t, func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 1)) })
	s := standard()
	s.sources, s.tcp = []netip.AddrPort{b.addr}, true
	if _, err := newClient().ask(within(t, 5*time.Second), appA, &s); err != nil {
		t.Fatal(err)
	}
	if udp, tcp := b.came(); udp != 0 || tcp != 1 {
		t.Errorf("%d queries over UDP and %d over TCP", udp, tcp)
	}
}
