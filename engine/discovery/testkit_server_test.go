package discovery

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A script is what a name server of a test answers to one query: messages, none to be silent.
// tcp tells how the query came.
type script func(query *dns.Msg, tcp bool) [][]byte

// A loopback is a name server on one port of 127.0.0.1, UDP and TCP.
type loopback struct {
	addr netip.AddrPort
	mu   sync.Mutex
	udp  []*dns.Msg // queries
	tcp  []*dns.Msg
}

func listen(t *testing.T, s script) *loopback {
	t.Helper()
	for range 50 {
		u, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", u.LocalAddr().String())
		if err != nil {
			u.Close()
			continue
		}
		b := &loopback{addr: netip.MustParseAddrPort(u.LocalAddr().String())}
		t.Cleanup(func() { u.Close(); l.Close() })
		go b.serveUDP(u, s)
		go b.serveTCP(l, s)
		return b
	}
	t.Fatal("no port is free for both UDP and TCP")
	return nil
}

func (b *loopback) serveUDP(u net.PacketConn, s script) {
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
		b.mu.Lock()
		b.udp = append(b.udp, query)
		b.mu.Unlock()
		for _, reply := range s(query, false) {
			_, _ = u.WriteTo(reply, from)
		}
	}
}

func (b *loopback) serveTCP(l net.Listener, s script) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(10 * time.Second))
			var size [2]byte
			if _, err := io.ReadFull(c, size[:]); err != nil {
				return
			}
			packed := make([]byte, binary.BigEndian.Uint16(size[:]))
			query := new(dns.Msg)
			if _, err := io.ReadFull(c, packed); err != nil || query.Unpack(packed) != nil {
				return
			}
			b.mu.Lock()
			b.tcp = append(b.tcp, query)
			b.mu.Unlock()
			replies := s(query, true)
			for _, reply := range replies {
				_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
			}
			if len(replies) == 0 {
				_, _ = io.Copy(io.Discard, c) // silent until the other side has enough
			}
		}()
	}
}

// came is how many queries came over UDP and over TCP.
func (b *loopback) came() (udp, tcp int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.udp), len(b.tcp)
}

// answer is the good reply to a query, changed as wanted: n addresses 10.0.0.1 and so on.
func answer(query *dns.Msg, n int, change ...func(*dns.Msg)) []byte {
	reply := new(dns.Msg)
	reply.SetReply(query)
	reply.RecursionAvailable = true
	a := netip.MustParseAddr("10.0.0.1")
	for range n {
		reply.Answer = append(reply.Answer, &dns.A{
			Hdr: dns.RR_Header{Name: query.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: a.AsSlice(),
		})
		a = a.Next()
	}
	for _, c := range change {
		c(reply)
	}
	packed, err := reply.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

// within is a context that ends so long from now, or with the test.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
