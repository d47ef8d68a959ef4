package beacon

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// limit is how long anything may take that is expected to happen, on a busy machine.
const limit = 20 * time.Second

// eventually polls until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happens: %s", what)
		}
	}
}

// running runs r until the test or the returned function ends it.
func running(t *testing.T, r *Receiver) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { r.Run(ctx); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// bound waits for the socket of r and returns a connection to it.
func bound(t *testing.T, r *Receiver) net.Conn {
	t.Helper()
	eventually(t, "a socket is bound", func() bool { return r.Addr() != nil })
	c, err := net.Dial("udp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func send(t *testing.T, c net.Conn, datagrams ...[]byte) {
	t.Helper()
	for _, b := range datagrams {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunReceives(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Minute})
	book := logging(r)
	stop := running(t, r)
	to := bound(t, r)
	long := append(said(t, "http://b", time.Now()), make([]byte, 60_000)...)
	send(t, to, said(t, "http://a", time.Now()), nil, []byte("x"), long, said(t, "http://a", time.Now().Add(time.Second)))
	eventually(t, "four datagrams count", func() bool { n := r.Counters(); return n.Datagrams() == 4 })
	n := r.Counters()
	if n.Accepted != 2 || n.Dropped[NoMAC] != 1 || n.Dropped[Oversize] != 1 || n.Added != 1 || n.Lost != 0 {
		t.Errorf("counters %+v", n)
	}
	c.wants(t, "add http://a")
	stop()
	if r.Addr() != nil {
		t.Error("there still is a socket")
	}
	to.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if n, err := to.Read(make([]byte, 1)); err == nil {
		t.Errorf("an answer of %d bytes", n)
	}
	if log := book.take(); !strings.Contains(log, "level=INFO msg=\"listening for beacons on 127.0.0.1:0\"") || strings.Contains(log, "recvfrom") {
		t.Errorf("log %s", log)
	}
}

func TestRunEvicts(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Millisecond})
	running(t, r)
	send(t, bound(t, r), said(t, "http://a", time.Now()))
	eventually(t, "it is evicted", func() bool { return r.Counters().Evicted == 1 })
	c.wants(t, "add http://a", "disable http://a")
}

