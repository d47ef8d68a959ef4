package engine

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
)

// flushGrace is how long a change of the sink waits for the lines of before it.
const flushGrace = 200 * time.Millisecond

// An accessLog is the access log of the process: one buffer a worker, and one goroutine
// that writes what is in them. Its methods are safe for concurrent use; none but rouse is for
// loops.
type accessLog struct {
	buffers []*accessBuffer            // by worker
	sink    atomic.Pointer[accessSink] // nil = requests are not logged
	asleep  atomic.Bool                // the goroutine waits until it is roused
	lost    *stats.Sheet               // counts the lines that the sink did not take
	events  *slog.Logger

	roused  chan struct{}      // holds one
	flushes chan chan struct{} // each closed when what was in the buffers is written
	stop    chan struct{}
	done    chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // of the changes of sink, started and closed
	started bool
	closed  bool
}

// newAccessLog opens what c names; nil is no log for now. start and Close must follow.
func newAccessLog(c *config.AccessLog, registry *stats.Registry, events *slog.Logger) (*accessLog, error) {
	sink, err := openAccessSink(c)
	if err != nil {
		return nil, err
	}
	a := &accessLog{
		lost:    registry.Sheet(0),
		events:  events,
		roused:  make(chan struct{}, 1),
		flushes: make(chan chan struct{}),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	for w := range registry.Workers() {
		a.buffers = append(a.buffers, &accessBuffer{log: a, sheet: registry.Sheet(w)})
	}
	a.sink.Store(sink)
	return a, nil
}

// start begins to write. It has no effect on a log that is closed.
func (a *accessLog) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.started {
		return
	}
	a.started = true
	w := &accessWriter{log: a}
	go w.run()
}

// prepare opens what c names for use, or gives the sink at hand if that is it already. What
// is not used must be discarded.
func (a *accessLog) prepare(c *config.AccessLog) (*accessSink, error) {
	if s := a.sink.Load(); s != nil && c != nil && s.is(c) {
		return s, nil
	}
	return openAccessSink(c)
}

// use has lines go to s, which prepare gave, from now on; nil = none are written. Lines of
// before still go to the sink of before, if it takes them at once.
func (a *accessLog) use(s *accessSink) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.sink.Load()
	unchanged := old == s || old != nil && s != nil && old.is(&s.AccessLog) // opened again since then
	if unchanged || a.closed {
		return
	}
	a.flush()
	a.sink.Store(s)
	old.close()
}

// discard closes what prepare opened, unless it is in use.
func (a *accessLog) discard(s *accessSink) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s != a.sink.Load() {
		s.close()
	}
}

// flush waits until what was in the buffers is written, or for flushGrace.
func (a *accessLog) flush() {
	if !a.started {
		return
	}
	limit := time.NewTimer(flushGrace)
	defer limit.Stop()
	written := make(chan struct{})
	select {
	case a.flushes <- written:
	case <-limit.C:
		return
	}
	select {
	case <-written:
	case <-limit.C:
	}
}

// Reopen opens the path of the log again, since the file may have been moved away. If it was
// not, nothing changes; if it cannot be opened, lines go where they went before, and the error
// is logged.
func (a *accessLog) Reopen() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.sink.Load()
	if old == nil || old.standard() || a.closed {
		return nil
	}
	s, err := openAccessSink(&old.AccessLog)
	if err != nil {
		a.events.Error("access log not reopened", slog.String("error.message", err.Error()))
		return err
	}
	if s.same(old) {
		s.close()
		return nil
	}
	a.sink.Store(s)
	old.close()
	return nil
}

// Close writes what is in the buffers, for at most limit, and ends the log. The workers
// must have ended.
func (a *accessLog) Close(limit time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed = true
	s := a.sink.Load()
	if s != nil && a.started {
		_ = s.file.SetWriteDeadline(time.Now().Add(limit)) // not all files can; then the wait ends alone
	}
	if a.started {
		a.await(limit)
	}
	if s != nil && s.standard() {
		_ = s.file.SetWriteDeadline(time.Time{}) // the log of the process may write to it as well
	}
	s.close()
}

// await ends the goroutine. One that cannot be ended, since it stands in a write that
// takes no deadline, is left to the end of the process.
func (a *accessLog) await(limit time.Duration) {
	close(a.stop)
	timer := time.NewTimer(limit + flushGrace)
	defer timer.Stop()
	select {
	case <-a.done:
	case <-timer.C:
	}
}
