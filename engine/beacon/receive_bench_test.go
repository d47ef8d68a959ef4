package beacon

import (
	"net"
	"testing"
	"time"
)

func BenchmarkForged(b *testing.B) {
	r, _ := receiving(b, Settings{})
	datagram := said(b, "http://10.0.0.5:8080", start)
	datagram[len(datagram)-1] ^= 1
	b.ReportAllocs()
	for b.Loop() {
		r.receive(datagram, start)
	}
}

// The most that one forged datagram can cost.
func BenchmarkForgedLarge(b *testing.B) {
	r, _ := receiving(b, Settings{})
	datagram := make([]byte, maxDatagram)
	for i := range datagram {
		datagram[i] = 'x'
	}
	copy(datagram[maxDatagram-macDigits-len(macMark):], macMark)
	b.ReportAllocs()
	for b.Loop() {
		r.receive(datagram, start)
	}
}

func BenchmarkRenewal(b *testing.B) {
	r, _ := receiving(b, Settings{MaxSkew: time.Hour})
	key := keyOf(b, secret)
	says := Announcement{URL: "http://10.0.0.5:8080", Host: "h", TS: start.UnixMicro()}
	var datagram []byte
	b.ReportAllocs()
	for b.Loop() {
		says.TS++
		datagram = says.Append(datagram[:0], key)
		r.receive(datagram, time.UnixMicro(says.TS))
	}
}

// One datagram sent to and received from the kernel, and refused.
func BenchmarkForgedBySocket(b *testing.B) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	s := newUDPSocket(conn)
	defer s.Close()
	to, err := net.Dial("udp4", conn.LocalAddr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	r, _ := receiving(b, Settings{})
	datagram := said(b, "http://10.0.0.5:8080", start)
	datagram[len(datagram)-1] ^= 1
	in := make([]byte, maxDatagram+1)
	b.ReportAllocs()
	for b.Loop() {
		to.Write(datagram)
		n, _, err := s.read(in)
		if err != nil {
			b.Fatal(err)
		}
		r.receive(in[:n], start)
	}
}
