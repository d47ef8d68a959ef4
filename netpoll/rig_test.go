package netpoll_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"millrace/netpoll"
)

// patience is for what must come about sooner or later. No test that passes waits so long.
const patience = 20 * time.Second

// childVariable names, in the environment, the part that a process of this test plays.
const childVariable = "NETPOLL_TEST_CHILD"

func TestMain(m *testing.M) {
	if part, ok := children[os.Getenv(childVariable)]; ok {
		os.Exit(part())
	}
	warmUp()
	os.Exit(m.Run())
}

// warmUp has the Go runtime open the descriptors that it keeps.
func warmUp() {
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close()
	}
}

// A rig is one running loop. When the test ends it stops the loop, and fails the test if
// a descriptor is left over.
type rig struct {
	t    *testing.T
	loop *netpoll.Loop
}

func newRig(t *testing.T) *rig {
	t.Helper()
	before := openDescriptors()
	l, err := netpoll.NewLoop(netpoll.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- l.Run() }()
	t.Cleanup(func() {
		l.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		l.Close()
		for limit := time.Now().Add(patience); openDescriptors() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Errorf("%d descriptors are open, there were %d", openDescriptors(), before)
				return
			}
		}
	})
	return &rig{t: t, loop: l}
}

// openDescriptors counts this process's descriptors, 0 where the system does not tell.
func openDescriptors() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return len(names)
}

// do runs fn on the loop and waits for it.
func (r *rig) do(fn func()) {
	r.t.Helper()
	done := make(chan struct{})
	if err := r.loop.Post(func() { fn(); close(done) }); err != nil {
		r.t.Fatal(err)
	}
	wait(r.t, done)
}

// wait fails the test when c stays silent.
func wait[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	return v
}

// eventually fails the test when cond, which must be safe to call from here, stays false.
func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("waited in vain")
		}
	}
}

// handler is a netpoll.Handler of functions, which get its connection. Those that are nil
// do nothing.
type handler struct {
	c                  *netpoll.Conn
	readable, writable func(c *netpoll.Conn)
}

func (h *handler) serve(c *netpoll.Conn) {
	h.c = c
	c.SetHandler(h)
}

func (h *handler) OnReadable() {
	if h.readable != nil {
		h.readable(h.c)
	}
}

func (h *handler) OnWritable() {
	if h.writable != nil {
		h.writable(h.c)
	}
}

// acceptor is a netpoll.Acceptor around one function. It counts what it is asked and told;
// admitted is one too high while the loop looks whether a connection waits.
type acceptor struct {
	accept                            func(c *netpoll.Conn)
	closed                            atomic.Bool // no connection is admitted
	asked, admitted, accepted, failed atomic.Int64
}

func (a *acceptor) Admit() bool {
	a.asked.Add(1)
	if a.closed.Load() {
		return false
	}
	a.admitted.Add(1)
	return true
}

func (a *acceptor) Dismiss()            { a.admitted.Add(-1) }
func (a *acceptor) OnAcceptError(error) { a.failed.Add(1) }

func (a *acceptor) OnAccept(c *netpoll.Conn) {
	a.accepted.Add(1)
	a.accept(c)
}

// settle fails the test unless count connections were accepted, and are what is admitted.
func (a *acceptor) settle(t *testing.T, count int) {
	t.Helper()
	if n := a.accepted.Load(); n != int64(count) {
		t.Errorf("%d connections were accepted, want %d", n, count)
	}
	eventually(t, func() bool { return a.admitted.Load() == a.accepted.Load() })
	if n := a.failed.Load(); n != 0 {
		t.Errorf("%d errors were told", n)
	}
}

var loopback = netpoll.Addr{IP: netip.MustParseAddrPort("127.0.0.1:0")}

// listen has the loop accept on a fresh port, or on addr.
func (r *rig) listen(a netpoll.Acceptor, addr netpoll.Addr) *netpoll.Listener {
	r.t.Helper()
	s, err := netpoll.Bind(addr, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.listenOn(s, a)
}

func (r *rig) listenOn(s *netpoll.Socket, a netpoll.Acceptor) (l *netpoll.Listener) {
	r.t.Helper()
	var err error
	r.do(func() { l, err = r.loop.Listen(s, a) })
	if err != nil {
		r.t.Fatal(err)
	}
	return l
}

// pair connects a client of package net to a connection of the loop, which h serves.
func (r *rig) pair(h *handler) (*netpoll.Conn, *net.TCPConn) {
	r.t.Helper()
	accepted := make(chan *netpoll.Conn, 1)
	l := r.listen(&acceptor{accept: func(c *netpoll.Conn) {
		h.serve(c)
		accepted <- c
	}}, loopback)
	client := connect(r.t, l.Addr())
	c := wait(r.t, accepted)
	r.do(l.Close)
	return c, client
}

// connect opens a client connection to addr, closed at the end of the test.
func connect(t *testing.T, addr netpoll.Addr) *net.TCPConn {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr.IP.String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn)
}

// echo sends back what it reads, and pauses reading above a mark.
type echo struct{ c *netpoll.Conn }

const echoMark = 64 << 10

// calmly are limits that no test reaches.
var calmly = netpoll.Lingering{WriteIdle: patience, Silence: patience, Total: patience, Discard: true}

func serveEcho(c *netpoll.Conn) { c.SetHandler(&echo{c}) }

func (e *echo) OnReadable() { e.pump() }
func (e *echo) OnWritable() { e.pump() }

func (e *echo) pump() {
	for e.c.Queued() < echoMark {
		b := e.c.Loop().ReadBuffer()
		n, err := e.c.Read(b)
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return
		case errors.Is(err, io.EOF):
			e.c.End(calmly, nil)
			return
		case err != nil:
			e.c.Close()
			return
		}
		if e.c.Write(b[:n]) != nil {
			e.c.Close()
			return
		}
	}
}

// large is more bytes than a connection's sockets hold while nobody reads.
const large = 16 << 20

// noise is n bytes in which nothing repeats.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// drain reads c on its loop until there is nothing, and returns what it was ended by, nil
// for ErrWait.
func drain(c *netpoll.Conn, size int, use func(p []byte)) error {
	for b := make([]byte, size); ; {
		n, err := c.Read(b)
		switch {
		case errors.Is(err, netpoll.ErrWait):
			return nil
		case err != nil:
			return err
		}
		use(b[:n])
	}
}

// tally is a text that the loop writes and the test reads.
type tally struct {
	mu   sync.Mutex
	text []byte
}

func (y *tally) add(p []byte) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.text = append(y.text, p...)
}

func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return string(y.text)
}
