package netpoll_test

import (
	"bytes"
	"crypto/md5"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"millrace/netpoll"
)

// exchange sends text over c and returns what comes back until the other side ends.
func exchange(c interface {
	net.Conn
	CloseWrite() error
}, text []byte) ([]byte, error) {
	_ = c.SetDeadline(time.Now().Add(patience))
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(text)
		sent <- errors.Join(err, c.CloseWrite())
	}()
	got, err := io.ReadAll(c)
	return got, errors.Join(err, <-sent)
}

func TestEcho(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	f := func(size int) {
		t.Helper()
		text := noise(size)
		got, err := exchange(connect(t, l.Addr()), text)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	f(0)
	f(1)
	f(16 << 10)
	f(256<<10 - 1)
	f(256 << 10)
	f(256<<10 + 1)
	f(5 << 20)
}

func TestEchoUnix(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, netpoll.Addr{Unix: filepath.Join(t.TempDir(), "s")})
	c, err := net.Dial("unix", l.Addr().Unix)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := noise(3 << 20)
	if got, err := exchange(c.(*net.UnixConn), text); err != nil || !bytes.Equal(got, text) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(text), err)
	}
}

// The collector runs meanwhile, since a poller may hold pointers that it does not see.
func TestEchoOfManyUnderCollection(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	var clients sync.WaitGroup
	for i := range 20 {
		clients.Go(func() {
			for j := range 5 {
				text := noise(1000*i + 50*j)
				c, err := net.DialTimeout("tcp", l.Addr().IP.String(), patience)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := exchange(c.(*net.TCPConn), text)
				_ = c.Close()
				if err != nil || !bytes.Equal(got, text) {
					t.Errorf("client %d: got %d bytes of %d, %v", i, len(got), len(text), err)
				}
			}
		})
	}
	stop := make(chan struct{})
	go func() { clients.Wait(); close(stop) }()
	for {
		select {
		case <-stop:
			return
		default:
			runtime.GC()
		}
	}
}

// relay copies from one connection to another, and pauses above a mark.
type relay struct {
	from, to *netpoll.Conn
	most     int // most that was queued
	pauses   int
}

func (y *relay) pump() {
	for y.from != nil && y.to != nil {
		if y.to.Queued() > echoMark {
			y.pauses++
			return
		}
		b := y.from.Loop().ReadBuffer()[:32<<10]
		n, err := y.from.Read(b)
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return
		case err != nil:
			y.to.End(calmly, nil)
			y.from.Close()
			y.from = nil
			return
		}
		_ = y.to.Write(b[:n])
		y.most = max(y.most, y.to.Queued())
	}
}

// A reader that is slower than the writer must slow the writer down, and get every byte.
func TestBackpressure(t *testing.T) {
	r := newRig(t)
	var y relay
	from, writer := r.pair(&handler{readable: func(*netpoll.Conn) { y.pump() }})
	to, reader := r.pair(&handler{writable: func(*netpoll.Conn) { y.pump() }})
	r.do(func() { y.from, y.to = from, to; y.pump() })

	text := noise(24 << 20)
	sent := make(chan error, 1)
	go func() {
		_, err := writer.Write(text)
		sent <- errors.Join(err, writer.CloseWrite())
	}()
	eventually(t, func() (paused bool) {
		r.do(func() { paused = y.pauses > 0 })
		return paused
	})

	sum := md5.New()
	b := make([]byte, 48<<10)
	for i := 0; ; i++ {
		n, err := reader.Read(b)
		sum.Write(b[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%16 == 0 {
			runtime.Gosched()
			time.Sleep(100 * time.Microsecond) // slower than the writer, which is no race
		}
	}
	if err := wait(t, sent); err != nil {
		t.Error(err)
	}
	if want := md5.Sum(text); !bytes.Equal(sum.Sum(nil), want[:]) {
		t.Error("what was read is not what was written")
	}
	r.do(func() {
		if limit := echoMark + 32<<10; y.most > limit {
			t.Errorf("%d bytes were queued, want at most %d", y.most, limit)
		}
	})
}
