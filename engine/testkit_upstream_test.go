package engine_test

import (
	"errors"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An upstream is a listening socket whose connections a test plays.
type upstream struct {
	t        *testing.T
	l        net.Listener
	address  string // host and port, of a TCP socket
	path     string // of a unix socket
	waiting  int    // strangers in the queue of a silent one
	accepted atomic.Int64
}

// listen opens an upstream on a free port.
func listen(t *testing.T) *upstream { return listenOn(t, net.ListenConfig{}, "tcp", "127.0.0.1:0") }

// listenUnix opens an upstream on a socket in a folder of its own.
func listenUnix(t *testing.T) *upstream {
	u := listenOn(t, net.ListenConfig{}, "unix", filepath.Join(t.TempDir(), "up.sock"))
	u.path = u.address
	return u
}

func listenOn(t *testing.T, how net.ListenConfig, network, address string) *upstream {
	t.Helper()
	l, err := how.Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &upstream{t: t, l: l, address: l.Addr().String()}
}

// authority is the host and port of the upstream's URL.
func (u *upstream) authority() string {
	if u.path != "" {
		return "app.example"
	}
	return u.address
}

func (u *upstream) url() string { return "http://" + u.authority() }

// accept waits for the next connection, which is closed at the end of the test.
func (u *upstream) accept() *wire {
	u.t.Helper()
	w, err := u.acceptOne()
	if err != nil {
		u.t.Fatalf("upstream: %v", err)
	}
	u.t.Cleanup(w.close)
	return w
}

// acceptOne is accept for any goroutine.
func (u *upstream) acceptOne() (*wire, error) { return u.wireBy(time.Now().Add(patience)) }

func (u *upstream) wireBy(limit time.Time) (*wire, error) {
	c, err := u.acceptBy(limit)
	if err != nil {
		return nil, err
	}
	u.accepted.Add(1)
	return newWire(u.t, "upstream", c), nil
}

// acceptBy waits for the next connection until limit, the zero time being never.
func (u *upstream) acceptBy(limit time.Time) (net.Conn, error) {
	type deadliner interface{ SetDeadline(time.Time) error }
	_ = u.l.(deadliner).SetDeadline(limit)
	return u.l.Accept()
}

// unasked fails the test if there is a connection that was not accepted yet.
func (u *upstream) unasked() {
	u.t.Helper()
	c, err := u.acceptBy(time.Now().Add(10 * time.Millisecond))
	if err == nil {
		_ = c.Close()
		u.t.Error("upstream: got a connection, want none")
	}
}

// serve has f play each connection, on a goroutine of its own, until the test ends. A
// connection is closed when f returns.
func (u *upstream) serve(f func(w *wire)) *upstream {
	var playing sync.WaitGroup
	var mu sync.Mutex
	var open []*wire
	playing.Go(func() {
		for {
			w, err := u.wireBy(time.Time{})
			if err != nil {
				if !errors.Is(err, net.ErrClosed) {
					u.t.Errorf("upstream: %v", err)
				}
				return
			}
			mu.Lock()
			open = append(open, w)
			mu.Unlock()
			playing.Go(func() {
				defer func() { _ = w.conn.Close() }()
				f(w)
			})
		}
	})
	u.t.Cleanup(func() {
		_ = u.l.Close()
		mu.Lock()
		for _, w := range open {
			_ = w.conn.Close()
		}
		mu.Unlock()
		playing.Wait()
	})
	return u
}
