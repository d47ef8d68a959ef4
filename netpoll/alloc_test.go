//go:build !race

package netpoll

import (
	"testing"

	"golang.org/x/sys/unix"
)

// sendBack is a handler that echoes.
type sendBack struct{ c *Conn }

func (h *sendBack) OnWritable() {}

func (h *sendBack) OnReadable() {
	b := h.c.loop.ReadBuffer()
	for {
		n, err := h.c.Read(b)
		if err != nil {
			return
		}
		_ = h.c.Write(b[:n])
	}
}

// echoed starts the loop of an echoing connection and returns what sends a message there
// and waits for it to come back.
func echoed(tb testing.TB, size int) func() {
	c, other := pairOf(tb)
	c.SetHandler(&sendBack{c})
	done := make(chan struct{})
	go func() {
		_ = c.loop.Run()
		close(done)
	}()
	tb.Cleanup(func() {
		c.loop.Stop()
		<-done
	})
	out, in := make([]byte, size), make([]byte, size)
	return func() {
		if n, err := unix.Write(other, out); n != size || err != nil {
			tb.Fatal(n, err)
		}
		for got := 0; got < size; {
			n, err := unix.Read(other, in[got:])
			if n <= 0 || err != nil {
				tb.Fatal(n, err)
			}
			got += n
		}
	}
}

func noAllocs(t *testing.T, what string, fn func()) {
	t.Helper()
	for range 3000 {
		fn()
	}
	if n := testing.AllocsPerRun(500, fn); n != 0 {
		t.Errorf("%s: %v allocations, want 0", what, n)
	}
}

func TestAllocEcho(t *testing.T) {
	noAllocs(t, "echo", echoed(t, 100))
}

func TestAllocConn(t *testing.T) {
	c, other := pairOf(t)
	b := make([]byte, 1000)
	noAllocs(t, "gathered write and read", func() {
		if err := c.Writev(b[:10], b, b[:10]); err != nil {
			t.Fatal(err)
		}
		if n, err := unix.Read(other, b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		if n, err := unix.Read(other, b); n != 20 || err != nil {
			t.Fatal(n, err)
		}
	})
	noAllocs(t, "asking whether it is alive", func() {
		if !c.Alive() || c.Reset() != nil || c.PeerFinished() {
			t.Fatal("the connection is not alive")
		}
	})
}

// A queue that fills and empties uses the loop's blocks.
func TestAllocQueue(t *testing.T) {
	c, other := pairOf(t)
	c.SetHandler(&sendBack{c})
	text, b := make([]byte, 400<<10), make([]byte, 400<<10)
	noAllocsFew(t, func() {
		if err := c.Write(text); err != nil {
			t.Fatal(err)
		}
		if c.Queued() == 0 || c.writable {
			t.Fatal("nothing is queued, or a full socket counts as writable")
		}
		for got := 0; got < len(text); {
			n, err := unix.Read(other, b)
			if n <= 0 || err != nil {
				t.Fatal(n, err)
			}
			got += n
			c.ready(writeReady)
		}
	})
}

func noAllocsFew(t *testing.T, fn func()) {
	t.Helper()
	if n := testing.AllocsPerRun(20, fn); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

type deaf struct{}

func (deaf) OnTimer(*Timer) {}
func (*deaf) RunLater()     {}

func TestAllocSetTimer(t *testing.T) {
	c, _ := pairOf(t)
	l := c.loop
	var h deaf
	var x, y Timer
	at := l.Now()
	noAllocs(t, "timers", func() {
		at += tick / 3
		l.SetTimer(&x, &h, at+100*tick)
		l.SetTimer(&x, &h, at+50*tick)
		l.SetTimer(&y, &h, at+90*tick)
		l.StopTimer(&x)
		l.DropTimer(&y)
	})
}

func TestAllocRunLater(t *testing.T) {
	c, _ := pairOf(t)
	l := c.loop
	var h deaf
	noAllocs(t, "RunLater", func() {
		l.RunLater(&h)
		l.RunLater(&h)
		l.turn.act()
	})
}

func BenchmarkEcho(b *testing.B) {
	round := echoed(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		round()
	}
}

// The usual life of a request's deadline: put off again and again.
func BenchmarkSetTimer(b *testing.B) {
	c, _ := pairOf(b)
	l := c.loop
	var h deaf
	var x Timer
	at := l.Now() + tick
	b.ReportAllocs()
	for b.Loop() {
		at++
		l.SetTimer(&x, &h, at)
	}
}

// A deadline that comes nearer has to be moved.
func BenchmarkSetTimerSooner(b *testing.B) {
	c, _ := pairOf(b)
	l := c.loop
	var h deaf
	var x Timer
	at := l.Now() + 1000*tick
	b.ReportAllocs()
	for b.Loop() {
		l.SetTimer(&x, &h, at)
		l.SetTimer(&x, &h, at-500*tick)
		l.DropTimer(&x)
	}
}

func BenchmarkRunLater(b *testing.B) {
	c, _ := pairOf(b)
	l := c.loop
	var h deaf
	b.ReportAllocs()
	for b.Loop() {
		l.RunLater(&h)
		l.turn.act()
	}
}

func BenchmarkQueue(b *testing.B) {
	var (
		q      outQueue
		blocks blockList
		parts  [maxParts][]byte
	)
	p := make([]byte, 40<<10)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		q.append(&blocks, p)
		n := 0
		for _, part := range parts[:q.parts(parts[:])] {
			n += len(part)
		}
		q.discard(&blocks, n)
	}
}
