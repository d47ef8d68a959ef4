package engine_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"millrace/engine"

	"github.com/miekg/dns"
)

// A nameserver answers over UDP on a port of 127.0.0.1.
type nameserver struct {
	address string
	mu      sync.Mutex
	records []dns.RR
	rcode   int      // instead of records
	silent  bool     // nothing is answered
	held    []func() // answers meanwhile
	asked   int
	first   chan struct{} // closed at the first query
}

// newNameserver starts a name server with records as in a zone file.
func newNameserver(t *testing.T, lines ...string) *nameserver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameserver{address: socket.LocalAddr().String(), first: make(chan struct{})}
	n.set(lines...)
	var serving sync.WaitGroup
	serving.Go(func() { n.serve(socket) })
	t.Cleanup(func() {
		_ = socket.Close()
		serving.Wait()
	})
	return n
}

func (n *nameserver) serve(socket net.PacketConn) {
	buffer := make([]byte, 4096)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		query := new(dns.Msg)
		if query.Unpack(buffer[:size]) != nil {
			continue
		}
		n.take(func() {
			if reply := n.reply(query); reply != nil {
				_, _ = socket.WriteTo(reply, from)
			}
		})
	}
}

// take has a query answered now, or later.
func (n *nameserver) take(answer func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked++; n.asked == 1 {
		close(n.first)
	}
	if n.silent {
		n.held = append(n.held, answer)
		return
	}
	answer()
}

// reply is the answer to a query. mu is held.
func (n *nameserver) reply(query *dns.Msg) []byte {
	reply := new(dns.Msg)
	reply.SetReply(query)
	q := query.Question[0]
	known := false
	for _, rr := range n.records {
		if h := rr.Header(); strings.EqualFold(h.Name, q.Name) {
			known = true
			if h.Rrtype == q.Qtype {
				reply.Answer = append(reply.Answer, rr)
			}
		}
	}
	switch {
	case n.rcode != 0:
		reply.Answer, reply.Rcode = nil, n.rcode
	case !known:
		reply.Rcode = dns.RcodeNameError
	}
	packed, err := reply.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// set replaces all records.
func (n *nameserver) set(lines ...string) {
	var records []dns.RR
	for _, line := range lines {
		rr, err := dns.NewRR(line)
		if err != nil {
			panic(err)
		}
		records = append(records, rr)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records = records
}

// fail has every query answered with this code, or with records again if it is 0.
func (n *nameserver) fail(rcode int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rcode = rcode
}

// silence has nothing answered, or all, also what came meanwhile.
func (n *nameserver) silence(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent = on
	for _, answer := range n.held {
		answer()
	}
	n.held = nil
}

// count is how many queries came.
func (n *nameserver) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// named is a setup with one upstream, whose names n resolves. cluster has more keys of the
// cluster, in flow style, as "keepalive: false".
func (n *nameserver) named(upstream string, cluster ...string) setup {
	more := ""
	for _, key := range cluster {
		more += ", " + key
	}
	return setup{routes: fmt.Sprintf("  - proxy: {circuit_breaker: false, algorithm: round_robin, upstreams: [{%s, dns_servers: [%q]}]%s}", upstream, n.address, more)}
}

// resolved are the endpoints of the first cluster.
func (p *proxy) resolved() []engine.EndpointView { return p.engine.Clusters()[0].Endpoints }

// settles waits until the endpoints are at exactly these addresses, in any order.
func (p *proxy) settles(want ...string) {
	p.t.Helper()
	slices.Sort(want)
	var got []string
	if !settles(func() bool {
		got = nil
		for _, ep := range p.resolved() {
			got = append(got, ep.Address)
		}
		slices.Sort(got)
		return slices.Equal(got, want)
	}) {
		p.t.Fatalf("endpoints at %q, want %q", got, want)
	}
}
