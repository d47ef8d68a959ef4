package main

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

const (
	queuedLines = 1024        // that may wait for whoever reads the log
	lastLines   = time.Second // for those that wait at the end of the process
)

// A logQueue writes the lines of the log from a goroutine of its own: whoever reads them
// may stand still, which must hold up neither a reload nor the end of the process. A line
// that finds no room is lost and counted. Its methods are safe for concurrent use.
type logQueue struct {
	lines chan queuedLine
	lost  atomic.Int64
}

// A queuedLine is a line, or stands behind all lines of before.
type queuedLine struct {
	text    []byte
	written chan struct{} // nil = it is a line; closed when those before it are written
}

// newLogQueue returns one that writes to w as long as the process lives.
func newLogQueue(w io.Writer) *logQueue {
	q := &logQueue{lines: make(chan queuedLine, queuedLines)}
	go q.run(w)
	return q
}

func (q *logQueue) run(w io.Writer) {
	for line := range q.lines {
		if line.written != nil {
			close(line.written)
			continue
		}
		_, _ = w.Write(line.text) // there is nobody to tell
	}
}

// Write takes one line, which remains the caller's. It never fails.
func (q *logQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- queuedLine{text: bytes.Clone(line)}:
	default:
		q.lost.Add(1)
	}
	return len(line), nil
}

// takeLost returns how many lines were lost since the last time, 0 while the reader is so
// late that a line about it would be the next one.
func (q *logQueue) takeLost() int64 {
	if len(q.lines) > queuedLines/2 {
		return 0
	}
	return q.lost.Swap(0)
}

// flush waits until what was taken before is written, or for limit.
func (q *logQueue) flush(limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	written := make(chan struct{})
	select {
	case q.lines <- queuedLine{written: written}:
	case <-late.C:
		return
	}
	select {
	case <-written:
	case <-late.C:
	}
}
