package netpoll

import "fmt"

// readBufferSize is the size, in bytes, of the buffer that each side of a relay reads into:
// large enough that a bulk transfer costs few system calls, small enough to stay in a
// core's second-level cache.
const readBufferSize = 128 << 10

// A Loop is one event loop. Unless a method says otherwise, only the goroutine that is in
// Run may call it, and it calls every handler.
type Loop struct {
	poller    poller
	sources   []source // by descriptor
	listeners []*Listener
	clock     Clock
	now       int64 // 0 = not read yet in this callback
	wheel     wheel
	turn      turn
	blocks    blockList
	reserve   reserve
	buffer    []byte
}

// NewLoop opens a loop that goes by the clock. Run must follow, or Close.
func NewLoop(clock Clock) (*Loop, error) {
	p, err := newPoller()
	if err != nil {
		return nil, fmt.Errorf("cannot open a poller: %w", err)
	}
	l := &Loop{poller: p, clock: clock, buffer: make([]byte, readBufferSize)}
	if err := l.turn.open(l); err != nil {
		_ = p.close()
		return nil, err
	}
	if err := l.wheel.open(l); err != nil {
		l.turn.close()
		_ = p.close()
		return nil, err
	}
	l.reserve.open()
	return l, nil
}

// Run turns the loop until Stop, on the calling goroutine. It may be called once.
func (l *Loop) Run() error {
	err := l.poller.poll(l.dispatch)
	if err != nil && err != stopPolling() { //nolint:errorlint // gnet returns the value itself
		return fmt.Errorf("event loop: %w", err)
	}
	return nil
}

// Stop ends Run after the tasks posted before it. Safe for concurrent use.
func (l *Loop) Stop() {
	_ = l.poller.post(stopPolling)
}

// Close frees what the loop holds, after the work that was put off to the next turn. What
// is still open is closed without telling its handler. Run must have returned, and nobody
// may still be posting.
func (l *Loop) Close() {
	l.turn.act()
	for _, s := range l.sources {
		switch s := s.(type) {
		case *Conn:
			s.dial = nil
			s.Close()
		case *Listener:
			s.release()
		}
	}
	l.turn.closeAll()
	l.turn.close()
	l.wheel.close()
	l.reserve.close()
	_ = l.poller.close()
}

// Post runs fn on the loop, after the reports of one whole batch. It fails only when the
// poller is closed. Safe for concurrent use.
func (l *Loop) Post(fn func()) error {
	return l.poller.post(func() error {
		l.now = 0
		fn()
		return nil
	})
}

// ReadBuffer is the loop's read buffer. What a caller finds in it is lost when anything
// else reads on this loop, so it is for use inside one callback.
func (l *Loop) ReadBuffer() []byte { return l.buffer }

// own makes s the source of fd's reports.
func (l *Loop) own(fd int, s source) {
	if fd >= len(l.sources) {
		grown := make([]source, max(fd+1, 2*len(l.sources), 64))
		copy(grown, l.sources)
		l.sources = grown
	}
	l.sources[fd] = s
}

// descriptorsFreed lets those go on that lacked one.
func (l *Loop) descriptorsFreed() {
	l.reserve.restore()
	for _, n := range l.listeners {
		if n.starved {
			n.Resume()
		}
	}
}

// disown drops fd's reports until another source owns the number.
func (l *Loop) disown(fd int) { l.sources[fd] = nil }
