package netpoll_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"millrace/netpoll"
)

// Pieces of every size, written whole or in parts while the socket is full or not, come
// out in order.
func TestWritesKeepOrder(t *testing.T) {
	r := newRig(t)
	c, client := r.pair(&handler{})
	text := noise(8 << 20)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		rnd := rand.New(rand.NewPCG(3, 4))
		cut := func(rest []byte) ([]byte, []byte) {
			n := min(rnd.IntN(1<<rnd.IntN(19)+1), len(rest))
			return rest[:n], rest[n:]
		}
		for rest := text; len(rest) > 0; {
			var head, body, tail []byte
			head, rest = cut(rest)
			body, rest = cut(rest)
			tail, rest = cut(rest)
			var errs error
			if rnd.IntN(2) == 0 {
				r.do(func() { errs = c.Writev(head, body, tail) })
			} else {
				r.do(func() { errs = errors.Join(c.Write(head), c.Write(body), c.Write(tail)) })
			}
			if errs != nil {
				t.Error(errs)
				return
			}
		}
		r.do(c.CloseWrite)
	}()
	got, err := io.ReadAll(client)
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(text), err)
	}
	wait(t, sent)
}

// CloseWrite waits behind the queue; the other direction goes on, then ends too.
func TestCloseWriteBehindAQueue(t *testing.T) {
	r := newRig(t)
	text := noise(large)
	var got tally
	ended := make(chan error, 1)
	c, client := r.pair(&handler{readable: func(c *netpoll.Conn) {
		if err := drain(c, 1000, got.add); err != nil {
			ended <- err
			c.Close()
		}
	}})
	r.do(func() {
		_ = c.Write(text)
		if c.Queued() == 0 {
			t.Error("nothing is queued")
		}
		c.CloseWrite()
		c.CloseWrite()
		if err := c.Write([]byte("x")); !errors.Is(err, netpoll.ErrClosed) {
			t.Errorf("Write after CloseWrite = %v", err)
		}
		if err := c.Writev([]byte("x"), nil, nil); !errors.Is(err, netpoll.ErrClosed) {
			t.Errorf("Writev after CloseWrite = %v", err)
		}
	})
	read, err := io.ReadAll(client)
	if err != nil || !bytes.Equal(read, text) {
		t.Errorf("got %d bytes of %d, %v", len(read), len(text), err)
	}
	if _, err := client.Write([]byte("answer")); err != nil {
		t.Error(err)
	}
	eventually(t, func() bool { return got.String() == "answer" })
	_ = client.CloseWrite()
	if err := wait(t, ended); !errors.Is(err, io.EOF) {
		t.Errorf("reading ended with %v", err)
	}
}

// The handler is told that a queue shrinks, when it is empty at the latest, and that the
// socket made progress.
func TestQueueIsTold(t *testing.T) {
	r := newRig(t)
	empty := make(chan int64, 1)
	c, client := r.pair(&handler{writable: func(c *netpoll.Conn) {
		if c.Queued() == 0 {
			empty <- c.Progress()
		}
	}})
	var began int64
	text := noise(large)
	r.do(func() {
		_ = c.Write(text)
		began = c.Progress()
		if now := r.loop.Now(); began != now {
			t.Errorf("Progress = %d when the queue begins, want %d", began, now)
		}
	})
	if _, err := io.ReadFull(client, make([]byte, len(text))); err != nil {
		t.Fatal(err)
	}
	if at := wait(t, empty); at <= began {
		t.Errorf("Progress = %d after all is written, %d before", at, began)
	}
}

// A write error drops the queue, is told, and stays.
func TestWriteError(t *testing.T) {
	r := newRig(t)
	failed := make(chan error, 10)
	c, client := r.pair(&handler{writable: func(c *netpoll.Conn) {
		if err := c.WriteErr(); err != nil {
			failed <- err
		}
	}})
	r.do(func() { _ = c.Write(noise(large)) })
	reset(client)
	err := wait(t, failed)
	r.do(func() {
		if c.Queued() != 0 {
			t.Errorf("%d bytes are still queued", c.Queued())
		}
		for range 2 {
			if again := c.Write([]byte("x")); !errors.Is(again, err) {
				t.Errorf("Write = %v, want %v", again, err)
			}
		}
		if !errors.Is(err, unix.ECONNRESET) && !errors.Is(err, unix.EPIPE) {
			t.Errorf("WriteErr = %v", err)
		}
		c.End(calmly, nil)
		if !c.Closed() {
			t.Error("a broken connection is not closed at once")
		}
	})
}

func TestEmptyWrites(t *testing.T) {
	r := newRig(t)
	c, client := r.pair(&handler{})
	r.do(func() {
		if err := errors.Join(c.Write(nil), c.Writev(nil, nil, nil), c.Writev(nil, []byte("x"), nil)); err != nil {
			t.Error(err)
		}
		c.Close()
	})
	if got, err := io.ReadAll(client); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}
