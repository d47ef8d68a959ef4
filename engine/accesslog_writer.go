package engine

import (
	"bytes"
	"errors"
	"log/slog"
	"syscall"
	"time"

	"millrace/engine/stats"
)

const (
	gatherTime = 100 * time.Millisecond // longest wait of a line, if the sink takes it
	retryTime  = 20 * time.Millisecond  // between tries on a full sink that cannot be waited for
)

// An accessWriter is the goroutine of the access log: it writes the lines of all buffers,
// whole ones only. Only that goroutine touches it.
type accessWriter struct {
	log     *accessLog
	sink    *accessSink // written to last
	torn    []byte      // a line of which sink has taken a part, or nothing
	sent    int         // bytes of that part
	failing bool        // lines were lost the last time
}

// rouse has the goroutine look at the buffers now.
func (a *accessLog) rouse() {
	select {
	case a.roused <- struct{}{}:
	default: // it will look anyway
	}
}

// run writes until the log is closed, and then what is left. A line that finds the log at
// rest is written at once; those after it are gathered for a while.
func (w *accessWriter) run() {
	defer close(w.log.done)
	gather := time.NewTimer(gatherTime)
	defer gather.Stop()
	for {
		var due <-chan time.Time
		if w.writeAll() {
			gather.Reset(gatherTime)
			due = gather.C
		} else if !w.sleep() {
			continue
		}
		var flushed chan struct{}
		select {
		case <-due:
		case <-w.log.roused:
		case flushed = <-w.log.flushes:
		case <-w.log.stop:
			w.end()
			return
		}
		w.log.asleep.Store(false)
		if flushed != nil {
			w.writeAll()
			close(flushed)
		}
	}
}

// sleep has the next line rouse the goroutine. It returns false when there is one already.
func (w *accessWriter) sleep() bool {
	w.log.asleep.Store(true)
	for _, b := range w.log.buffers {
		if len(b.next()) > 0 {
			w.log.asleep.Store(false)
			return false
		}
	}
	return true
}

// writeAll writes until the buffers are empty, some lines of each in turn. It reports
// whether there were any.
func (w *accessWriter) writeAll() bool {
	found := false
	for again := true; again; {
		again = false
		for _, b := range w.log.buffers {
			if lines := b.next(); len(lines) > 0 {
				w.write(lines)
				b.wrote(len(lines))
				found, again = true, true
			}
		}
	}
	return found
}

// write gives lines to the sink. What it does not take is lost, but for a line of which it
// took a part: that one is kept, and is ended before anything else is written.
func (w *accessWriter) write(lines []byte) {
	if len(w.torn) > 0 {
		w.torn, w.sent = w.deliver(w.torn, w.sent)
		if w.sent > 0 {
			w.lose(lines)
			return
		}
		w.lose(w.torn)
	}
	rest, sent := w.deliver(lines, 0)
	kept := 0
	if sent > 0 {
		kept = bytes.IndexByte(rest, '\n') + 1
	}
	w.torn, w.sent = append(w.torn[:0], rest[:kept]...), sent
	w.lose(rest[kept:])
}

// deliver writes lines of which the sink has taken sent bytes; if the sink is changed it
// goes on with the next one, whole. It returns those that were not taken, and how much of
// the first of them was.
func (w *accessWriter) deliver(lines []byte, sent int) (rest []byte, taken int) {
	for {
		s := w.log.sink.Load()
		if s != w.sink {
			w.sink, sent = s, 0
		}
		if s == nil {
			return lines, 0
		}
		n, err := s.file.Write(lines[sent:])
		n += sent
		start := bytes.LastIndexByte(lines[:n], '\n') + 1
		lines, sent = lines[start:], n-start
		switch {
		case len(lines) == 0:
			w.report(nil)
			return nil, 0
		case w.log.sink.Load() != s:
		case errors.Is(err, syscall.EAGAIN) && w.pause():
		default:
			w.report(err)
			return lines, sent
		}
	}
}

// lose counts lines that will not be written.
func (w *accessWriter) lose(lines []byte) {
	if len(lines) > 0 {
		w.log.lost.Add(stats.AccessLogDropped, int64(bytes.Count(lines, lineFeed)))
	}
}

var lineFeed = []byte{'\n'}

// end writes what is left, for the last time.
func (w *accessWriter) end() {
	w.writeAll()
	if len(w.torn) > 0 {
		w.torn, _ = w.deliver(w.torn, w.sent)
		w.lose(w.torn)
	}
}

// pause waits before another try. It returns false when the log is being closed.
func (w *accessWriter) pause() bool {
	select {
	case <-w.log.stop:
		return false
	case <-time.After(retryTime):
		return true
	}
}

// report logs that the sink began to lose lines, or takes them again.
func (w *accessWriter) report(err error) {
	if (err != nil) == w.failing {
		return
	}
	w.failing = err != nil
	if w.failing {
		w.log.events.Warn("access log loses lines", slog.String("error.message", err.Error()))
	} else {
		w.log.events.Info("access log takes lines again")
	}
}
