package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// reviveAfter is how long a connection that failed waits before it is opened
// again, so that a dead server is not hammered.
const reviveAfter = 10 * time.Millisecond

// A thread is one event loop with its share of the load. Its fields belong to
// the goroutine in run.
type thread struct {
	*options
	to      unix.Sockaddr
	request []byte // the head of every request
	filler  []byte // a piece of every upload
	poll    int    // epoll descriptor
	timer   int    // timerfd, armed for the timetable's next slot
	conns   []*conn
	broken  []*conn    // to be opened again
	times   *timetable // nil in a closed loop
	budget  int64      // requests that may still begin; negative = any number
	flying  int64      // requests begun and not ended
	start   time.Time
	buffer  []byte
	result  result
}

// newThread prepares thread i and its connections; nothing is opened yet.
func newThread(o *options, to unix.Sockaddr, i int) (*thread, error) {
	t := &thread{options: o, to: to, request: o.head(), budget: -1}
	t.filler = make([]byte, min(o.Upload, 64<<10))
	t.buffer = make([]byte, 256<<10)
	n := share(int64(o.Connections), int64(o.Threads), int64(i))
	if o.Requests > 0 {
		t.budget = share(o.Requests, int64(o.Threads), int64(i))
	}
	if o.Rate > 0 {
		t.times = newTimetable(o.Rate*float64(n)/float64(o.Connections), int(n))
	}
	for i := range int(n) {
		t.conns = append(t.conns, &conn{thread: t, index: i, fd: -1, answer: answer{bare: o.Method == "HEAD"}})
	}
	return t, t.openPoll()
}

func (t *thread) openPoll() (err error) {
	if t.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	if t.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC); err != nil {
		return err
	}
	return unix.EpollCtl(t.poll, unix.EPOLL_CTL_ADD, t.timer, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: -1})
}

// run drives the connections until the time or the requests are used up.
func (t *thread) run(start time.Time) *result {
	runtime.LockOSThread()
	t.start = start
	for _, c := range t.conns {
		c.open()
	}
	events := make([]unix.EpollEvent, 256)
	for t.elapsed() < int64(t.Duration) && (t.budget != 0 || t.flying > 0) {
		t.dispatch()
		n, err := unix.EpollWait(t.poll, events, int(reviveAfter.Milliseconds()))
		if err != nil && err != unix.EINTR {
			break
		}
		for _, event := range events[:max(n, 0)] {
			if event.Fd >= 0 {
				t.conns[event.Fd].ready(event.Events)
			}
		}
		t.revive()
	}
	t.finish()
	return &t.result
}

// elapsed is the thread's clock: ns from the start.
func (t *thread) elapsed() int64 { return int64(time.Since(t.start)) }

// dispatch begins the requests whose slot has come and sets the timer for the
// next slot.
func (t *thread) dispatch() {
	if t.times == nil {
		return
	}
	now := t.elapsed()
	for i := t.times.pass(now); i >= 0; i = t.times.pass(now) {
		t.conns[i].begin(now)
	}
	wait := max(t.times.next()-now, 1)
	unix.TimerfdSettime(t.timer, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(wait)}, nil)
}

// revive opens the connections again that failed a while ago.
func (t *thread) revive() {
	if len(t.broken) == 0 || t.elapsed()-t.broken[0].failed < int64(reviveAfter) {
		return
	}
	broken := t.broken
	t.broken = nil
	for _, c := range broken {
		c.open()
	}
}

// finish closes everything. Requests that wait for longer than the timeout
// have timed out; those that merely are in flight are forgotten, as wrk does.
func (t *thread) finish() {
	now := t.elapsed()
	t.result.elapsed = time.Duration(now)
	for _, c := range t.conns {
		if c.busy && now-c.due > int64(t.Timeout) {
			t.result.timeout++
		}
		c.shut()
	}
	unix.Close(t.timer)
	unix.Close(t.poll)
}

// ended counts a complete answer to a request that was due at due.
func (t *thread) ended(due int64, status int) {
	latency := t.elapsed() - due
	t.flying--
	t.result.requests++
	t.result.latency.record(latency)
	if status >= 400 {
		t.result.non2xx++
	}
	if latency > int64(t.Timeout) {
		t.result.timeout++
	}
}