func TestReceiverPassesItsSocketOn(t *testing.T) {
	old, _ := receiving(t, Settings{})
	stop := running(t, old)
	to := bound(t, old)
	send(t, to, said(t, "http://a", time.Now()))
	eventually(t, "one counts", func() bool { return old.Counters().Accepted == 1 })
	file, err := old.File()
	if err != nil || file == nil {
		t.Fatal(file, err)
	}
	stop()
	send(t, to, said(t, "http://b", time.Now())) // while nobody reads

	conn, err := net.FilePacketConn(file)
	file.Close()
	if err != nil {
		t.Fatal(err)
	}
	c := &fakeCluster{members: map[string]bool{}}
	r, err := NewReceiver(ReceiverOptions{
		Listen: "127.0.0.1:0", Cluster: c, Settings: Settings{Secret: secret}, Conn: conn.(*net.UDPConn),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Import(old.Export(time.Now()), time.Now()); err != nil {
		t.Fatal(err)
	}
	stop = running(t, r)
	send(t, to, said(t, "http://c", time.Now()))
	eventually(t, "both count", func() bool { return r.Counters().Accepted == 2 })
	c.wants(t, "add http://a", "add http://b", "add http://c")
	stop()
	if file, err := r.File(); file != nil || err != nil {
		t.Errorf("a file of no socket: %v, %v", file, err)
	}
}

// What comes while the socket is open and nobody reads is heard by the next Run.
func TestReceiverHearsWhatWaits(t *testing.T) {
	r, c := receiving(t, Settings{Timeout: time.Hour})
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	to := bound(t, r)
	send(t, to, said(t, "http://a", time.Now()))
	stop := running(t, r)
	eventually(t, "the first counts", func() bool { return r.Counters().Accepted == 1 })
	for i, url := range []string{"http://b", "http://c"} {
		r.Keep(true)
		stop()
		send(t, to, said(t, url, time.Now()))
		if n := r.Counters().Accepted; n != uint64(1+i) || r.Addr() == nil {
			t.Errorf("%d accepted with nobody who reads, address %v", n, r.Addr())
		}
		r.Keep(false)
		stop = running(t, r)
		eventually(t, "what waited counts", func() bool { return r.Counters().Accepted == uint64(2+i) })
	}
	c.wants(t, "add http://a", "add http://b", "add http://c")
	r.Keep(true)
	stop()
	r.Close()
	r.Close()
	if r.Addr() != nil {
		t.Error("there still is a socket")
	}
}

// A lease is not over because nobody read for longer.
func TestReceiverHearsBeforeItEvicts(t *testing.T) {
	r, _ := receiving(t, Settings{Timeout: 300 * time.Millisecond})
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop := running(t, r)
	to := bound(t, r)
	send(t, to, said(t, "http://a", time.Now()))
	eventually(t, "it is a member", func() bool { return r.Counters().Added == 1 })
	r.Keep(true)
	stop()
	evicted := r.Counters().Evicted
	time.Sleep(400 * time.Millisecond)
	send(t, to, said(t, "http://a", time.Now().Add(time.Second)))
	running(t, r)
	eventually(t, "it is heard", func() bool { return r.Counters().Accepted == 2 })
	if n := r.Counters(); n.Evicted != evicted {
		t.Errorf("it was evicted before it was heard: %+v", n)
	}
	r.Keep(false)
}

func TestReceiverBindsWhatItSays(t *testing.T) {
	f := func(hostPort, want string) {
		t.Helper()
		if got := family(hostPort); got != want {
			t.Errorf("%q: %s, want %s", hostPort, got, want)
		}
	}
	f("0.0.0.0:1", "udp4")
	f("127.0.0.1:1", "udp4")
	f(":1", "udp")
	f("[::]:1", "udp")
	f("[::1]:1", "udp")
	f("localhost:1", "udp")
}

// A fakeSocket gives out datagrams and errors from a channel.
type fakeSocket struct {
	in       chan any // []byte or error
	deadline time.Time
	wake     chan struct{}
}

func newFakeSocket() *fakeSocket {
	return &fakeSocket{in: make(chan any, 10), wake: make(chan struct{}, 1)}
}

func (s *fakeSocket) read(b []byte) (int, uint32, error) {
	timer := time.NewTimer(time.Until(s.deadline))
	defer timer.Stop()
	select {
	case next := <-s.in:
		if err, ok := next.(error); ok {
			return 0, 0, err
		}
		return copy(b, next.([]byte)), 0, nil
	case <-timer.C:
	case <-s.wake:
	}
	return 0, 0, os.ErrDeadlineExceeded
}

func (s *fakeSocket) SetReadDeadline(t time.Time) error {
	if t.Unix() == 1 { // the end
		s.wake <- struct{}{}
		return nil
	}
	s.deadline = t
	return nil
}

func (s *fakeSocket) Close() error { return nil }

func TestSocketsAreOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := receiving(t, Settings{})
		book := logging(r)
		var opened []time.Duration
		begin := time.Now()
		s := newFakeSocket()
		r.open = func(context.Context) (socket, error) {
			opened = append(opened, time.Since(begin)/time.Second)
			if len(opened) < 4 || len(opened) == 5 {
				return nil, errors.New("address already in use")
			}
			return s, nil
		}
		running(t, r)
		time.Sleep(5 * time.Minute)
		s.in <- said(t, "http://a", time.Now())
		s.in <- errors.New("no buffer space")
		time.Sleep(time.Minute)
		synctest.Wait()
		// Three failures, a socket at 210 s that breaks at 300 s, one failure, a socket.
		want := []time.Duration{0, 30, 90, 210, 301, 331}
		if len(opened) != len(want) {
			t.Fatalf("opened at %d, want %d", opened, want)
		}
		for i := range want {
			if opened[i] != want[i] {
				t.Errorf("opened at %d, want %d", opened, want)
			}
		}
		if r.Counters().Accepted != 1 {
			t.Errorf("counters %+v", r.Counters())
		}
		log := book.take()
		for text, n := range map[string]int{
			"level=ERROR msg=\"bind to 127.0.0.1:0 failed\"":              4,
			"level=WARN msg=\"recvfrom failed\"":                          1,
			"level=INFO msg=\"listening for beacons on 127.0.0.1:0\"":     2,
			"level=INFO msg=\"added backend http://a to balancer://web\"": 1,
		} {
			if got := strings.Count(log, text); got != n {
				t.Errorf("%d lines with %s, want %d: %s", got, text, n, log)
			}
		}
	})
}

func TestMembersOutliveABrokenSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := receiving(t, Settings{Timeout: 20 * time.Second})
		s := newFakeSocket()
		attempts := 0
		r.open = func(context.Context) (socket, error) {
			if attempts++; attempts == 2 {
				return nil, errors.New("address already in use")
			}
			return s, nil
		}
		running(t, r)
		s.in <- said(t, "http://a", time.Now())
		synctest.Wait()
		s.in <- errors.New("broken")
		time.Sleep(50 * time.Second) // deaf from 0 s to 31 s
		c.wants(t, "add http://a")
		time.Sleep(2 * time.Second)
		c.wants(t, "disable http://a")
	})
}
