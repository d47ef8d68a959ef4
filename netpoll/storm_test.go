package netpoll_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"millrace/netpoll"
)

// Clients that reset at every stage leave nothing behind, and others are served meanwhile.
func TestResetStorm(t *testing.T) {
	r := newRig(t)
	a := &acceptor{accept: serveEcho}
	l := r.listen(a, loopback)
	good := connect(t, l.Addr())
	text := noise(300 << 10)
	for i := range 600 {
		c, err := net.DialTimeout("tcp", l.Addr().IP.String(), patience)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(patience))
		switch i % 4 {
		case 1:
			_, _ = c.Write(text[:100])
		case 2:
			_, _ = c.Write(text)
		case 3:
			_, _ = c.Write(text[:1000])
			_, _ = io.ReadFull(c, make([]byte, 500))
		}
		reset(c.(*net.TCPConn))
		if i%100 == 0 {
			ping(t, good)
		}
	}
	ping(t, good)
}

// Writers and readers of random rates, so that echoing pauses and resumes at random: no
// transfer hangs, none loses a byte, and those that are cut end.
func TestRandomTransfers(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	text := noise(1 << 20)
	var all sync.WaitGroup
	for i := range manyTransfers {
		all.Go(func() { transfer(t, l.Addr(), text, rand.New(rand.NewPCG(uint64(i), 7))) })
	}
	all.Wait()
}

func transfer(t *testing.T, addr netpoll.Addr, text []byte, r *rand.Rand) {
	c, err := net.DialTimeout("tcp", addr.IP.String(), patience)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * patience))
	text = text[:r.IntN(len(text))]
	cut := len(text) + 1 // read so much, then reset
	if r.IntN(4) == 0 {
		cut = r.IntN(len(text) + 1)
	}
	sizes := [2]int{1 << r.IntN(18), 1 << r.IntN(18)} // of a write, of a read

	var sending sync.WaitGroup
	sending.Go(func() {
		for rest := text; len(rest) > 0; runtime.Gosched() {
			n, err := c.Write(rest[:min(max(sizes[0], 100), len(rest))])
			if rest = rest[n:]; err != nil {
				return
			}
		}
		_ = c.(*net.TCPConn).CloseWrite()
	})
	var got bytes.Buffer
	for b := make([]byte, max(sizes[1], 100)); ; runtime.Gosched() {
		n, err := c.Read(b)
		got.Write(b[:n])
		if got.Len() >= cut {
			reset(c.(*net.TCPConn))
			break
		}
		if err != nil {
			if err != io.EOF || !bytes.Equal(got.Bytes(), text) {
				t.Errorf("got %d bytes of %d, %v", got.Len(), len(text), err)
			}
			break
		}
	}
	sending.Wait()
}
