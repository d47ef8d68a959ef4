package discovery

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	ednsSize = 1232 // bytes of a reply over UDP that no network cuts into fragments
	udpSize  = 4096 // bytes that are read of one
)

// A question is a name, with its final dot, and a type of records.
type question struct {
	name  string
	qtype uint16
}

// newQuery makes the message of a question, with an id that cannot be guessed: the runtime's
// random numbers are a ChaCha8 stream.
func newQuery(q question, edns bool) *dns.Msg {
	m := new(dns.Msg)
	m.Id = uint16(rand.Uint32())
	m.RecursionDesired = true
	m.Question = []dns.Question{{Name: q.name, Qtype: q.qtype, Qclass: dns.ClassINET}}
	if edns {
		m.SetEdns0(ednsSize, false)
	}
	return m
}

// exchange asks one server and returns its reply, whatever that says, but never one that is
// truncated. It takes as long as ctx lets it.
func exchange(ctx context.Context, at netip.AddrPort, q question, tcp bool) (*dns.Msg, error) {
	reply, err := carry(ctx, at, newQuery(q, true), tcp)
	if err == nil && knowsNoEDNS(reply) {
		return carry(ctx, at, newQuery(q, false), tcp)
	}
	return reply, err
}

// knowsNoEDNS reports whether a server refuses queries because of their EDNS: RFC 6891, 7.
func knowsNoEDNS(reply *dns.Msg) bool {
	return reply.Rcode == dns.RcodeFormatError || reply.Rcode == dns.RcodeNotImplemented || reply.Rcode == dns.RcodeBadVers
}

func carry(ctx context.Context, at netip.AddrPort, query *dns.Msg, tcp bool) (*dns.Msg, error) {
	if !tcp {
		reply, err := overUDP(ctx, at, query)
		if err != nil || !reply.Truncated {
			return reply, err
		}
	}
	reply, err := overTCP(ctx, at, query)
	if err == nil && reply.Truncated {
		return nil, errors.New("truncated over TCP")
	}
	return reply, err
}

func overUDP(ctx context.Context, at netip.AddrPort, query *dns.Msg) (*dns.Msg, error) {
	packed, err := query.Pack()
	if err != nil {
		return nil, err
	}
	conn, release, err := dial(ctx, "udp", at)
	if err != nil {
		return nil, err
	}
	defer release()
	if _, err := conn.Write(packed); err != nil {
		return nil, err
	}
	b := make([]byte, udpSize)
	for {
		n, err := conn.Read(b)
		if err != nil {
			return nil, err
		}
		// A stray or forged datagram does not end the wait for the true one.
		if reply, err := readReply(query, b[:n]); err != errForeign {
			return reply, err
		}
	}
}

func overTCP(ctx context.Context, at netip.AddrPort, query *dns.Msg) (*dns.Msg, error) {
	packed, err := query.Pack()
	if err != nil {
		return nil, err
	}
	conn, release, err := dial(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	defer release()
	framed := binary.BigEndian.AppendUint16(nil, uint16(len(packed)))
	if _, err := conn.Write(append(framed, packed...)); err != nil {
		return nil, err
	}
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, b); err != nil {
		return nil, err
	}
	return readReply(query, b)
}

// dial opens a socket of its own port to one address only. It is cut off when ctx ends.
func dial(ctx context.Context, network string, at netip.AddrPort) (conn net.Conn, release func(), err error) {
	var d net.Dialer
	conn, err = d.DialContext(ctx, network, at.String())
	if err != nil {
		return nil, nil, err
	}
	past := time.Unix(1, 0)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	return conn, func() {
		stop()
		conn.Close()
	}, nil
}

// errForeign is what a message is that does not answer the query.
var errForeign = errors.New("not a reply to the query")

// readReply returns the message in b if it is the reply to the query.
func readReply(query *dns.Msg, b []byte) (*dns.Msg, error) {
	const (
		headSize  = 12
		truncated = 0x02 // in the third byte
	)
	if len(b) < headSize || binary.BigEndian.Uint16(b) != query.Id {
		return nil, errForeign
	}
	reply := new(dns.Msg)
	if b[2]&truncated != 0 {
		// Its records may end anywhere, and are not used.
		b = append([]byte(nil), b...)
		clear(b[6:headSize])
	}
	err := reply.Unpack(b)
	switch {
	case !reply.Response || reply.Opcode != dns.OpcodeQuery || !sameQuestion(query, reply):
		return nil, errForeign
	case err != nil:
		return nil, errors.New("malformed reply")
	}
	return reply, nil
}

// sameQuestion reports whether both ask the same. A server that could not read the question
// may leave it away, with an error.
func sameQuestion(query, reply *dns.Msg) bool {
	if len(reply.Question) == 0 {
		return reply.Rcode != dns.RcodeSuccess && reply.Rcode != dns.RcodeNameError
	}
	asked, told := query.Question[0], reply.Question[0]
	return len(reply.Question) == 1 && told.Qtype == asked.Qtype && told.Qclass == asked.Qclass &&
		strings.EqualFold(told.Name, asked.Name)
}
