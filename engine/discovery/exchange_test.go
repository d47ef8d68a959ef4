package discovery

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

var appA = question{"app.test.", dns.TypeA}

// one is a single message.
func one(b []byte) [][]byte { return [][]byte{b} }

func truncated(m *dns.Msg) { m.Truncated = true }

func rcode(code int) func(*dns.Msg) { return func(m *dns.Msg) { m.Rcode = code } }

// What a server may do, and what comes of it: so many addresses, or an error.
func TestExchange(t *testing.T) {
	const failed = -1
	f := func(name string, s script, want int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := listen(t, s)
			reply, err := exchange(within(t, 5*time.Second), b.addr, appA, false)
			switch {
			case want == failed && err == nil:
				t.Errorf("got %v, want an error", reply)
			case want != failed && err != nil:
				t.Errorf("error %v, want %d addresses", err, want)
			case want != failed && len(reply.Answer) != want:
				t.Errorf("got %v, want %d addresses", reply, want)
			}
		})
	}
	lie := func(change func(*dns.Msg)) script { // before the truth
		return func(q *dns.Msg, _ bool) [][]byte { return [][]byte{answer(q, 3, change), answer(q, 2)} }
	}
	f("plain", func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 2)) }, 2)
	f("twice", func(q *dns.Msg, _ bool) [][]byte { return [][]byte{answer(q, 2), answer(q, 2)} }, 2)
	f("other id", lie(func(m *dns.Msg) { m.Id++ }), 2)
	f("other name", lie(func(m *dns.Msg) { m.Question[0].Name = "evil.test." }), 2)
	f("other type", lie(func(m *dns.Msg) { m.Question[0].Qtype = dns.TypeAAAA }), 2)
	f("other class", lie(func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassCHAOS }), 2)
	f("no question", lie(func(m *dns.Msg) { m.Question = nil }), 2)
	f("two questions", lie(func(m *dns.Msg) { m.Question = append(m.Question, m.Question[0]) }), 2)
	f("a query", lie(func(m *dns.Msg) { m.Response = false }), 2)
	f("other opcode", lie(func(m *dns.Msg) { m.Opcode = dns.OpcodeNotify }), 2)
	f("short", func(q *dns.Msg, _ bool) [][]byte { return [][]byte{nil, {1}, answer(q, 2)[:11], answer(q, 2)} }, 2)
	f("case", func(q *dns.Msg, _ bool) [][]byte {
		return one(answer(q, 2, func(m *dns.Msg) { m.Question[0].Name = "APP.test." }))
	}, 2)
	f("cut off", func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 2)[:40]) }, failed)
	f("a pointer to itself", func(q *dns.Msg, _ bool) [][]byte { return one(loop(answer(q, 1))) }, failed)
	f("60 addresses", func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 60)) }, 60)
	f("error without question", func(q *dns.Msg, _ bool) [][]byte {
		return one(answer(q, 0, rcode(dns.RcodeServerFailure), func(m *dns.Msg) { m.Question = nil }))
	}, 0)

	f("truncated", func(q *dns.Msg, tcp bool) [][]byte {
		if !tcp {
			return one(answer(q, 1, truncated))
		}
		return one(answer(q, 200))
	}, 200)
	f("truncated in a record", func(q *dns.Msg, tcp bool) [][]byte {
		if b := answer(q, 200); tcp {
			return one(b)
		}
		b := answer(q, 20, truncated)
		return one(b[:len(b)-7])
	}, 200)
	f("truncated, of another question", func(q *dns.Msg, tcp bool) [][]byte {
		if tcp {
			return one(answer(q, 200))
		}
		return [][]byte{answer(q, 0, truncated, func(m *dns.Msg) { m.Question[0].Name = "evil.test." }), answer(q, 2)}
	}, 2)
	f("truncated over TCP", func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 1, truncated)) }, failed)
	f("other id over TCP", func(q *dns.Msg, tcp bool) [][]byte {
		if !tcp {
			return one(answer(q, 0, truncated))
		}
		return one(answer(q, 2, func(m *dns.Msg) { m.Id++ }))
	}, failed)
	f("no bytes over TCP", func(q *dns.Msg, tcp bool) [][]byte {
		if !tcp {
			return one(answer(q, 0, truncated))
		}
		return [][]byte{{}}
	}, failed)
	f("no EDNS, by the code", func(q *dns.Msg, _ bool) [][]byte {
		if q.IsEdns0() != nil {
			return one(answer(q, 0, rcode(dns.RcodeFormatError), func(m *dns.Msg) { m.Question = nil }))
		}
		return one(answer(q, 2))
	}, 2)
	f("no EDNS, not implemented", func(q *dns.Msg, _ bool) [][]byte {
		if q.IsEdns0() != nil {
			return one(answer(q, 0, rcode(dns.RcodeNotImplemented)))
		}
		return one(answer(q, 2))
	}, 2)
}

// loop makes the name of the record in b a pointer to itself.
func loop(b []byte) []byte {
	at := 12 + len("\x03app\x04test\x00") + 4
	binary.BigEndian.PutUint16(b[at:], 0xc000|uint16(at))
	return b
}

