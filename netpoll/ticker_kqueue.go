//go:build darwin || freebsd

package netpoll

import (
	"sync"
	"time"
)

// ticker is a timer of the Go runtime that posts to the loop.
type ticker struct {
	timer  *time.Timer
	mu     sync.Mutex // held while posting, from the timer's goroutine
	closed bool
}

func (t *ticker) open(l *Loop, s source) error {
	report := func() error {
		l.now = 0
		s.ready(readReady)
		return nil
	}
	t.timer = time.AfterFunc(time.Hour, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.closed {
			_ = l.poller.post(report)
		}
	})
	t.timer.Stop()
	return nil
}

// arm reports once in ns nanoseconds, instead of any earlier arm.
func (t *ticker) arm(ns int64) { t.timer.Reset(time.Duration(max(ns, 1))) }

func (t *ticker) drain() {}

// close returns when nothing is posted any more.
func (t *ticker) close() {
	t.timer.Stop()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
}
