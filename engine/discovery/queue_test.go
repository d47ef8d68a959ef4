package discovery

import (
	"context"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// A server that is silent holds nobody up for longer than its own patience, however many
// queries wait for their turn at it.
func TestQueueAtASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, speaking := netip.MustParseAddrPort("10.0.0.1:53"), netip.MustParseAddrPort("10.0.0.2:53")
		c := newClient()
		c.exchange = func(ctx context.Context, at netip.AddrPort, _ question, _ bool) (*dns.Msg, error) {
			if at == silent {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &dns.Msg{MsgHdr: dns.MsgHdr{Response: true, RecursionAvailable: true}}, nil
		}
		s := standard()
		s.sources = []netip.AddrPort{silent, speaking}
		began := time.Now()
		var all sync.WaitGroup
		for range 10 * mostAtOnce {
			all.Go(func() {
				_, err := c.ask(t.Context(), question{name: "app.test.", qtype: dns.TypeA}, &s)
				if err != nil || time.Since(began) > s.timeout {
					t.Errorf("%v after %v, want a reply within %v", err, time.Since(began), s.timeout)
				}
			})
		}
		all.Wait()
	})
}

// The only server is asked all the same, once those before have waited in vain.
func TestQueueAtTheOnlyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient()
		var mu sync.Mutex
		asked := 0
		c.exchange = func(ctx context.Context, _ netip.AddrPort, _ question, _ bool) (*dns.Msg, error) {
			mu.Lock()
			asked++
			lost := asked <= mostAtOnce
			mu.Unlock()
			if lost {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &dns.Msg{MsgHdr: dns.MsgHdr{Response: true, RecursionAvailable: true}}, nil
		}
		s := standard()
		s.sources = []netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:53")}
		var all sync.WaitGroup
		for range 4 * mostAtOnce {
			all.Go(func() {
				if _, err := c.ask(t.Context(), question{name: "app.test.", qtype: dns.TypeA}, &s); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}
