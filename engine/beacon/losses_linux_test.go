package beacon

import (
	"encoding/binary"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestLossesAreTold(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s := newUDPSocket(conn)
	defer s.Close()
	conn.SetReadBuffer(4096) // a few datagrams
	to, err := net.Dial("udp", conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	const sent = 100
	for range sent {
		send(t, to, make([]byte, 1000))
	}
	b := make([]byte, maxDatagram+1)
	received, told := 0, uint32(0)
	for {
		conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		_, lost, err := s.read(b)
		if err != nil {
			break
		}
		if received++; lost != 0 {
			t.Errorf("%d lost before the queue was full", lost)
		}
	}
	send(t, to, []byte("one more"))
	conn.SetReadDeadline(time.Now().Add(limit))
	if _, told, err = s.read(b); err != nil {
		t.Fatal(err)
	}
	if received == sent || int(told) != sent-received {
		t.Errorf("%d of %d came, %d are said to be lost", received, sent, told)
	}
}

func TestLossCount(t *testing.T) {
	message := func(level, kind int32, value ...byte) []byte {
		b := make([]byte, syscall.CmsgSpace(len(value)))
		size := syscall.CmsgLen(len(value))
		if syscall.SizeofCmsghdr == 16 {
			binary.NativeEndian.PutUint64(b, uint64(size))
		} else {
			binary.NativeEndian.PutUint32(b, uint32(size))
		}
		binary.NativeEndian.PutUint32(b[syscall.SizeofCmsghdr-8:], uint32(level))
		binary.NativeEndian.PutUint32(b[syscall.SizeofCmsghdr-4:], uint32(kind))
		copy(b[syscall.CmsgLen(0):], value)
		return b
	}
	count := binary.NativeEndian.AppendUint32(nil, 77)
	ours := message(syscall.SOL_SOCKET, syscall.SO_RXQ_OVFL, count...)
	f := func(control []byte, want uint32) {
		t.Helper()
		if got := lossCount(control); got != want {
			t.Errorf("%v: %d, want %d", control, got, want)
		}
	}
	f(nil, 0)
	f(ours, 77)
	f(append(message(syscall.IPPROTO_IP, syscall.IP_TTL, 1, 0, 0, 0), ours...), 77)
	f(append(message(syscall.SOL_SOCKET, syscall.SO_TIMESTAMP, make([]byte, 16)...), ours...), 77)
	f(message(syscall.IPPROTO_IP, syscall.SO_RXQ_OVFL, count...), 0)
	f(message(syscall.SOL_SOCKET, syscall.SO_RXQ_OVFL), 0)
	f(ours[:syscall.CmsgLen(3)], 0)
	f(make([]byte, 64), 0)
	for n := range ours {
		lossCount(ours[:n]) // cut anywhere: no panic
	}
}
