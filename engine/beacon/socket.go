package beacon

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// A socket is where a receiver reads. Its read returns the length of one datagram, cut at
// that of the buffer, and how many the kernel had no room for since the socket was made.
type socket interface {
	read(b []byte) (n int, lost uint32, err error)
	SetReadDeadline(time.Time) error
	Close() error
}

// An opener opens the socket of a receiver.
type opener func(context.Context) (s socket, err error)

// queueBytes is what is asked for as the receive queue. The kernel may give less.
const queueBytes = 1 << 20

// A udpSocket is a socket of the kernel.
type udpSocket struct {
	*net.UDPConn
	control []byte // for what comes beside a datagram
}

func newUDPSocket(conn *net.UDPConn) *udpSocket {
	_ = conn.SetReadBuffer(queueBytes) // a smaller one works as well
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(countLosses)
	}
	return &udpSocket{conn, make([]byte, controlSize)}
}

func (s *udpSocket) read(b []byte) (n int, lost uint32, err error) {
	n, controls, _, _, err := s.ReadMsgUDPAddrPort(b, s.control)
	return n, lossCount(s.control[:controls]), err
}

// openUDP binds the receiver's address.
func (r *Receiver) openUDP(ctx context.Context) (socket, error) {
	var config net.ListenConfig
	conn, err := config.ListenPacket(ctx, family(r.listen), r.listen)
	if err != nil {
		return nil, err
	}
	return newUDPSocket(r.use(conn.(*net.UDPConn))), nil
}

// family returns "udp4" for an IPv4 address, so that 0.0.0.0 does not mean IPv6 as well.
func family(hostPort string) string {
	if a, err := netip.ParseAddrPort(hostPort); err == nil && a.Addr().Is4() {
		return "udp4"
	}
	return "udp"
}
