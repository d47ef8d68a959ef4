package discovery

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// library is a resolver of the Go library: addresses, or an error.
type library struct {
	addrs []string
	err   error
}

func TestLogical(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		var lib atomic.Pointer[library]
		d.finder.library = func(_ context.Context, network, host string) ([]netip.Addr, error) {
			if network != "ip" || host != "app.test" {
				t.Errorf("asked for %s %s", network, host)
			}
			l := lib.Load()
			var addrs []netip.Addr
			for _, a := range l.addrs {
				addrs = append(addrs, netip.MustParseAddr(a))
			}
			return addrs, l.err
		}
		lib.Store(&library{addrs: []string{"10.0.0.2", "::ffff:10.0.0.1", "0.0.0.0"}})
		w := d.watch(Query{Name: "app.test", Logical: true, Port: 80, Weight: 2})
		pass(0)
		f := func(want string, l library) {
			t.Helper()
			lib.Store(&l)
			pass(time.Minute)
			w.is(t, want)
		}
		w.is(t, "resolved: 10.0.0.2:80*2 10.0.0.1:80*2")
		f("resolved: 10.0.0.2:80*2 10.0.0.1:80*2", library{addrs: []string{"10.0.0.1", "10.0.0.2"}}) // stays
		f("resolved: 10.0.0.2:80*2 10.0.0.3:80*2 10.0.0.1:80*2", library{addrs: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}})
		f("dns_error: 10.0.0.2:80*2 10.0.0.3:80*2 10.0.0.1:80*2", library{err: errors.New("broken")})
		f("resolved: 10.0.0.9:80*2", library{addrs: []string{"10.0.0.9"}})
		f("nxdomain:", library{err: &net.DNSError{IsNotFound: true}})
		f("nxdomain:", library{addrs: []string{"0.0.0.0"}})
		if c := d.Cache(); c.Misses != 0 {
			t.Errorf("%d lookups of our own", c.Misses)
		}
	})
}

// The library itself answers for this machine.
func TestLibrary(t *testing.T) {
	r := New(Options{})
	defer r.Close()
	told := make(chan Answer, 10)
	r.Watch(Query{Name: "localhost", Logical: true, Port: 80}, func(a Answer) { told <- a })
	select {
	case a := <-told:
		if len(a.Endpoints) == 0 || !a.Endpoints[0].Addr.Addr().IsLoopback() {
			t.Errorf("localhost is %s", a.text())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no answer within 10 s")
	}
}
