package beacon

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeNetwork has names, and remembers what was sent where and when.
type fakeNetwork struct {
	mu     sync.Mutex
	names  map[string][]string      // a missing one cannot be looked up
	slow   map[string]time.Duration // of look-ups
	closed map[string]bool          // addresses where nobody listens
	rare   bool                     // only every other datagram to them comes back
	sent   []sending
	open   int // sockets
	begin  time.Time
}

type sending struct {
	at   time.Duration
	to   string
	says Announcement
}

type fakeConn struct {
	net     *fakeNetwork
	to      string
	refused bool // the datagram before came back
	odd     bool
}

func newFakeNetwork() *fakeNetwork {
	return &fakeNetwork{names: map[string][]string{}, slow: map[string]time.Duration{}, closed: map[string]bool{}, begin: time.Now()}
}

func (n *fakeNetwork) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	texts, ok := n.names[host]
	slow := n.slow[host]
	n.mu.Unlock()
	if pause(ctx, slow); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host}
	}
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

func (n *fakeNetwork) dial(_ context.Context, at netip.AddrPort) (conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.Addr().Is6() {
		return nil, syscall.ENETUNREACH
	}
	n.open++
	return &fakeConn{net: n, to: at.String()}, nil
}

func (c *fakeConn) SetWriteDeadline(time.Time) error { return nil }

func (c *fakeConn) Write(b []byte) (int, error) {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	if c.refused {
		c.refused = false
		return 0, &net.OpError{Op: "write", Err: syscall.ECONNREFUSED}
	}
	if c.net.closed[c.to] {
		c.odd = !c.odd
		c.refused = c.odd || !c.net.rare
		return len(b), nil
	}
	key, _ := secret.Key()
	f, why := open(b, &key)
	if why != accepted {
		return 0, errors.New(why.String())
	}
	c.net.sent = append(c.net.sent, sending{time.Since(c.net.begin), c.to, f.said()})
	return len(b), nil
}

func (c *fakeConn) Close() error {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	c.net.open--
	return nil
}

func (n *fakeNetwork) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// arrived returns what was sent since the last call.
func (n *fakeNetwork) arrived() []sending {
	n.mu.Lock()
	defer n.mu.Unlock()
	sent := n.sent
	n.sent = nil
	return sent
}

// announcing runs an announcer in the fake network until the test ends.
func announcing(t *testing.T, n *fakeNetwork, o AnnouncerOptions) (*Announcer, *logBook) {
	t.Helper()
	book := &logBook{}
	o.Secret, o.Log, o.Host = secret, book.logger(), "h"
	a, err := NewAnnouncer(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range a.targets {
		target.net = n
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { a.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if n.open != 0 {
			t.Errorf("%d sockets are left", n.open)
		}
	})
	return a, book
}

func TestAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		a, book := announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5"}, URL: "http://a", Interval: 10 * time.Second})
		time.Sleep(1000 * time.Second)
		sent := n.arrived()
		early := 0
		for i, s := range sent {
			if s.says.Seq != uint64(i) || s.says.URL != "http://a" || s.says.Host != "h" || s.to != "10.0.0.1:5" {
				t.Errorf("announcement %d is %+v", i, s)
			}
			if i == 0 {
				if s.at != 0 {
					t.Errorf("the first one comes after %v", s.at)
				}
				continue
			}
			switch gap := s.at - sent[i-1].at; {
			case gap <= 9*time.Second || gap > 10*time.Second:
				t.Errorf("%v between announcements %d and %d", gap, i-1, i)
			case gap < 9500*time.Millisecond:
				early++
			}
			if s.says.TS <= sent[i-1].says.TS {
				t.Errorf("ts does not rise: %+v", s)
			}
		}
		if len(sent) < 101 || len(sent) > 112 || early < 20 || early > 90 {
			t.Errorf("%d announcements, %d of them early by more than a twentieth", len(sent), early)
		}
		if c := a.Counters()[0]; c.Announced != uint64(len(sent)) || c.Errors != 0 {
			t.Errorf("counters %+v", c)
		}
		if log := book.take(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "level=INFO msg=\"beaconing to 10.0.0.1:5\"") {
			t.Errorf("log %s", log)
		}
	})
}

func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		_, book := announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5"}})
		time.Sleep(9 * time.Second)
		if sent := n.arrived(); len(sent) != 2 || sent[0].says.URL != "" {
			t.Errorf("got %+v", sent)
		}
		if log := book.take(); !strings.Contains(log, "heartbeats only") {
			t.Errorf("log %s", log)
		}
	})
}

// Two names may lead to one receiver, which has one mark for both.
func TestTimesRiseOverAllTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["p"] = []string{"10.0.0.1"}
		announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5", "p:5"}, URL: "http://a"})
		time.Sleep(time.Minute)
		seen := map[int64]bool{}
		for _, s := range n.arrived() {
			if seen[s.says.TS] {
				t.Errorf("ts %d is there twice", s.says.TS)
			}
			seen[s.says.TS] = true
		}
		if len(seen) < 24 {
			t.Errorf("%d announcements", len(seen))
		}
	})
}

func TestSlowNamesHoldUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["slow"] = []string{"10.0.0.2"}
		n.names["stuck"] = []string{"10.0.0.3"}
		n.slow["slow"], n.slow["stuck"] = 4*time.Second, time.Hour
		a, book := announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5", "slow:5", "stuck:5"}, URL: "http://a", Interval: time.Second})
		time.Sleep(10 * time.Minute)
		last := map[string]time.Duration{}
		for _, s := range n.arrived() {
			if gap := s.at - last[s.to]; gap > time.Second && last[s.to] != 0 {
				t.Errorf("%v without an announcement to %s", gap, s.to)
			}
			last[s.to] = s.at
		}
		if last["10.0.0.1:5"] < 599*time.Second || last["10.0.0.2:5"] < 599*time.Second || len(last) != 2 {
			t.Errorf("last announcements %v", last)
		}
		// 5 s each: at 0, 35, 100, 225, 470 s.
		if c := a.Counters()[2]; c.Announced != 0 || c.Errors != 5 {
			t.Errorf("counters %+v", c)
		}
		if log := book.take(); strings.Count(log, "level=ERROR msg=\"cannot resolve stuck:5\"") != 1 {
			t.Errorf("log %s", log)
		}
	})
}

func TestNamesAreLookedUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["p"] = []string{"10.0.0.1", "10.0.0.2"}
		announcing(t, n, AnnouncerOptions{To: []string{"p:5"}, URL: "http://a"})
		f := func(what, want string, change func()) {
			t.Helper()
			n.set(change)
			time.Sleep(31 * time.Second)
			n.arrived()
			time.Sleep(10 * time.Second)
			for _, s := range n.arrived() {
				if s.to != want {
					t.Errorf("%s: announced to %s, want %s", what, s.to, want)
				}
			}
		}
		f("the first address", "10.0.0.1:5", func() {})
		f("shuffled", "10.0.0.1:5", func() { n.names["p"] = []string{"10.0.0.2", "10.0.0.1"} })
		f("moved", "10.0.0.3:5", func() { n.names["p"] = []string{"10.0.0.3"} })
		f("gone", "10.0.0.3:5", func() { delete(n.names, "p") })
		f("no address", "10.0.0.3:5", func() { n.names["p"] = nil })
		f("no route to IPv6", "10.0.0.4:5", func() { n.names["p"] = []string{"2001:db8::1", "::ffff:10.0.0.4"} })
	})
}

func TestMovesAreAnnouncedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["p"] = []string{"10.0.0.1"}
		_, book := announcing(t, n, AnnouncerOptions{To: []string{"p:5"}, URL: "http://a", Interval: time.Hour})
		time.Sleep(time.Second)
		n.set(func() { n.names["p"] = []string{"10.0.0.2"} })
		time.Sleep(4*time.Hour + time.Second)
		sent := n.arrived()
		if last := sent[len(sent)-1]; last.to != "10.0.0.2:5" || last.at != 4*time.Hour {
			t.Errorf("got %+v", sent)
		}
		if log := book.take(); !strings.Contains(log, "address=10.0.0.2:5") {
			t.Errorf("log %s", log)
		}
	})
}

func TestClosedReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.closed["10.0.0.1:5"] = true
		a, book := announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5"}, URL: "http://a"})
		time.Sleep(10 * time.Minute)
		c := a.Counters()[0]
		if c.Errors < 90 || c.Announced < 120 {
			t.Errorf("counters %+v", c)
		}
		log := book.take()
		if strings.Count(log, "level=WARN msg=\"sendto 10.0.0.1:5 failed\"") != 1 || strings.Count(log, "\n") != 2 {
			t.Errorf("log %s", log)
		}
		n.set(func() { delete(n.closed, "10.0.0.1:5") })
		time.Sleep(5 * time.Second)
		if sent := n.arrived(); len(sent) == 0 {
			t.Error("what is refused costs the announcement after it")
		}
		time.Sleep(25 * time.Second)
		if log := book.take(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "beaconing to 10.0.0.1:5") {
			t.Errorf("log %s", log)
		}
	})
}

// Systems limit how many datagrams to a closed port come back.
func TestClosedReceiverThatAnswersRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.closed["10.0.0.1:5"], n.rare = true, true
		_, book := announcing(t, n, AnnouncerOptions{To: []string{"10.0.0.1:5"}, URL: "http://a", Interval: time.Second})
		time.Sleep(10 * time.Minute)
		if log := book.take(); strings.Count(log, "\n") != 2 {
			t.Errorf("log %s", log)
		}
	})
}

func TestClosedAddressIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["localhost"] = []string{"10.0.0.1", "10.0.0.2"}
		n.closed["10.0.0.1:5"] = true
		announcing(t, n, AnnouncerOptions{To: []string{"localhost:5"}, URL: "http://a"})
		time.Sleep(7 * time.Second) // refused at 5 s, moved a second later
		if sent := n.arrived(); len(sent) != 1 || sent[0].to != "10.0.0.2:5" {
			t.Errorf("got %+v", sent)
		}
		n.set(func() { delete(n.closed, "10.0.0.1:5") })
		time.Sleep(5 * time.Minute)
		for _, s := range n.arrived() {
			if s.to != "10.0.0.2:5" {
				t.Errorf("moved back: %+v", s)
			}
		}
	})
}

func TestBothAddressesClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork()
		n.names["p"] = []string{"10.0.0.1", "10.0.0.2"}
		n.closed["10.0.0.1:5"], n.closed["10.0.0.2:5"] = true, true
		_, book := announcing(t, n, AnnouncerOptions{To: []string{"p:5"}, URL: "http://a", Interval: time.Second})
		time.Sleep(10 * time.Minute)
		if log := book.take(); strings.Count(log, "\n") != 2 {
			t.Errorf("log %s", log)
		}
		n.set(func() { delete(n.closed, "10.0.0.2:5") })
		time.Sleep(20 * time.Second)
		n.arrived()
		time.Sleep(20 * time.Second)
		if sent := n.arrived(); len(sent) < 20 {
			t.Errorf("%d announcements in 20 s", len(sent))
		}
	})
}
