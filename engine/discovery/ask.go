package discovery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

const (
	mostAtOnce = 16               // queries to one server
	avoidance  = 30 * time.Second // of a server that did not answer
)

// A client asks name servers in turn. It is safe for concurrent use.
type client struct {
	exchange func(ctx context.Context, at netip.AddrPort, q question, tcp bool) (*dns.Msg, error)
	turn     atomic.Uint64 // for settings.rotate

	mu      sync.Mutex // guards these two; nothing is called with it held
	slots   map[netip.AddrPort]chan struct{}
	avoided map[netip.AddrPort]time.Time // until when
}

func newClient() *client {
	return &client{exchange: exchange, slots: map[netip.AddrPort]chan struct{}{}, avoided: map[netip.AddrPort]time.Time{}}
}

// ask returns the first reply that says what there is, or that there is nothing. A server
// that does not answer, or not to the point, is followed by the next one, and all of them are
// asked as often as the settings say. The error is that of the last.
func (c *client) ask(ctx context.Context, q question, s *settings) (*dns.Msg, error) {
	last := errors.New("no name server")
	var spoke []netip.AddrPort // and will not say anything else
	for range s.attempts {
		for _, at := range c.order(s) {
			if slices.Contains(spoke, at) {
				continue
			}
			reply, err := c.askOne(ctx, at, q, s)
			if err == nil {
				if err = fault(reply); err == nil {
					return reply, nil
				}
				spoke = append(spoke, at)
			}
			last = fmt.Errorf("%v: %w", at, err)
			if ctx.Err() != nil {
				return nil, last
			}
		}
	}
	return nil, last
}

// askOne waits for its turn at one server, then for its reply.
func (c *client) askOne(ctx context.Context, at netip.AddrPort, q question, s *settings) (*dns.Msg, error) {
	slot, last := c.slot(at), len(s.sources) == 1 || c.isAvoided(at)
	select {
	case slot <- struct{}{}:
		defer func() { <-slot }()
	case <-ctx.Done():
		return nil, errTimeout
	}
	if !last && c.isAvoided(at) {
		return nil, errTimeout // those before found it silent; others are asked first
	}
	patient, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	reply, err := c.exchange(patient, at, q, s.tcp)
	if err == nil {
		c.avoid(at, time.Time{})
		return reply, nil
	}
	if ctx.Err() == nil { // nobody but the server is to blame
		c.avoid(at, time.Now().Add(avoidance))
	}
	return nil, brief(err)
}

// slot returns the places at a server, of which one is taken by sending to it.
func (c *client) slot(at netip.AddrPort) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slots[at] == nil {
		c.slots[at] = make(chan struct{}, mostAtOnce)
	}
	return c.slots[at]
}

// avoid puts a server behind the others until then; the zero time ends that.
func (c *client) avoid(at netip.AddrPort, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.IsZero() {
		delete(c.avoided, at)
		return
	}
	c.avoided[at] = until
}

// isAvoided reports whether a server lately did not answer.
func (c *client) isAvoided(at netip.AddrPort) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.avoided[at].After(time.Now())
}

// order returns the servers in the order in which to ask them: as they are written, or turned
// round, and those that lately did not answer behind the others.
func (c *client) order(s *settings) []netip.AddrPort {
	turned := slices.Clone(s.sources)
	if n := uint64(len(turned)); s.rotate && n > 0 {
		first := c.turn.Add(1) % n
		turned = append(turned[first:], turned[:first]...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	slices.SortStableFunc(turned, func(a, b netip.AddrPort) int {
		return rank(c.avoided[a].After(now)) - rank(c.avoided[b].After(now))
	})
	return turned
}

func rank(avoided bool) int {
	if avoided {
		return 1
	}
	return 0
}

// fault says why a reply is of no use, or returns nil. Another server may do better.
func fault(reply *dns.Msg) error {
	switch {
	case reply.Rcode == dns.RcodeNameError:
		return nil
	case reply.Rcode != dns.RcodeSuccess:
		return errors.New(rcodeText(reply.Rcode))
	case len(reply.Answer) == 0 && !reply.Authoritative && !reply.RecursionAvailable && authority(reply) == nil:
		return errors.New("a referral; the server does not resolve names")
	}
	return nil
}

func rcodeText(rcode int) string {
	if text, ok := dns.RcodeToString[rcode]; ok {
		return text
	}
	return fmt.Sprintf("response code %d", rcode)
}

var errTimeout = errors.New("timeout")

// brief is err without the addresses of the socket, which nobody can find again.
func brief(err error) error {
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return errTimeout
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err
}
