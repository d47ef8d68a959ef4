package beacon

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestNewAnnouncerRefuses(t *testing.T) {
	good := AnnouncerOptions{To: []string{"a:1"}, URL: "http://a", Secret: secret}
	if _, err := NewAnnouncer(good); err != nil {
		t.Fatal(err)
	}
	f := func(want string, spoil func(*AnnouncerOptions)) {
		t.Helper()
		o := good
		spoil(&o)
		if _, err := NewAnnouncer(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	f("nobody", func(o *AnnouncerOptions) { o.To = nil })
	f("no origin", func(o *AnnouncerOptions) { o.URL = "http://a/app" })
	f("secret", func(o *AnnouncerOptions) { o.Secret = "" })
	f("secret", func(o *AnnouncerOptions) { o.Secret = "fifteen bytes.." })
	f("shorter than 100ms", func(o *AnnouncerOptions) { o.Interval = 99 * time.Millisecond })
	f("shorter than 100ms", func(o *AnnouncerOptions) { o.Interval = -time.Second })
	for _, to := range []string{"", "a", "127.0.0.1", ":1", "a:", "a:0", "a:65536", "[::1]", "::1:5", "a b:1", "http://a", "1.2.3:1", "a:1/", "127.0.0.1:0"} {
		f("is not host:port", func(o *AnnouncerOptions) { o.To = []string{"b:2", to} })
	}
}

func TestSplitTarget(t *testing.T) {
	f := func(to, host string, port uint16) {
		t.Helper()
		gotHost, gotPort, err := splitTarget(to)
		if err != nil || gotHost != host || gotPort != port {
			t.Errorf("%q: %q, %d, %v, want %q, %d", to, gotHost, gotPort, err, host, port)
		}
	}
	f("Proxy.Example:5555", "proxy.example", 5555)
	f("127.0.0.1:1", "127.0.0.1", 1)
	f("[::1]:5555", "::1", 5555)
	f("[fe80::1%eth0]:5555", "fe80::1%eth0", 5555)
	f("udp://a:5555", "a", 5555)
}

func TestHostField(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		if got := hostField(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	f("app1.example.com", "app1.example.com")
	f("a=b", "a=b")
	f("a b", "(unknown)")
	f("a\n", "(unknown)")
	f("caf\xc3\xa9", "(unknown)")
	f(strings.Repeat("a", 256), "(unknown)")
	if name, err := os.Hostname(); err == nil {
		f("", hostField(name))
	}
}

// An announcer and receivers of this package, by real sockets.
func TestAnnouncerAndReceivers(t *testing.T) {
	var to []string
	var receivers []*Receiver
	for range 2 {
		r, _ := receiving(t, Settings{Timeout: time.Minute})
		running(t, r)
		to = append(to, bound(t, r).RemoteAddr().String())
		receivers = append(receivers, r)
	}
	closed, _ := receiving(t, Settings{})
	stop := running(t, closed)
	to = append(to, bound(t, closed).RemoteAddr().String(), "nowhere.invalid:5555")
	stop()

	a, err := NewAnnouncer(AnnouncerOptions{To: to, URL: "http://A/", Secret: secret, Interval: shortestInterval})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { a.Run(ctx) })
	for _, r := range receivers {
		eventually(t, "three announcements came", func() bool { return r.Counters().Accepted >= 3 })
		got := r.Records()
		if len(got) != 1 || got[0].URL != "http://a" || got[0].PID != int64(os.Getpid()) || got[0].Seq < 2 {
			t.Errorf("records %+v", got)
		}
		if n := r.Counters(); n.Datagrams() != n.Accepted {
			t.Errorf("dropped %v", n.Dropped)
		}
	}
	eventually(t, "the closed one is noticed", func() bool { return a.Counters()[2].Errors > 0 })
	cancel()
	running.Wait()
	n := a.Counters()
	if n[0].Address != to[0] || n[0].Announced < 3 || n[0].Errors != 0 || n[3].Announced != 0 {
		t.Errorf("counters %+v", n)
	}
	for i, r := range receivers {
		if sum := r.Counters(); sum.Accepted > n[i].Announced {
			t.Errorf("%d of %d announcements came", sum.Accepted, n[i].Announced)
		}
	}
}
