//go:build !race

package beacon

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"testing"
	"time"
)

// refusals are datagrams that anybody can send, and whoever has captured some.
func refusals(t testing.TB, now time.Time) map[string][]byte {
	forged := said(t, "http://a", now)
	forged[len(forged)-1] ^= 1
	captured := said(t, "http://a", now)
	return map[string][]byte{
		"forged":   forged,
		"large":    append(bytes.Repeat([]byte("x "), 1013), forged[len(forged)-21:]...),
		"oversize": make([]byte, maxDatagram+1),
		"NUL":      append(bytes.Clone(forged), 0),
		"text":     []byte("hello there"),
		"short":    forged[:len(forged)-1],
		"stale":    said(t, "http://a", now.Add(-time.Minute)),
		"replay":   captured,
	}
}

func TestRefusalsDoNotAlloc(t *testing.T) {
	r, _ := receiving(t, Settings{})
	r.log = slog.New(slog.DiscardHandler)
	for what, datagram := range refusals(t, start) {
		r.receive(said(t, "http://a", start), start)
		before := r.Counters()
		if n := testing.AllocsPerRun(100, func() { r.receive(datagram, start) }); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
		if r.Counters().Accepted != before.Accepted {
			t.Errorf("%s: accepted", what)
		}
	}
}

func TestReadingDoesNotAlloc(t *testing.T) {
	for _, family := range []string{"udp4", "udp6"} {
		addr := map[string]string{"udp4": "127.0.0.1:0", "udp6": "[::1]:0"}[family]
		listening, err := (&net.ListenConfig{}).ListenPacket(context.Background(), family, addr)
		if err != nil {
			t.Logf("%s: skipped: %v", family, err)
			continue
		}
		s := newUDPSocket(listening.(*net.UDPConn))
		defer s.Close()
		to, err := net.Dial(family, s.LocalAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		b, datagram := make([]byte, maxDatagram+1), []byte("x")
		s.SetReadDeadline(time.Now().Add(limit))
		if n := testing.AllocsPerRun(100, func() {
			to.Write(datagram)
			if _, _, err := s.read(b); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", family, n)
		}
	}
}