func TestQueries(t *testing.T) {
	b := listen(t, func(q *dns.Msg, _ bool) [][]byte { return one(answer(q, 1)) })
	ids := map[uint16]bool{}
	for range 20 {
		if _, err := exchange(within(t, 5*time.Second), b.addr, appA, false); err != nil {
			t.Fatal(err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.udp {
		ids[q.Id] = true
		edns := q.IsEdns0()
		if edns == nil || edns.UDPSize() != ednsSize || !q.RecursionDesired || len(q.Question) != 1 {
			t.Errorf("query %v", q)
		}
	}
	if len(ids) < 15 {
		t.Errorf("20 queries had %d ids", len(ids))
	}
}

// Each query has a port of its own, and no other source is heard on it.
func TestOnlyTheServerIsHeard(t *testing.T) {
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	evil, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	var mu sync.Mutex
	ports := map[string]bool{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, from, err := u.ReadFrom(buffer)
			if err != nil {
				return
			}
			query := new(dns.Msg)
			if query.Unpack(buffer[:n]) != nil {
				continue
			}
			mu.Lock()
			ports[from.String()] = true
			mu.Unlock()
			_, _ = evil.WriteTo(answer(query, 3), from)
			time.Sleep(time.Millisecond)
			_, _ = u.WriteTo(answer(query, 2), from)
		}
	}()
	at := netip.MustParseAddrPort(u.LocalAddr().String())
	for range 5 {
		reply, err := exchange(within(t, 5*time.Second), at, appA, false)
		if err != nil || len(reply.Answer) != 2 {
			t.Fatalf("%v, %v", reply, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(ports) < 2 {
		t.Errorf("queries came from %d ports", len(ports))
	}
}

// Nobody is waited for longer than the context says, however it ends.
func TestExchangeEndsWithItsContext(t *testing.T) {
	silent := listen(t, func(*dns.Msg, bool) [][]byte { return nil })
	stalled := listen(t, func(q *dns.Msg, tcp bool) [][]byte {
		if tcp {
			return nil
		}
		return one(answer(q, 0, truncated))
	})
	for name, at := range map[string]netip.AddrPort{"silent": silent.addr, "stalled over TCP": stalled.addr} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := exchange(within(t, 50*time.Millisecond), at, appA, false)
			if brief(err) != errTimeout {
				t.Errorf("error %v, want a timeout", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			if _, err := exchange(ctx, at, appA, false); err == nil {
				t.Error("no error though it was cut off")
			}
		})
	}
}

func TestRefusedPort(t *testing.T) {
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(u.LocalAddr().String())
	u.Close()
	begin := time.Now()
	_, err = exchange(within(t, 10*time.Second), at, appA, false)
	if err == nil || time.Since(begin) > 5*time.Second {
		t.Errorf("error %v after %v, want one at once", err, time.Since(begin))
	}
}

// A truncated message is not read behind its question, so that nothing is.
func TestTruncatedMessageHasNoRecords(t *testing.T) {
	query := newQuery(appA, true)
	b := answer(query, 3, truncated)
	before := bytes.Clone(b)
	reply, err := readReply(query, b)
	if err != nil || !reply.Truncated || len(reply.Answer) != 0 || !slices.Equal(b, before) {
		t.Errorf("%v, %v", reply, err)
	}
}

func FuzzReply(f *testing.F) {
	query := newQuery(appA, true)
	query.Id = 0x1234
	f.Add(answer(query, 3))
	f.Add(answer(query, 3, truncated)[:50])
	f.Add(loop(answer(query, 1)))
	alias := answer(query, 0, func(m *dns.Msg) {
		m.Answer = []dns.RR{&dns.CNAME{Hdr: dns.RR_Header{Name: "app.test.", Rrtype: dns.TypeCNAME, Class: dns.ClassINET}, Target: "app.test."}}
	})
	f.Add(alias)
	srv := newQuery(question{web, dns.TypeSRV}, false)
	srv.Id = 0x1234
	f.Add(answer(srv, 0, func(m *dns.Msg) {
		m.Answer = []dns.RR{&dns.SRV{Hdr: dns.RR_Header{Name: web, Rrtype: dns.TypeSRV, Class: dns.ClassINET}, Target: "a.test.", Port: 1}}
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, q := range []*dns.Msg{query, srv} {
			reply, err := readReply(q, b)
			if err != nil {
				if reply != nil {
					t.Errorf("both %v and %v", reply, err)
				}
				continue
			}
			asked := q.Question[0]
			trail, err := follow(reply.Answer, asked.Name, asked.Qtype, mostAliases)
			if err != nil && !errors.Is(err, errAliases) {
				t.Error(err)
			}
			for _, a := range addressesIn(trail.records) {
				if !usable(a) {
					t.Errorf("address %v", a)
				}
			}
			for _, s := range servicesIn(trail.records) {
				if !isName(s.Target) || s.Port == 0 {
					t.Errorf("service %+v", s)
				}
			}
			absence(reply)
			_ = fault(reply)
		}
	})
}
