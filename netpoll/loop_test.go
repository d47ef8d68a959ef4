package netpoll_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"millrace/netpoll"
)

func TestPostFromManyGoroutines(t *testing.T) {
	r := newRig(t)
	const posters, posts = 8, 2000
	var next [posters]int // by poster, the number of its next task
	var wg sync.WaitGroup
	for i := range posters {
		wg.Go(func() {
			for j := range posts {
				if err := r.loop.Post(func() {
					if next[i] != j {
						t.Errorf("poster %d: task %d came when %d was next", i, j, next[i])
					}
					next[i]++
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r.do(func() {
		for i, n := range next {
			if n != posts {
				t.Errorf("poster %d: %d tasks ran of %d", i, n, posts)
			}
		}
	})
}

// Each post comes when the loop may be just about to sleep.
func TestPostWakesASleepingLoop(t *testing.T) {
	r := newRig(t)
	for range 2000 {
		r.do(func() {})
	}
}

func TestStopRunsWhatWasPostedBefore(t *testing.T) {
	l, err := netpoll.NewLoop(netpoll.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ran := 0
	for range 10 {
		if err := l.Post(func() { ran++ }); err != nil {
			t.Fatal(err)
		}
	}
	l.Stop()
	if err := l.Run(); err != nil {
		t.Fatal(err)
	}
	if ran != 10 {
		t.Errorf("%d tasks ran of 10", ran)
	}
}

// later is a Runner of a function.
type later func()

func (f later) RunLater() { f() }

func TestRunLaterKeepsOrder(t *testing.T) {
	r := newRig(t)
	var ran []int
	done := make(chan struct{})
	r.do(func() {
		for i := range 5 {
			r.loop.RunLater(later(func() {
				ran = append(ran, i)
				r.loop.RunLater(later(func() {
					if ran = append(ran, 10+i); i == 4 {
						close(done)
					}
				}))
			}))
		}
		if len(ran) > 0 {
			t.Error("RunLater ran something at once")
		}
	})
	wait(t, done)
	r.do(func() {
		if want := []int{0, 1, 2, 3, 4, 10, 11, 12, 13, 14}; !slices.Equal(ran, want) {
			t.Errorf("ran %d, want %d", ran, want)
		}
	})
}

// Chains of turns must neither stop nor keep sockets and tasks from their turn.
func TestRunLaterIsNeverLostAndLeavesRoom(t *testing.T) {
	r := newRig(t)
	l := r.listen(&acceptor{accept: serveEcho}, loopback)
	var stop atomic.Bool
	var turns atomic.Int64
	ended := make(chan struct{}, 3)
	for range cap(ended) {
		var step later
		step = func() {
			if turns.Add(1); stop.Load() {
				ended <- struct{}{}
				return
			}
			r.loop.RunLater(step)
		}
		r.do(func() { r.loop.RunLater(step) })
	}
	for range 20 {
		text := noise(10_000)
		if got, err := exchange(connect(t, l.Addr()), text); err != nil || string(got) != string(text) {
			t.Fatalf("got %d bytes of %d, %v", len(got), len(text), err)
		}
		r.do(func() {})
	}
	eventually(t, func() bool { return turns.Load() > 1000 })
	stop.Store(true)
	for range cap(ended) {
		wait(t, ended)
	}
}

func TestNowIsReadOncePerCallback(t *testing.T) {
	r := newRig(t)
	var first int64
	r.do(func() {
		first = r.loop.Now()
		for began := time.Now(); time.Since(began) < time.Millisecond; {
			continue
		}
		if again := r.loop.Now(); again != first {
			t.Errorf("the clock went from %d to %d inside a callback", first, again)
		}
	})
	r.do(func() {
		if passed := r.loop.Now() - first; passed < int64(time.Millisecond) {
			t.Errorf("the clock went on by %d ns, want a millisecond", passed)
		}
	})
}

// What is open when a loop is closed does not leak: connections of every state, dials and
// listeners. The rig counts descriptors.
func TestCloseClosesWhatIsOpen(t *testing.T) {
	r := newRig(t)
	c, client := r.pair(&handler{})
	ending, _ := r.pair(&handler{})
	r.listen(&acceptor{accept: serveEcho}, loopback)
	full := fullListener(t)
	hopeless := func() *dialer { return &dialer{t: t, returned: true, ended: make(chan error, 1)} }
	var ended atomic.Int64
	r.do(func() {
		r.loop.Dial(full, 0, hopeless())
		ending.End(calmly, func() { ended.Add(1) })
		r.loop.RunLater(later(func() { r.loop.Dial(full, 0, hopeless()) }))
	})
	t.Cleanup(func() { // before the rig's
		if _, err := client.Write([]byte("x")); err != nil {
			t.Error(err)
		}
		if c.Closed() || ended.Load() != 0 {
			t.Error("something was closed before the loop")
		}
	})
}

func TestCloseWithoutRun(t *testing.T) {
	before := openDescriptors()
	for range 3 {
		l, err := netpoll.NewLoop(netpoll.NewClock())
		if err != nil {
			t.Fatal(err)
		}
		s, err := netpoll.Bind(loopback, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Listen(s, &acceptor{accept: serveEcho}); err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	if after := openDescriptors(); after != before {
		t.Errorf("%d descriptors are open, there were %d", after, before)
	}
}
