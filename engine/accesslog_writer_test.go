package engine

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
)

// A scriptedFile takes of each write as much as the next step says, and the whole of it when
// no step is left.
type scriptedFile struct {
	steps  []step
	text   []byte
	closed int
}

type step struct {
	takes int
	err   error // of a write that is longer
	then  func()
}

func (f *scriptedFile) Write(p []byte) (int, error) {
	if len(f.steps) == 0 {
		f.text = append(f.text, p...)
		return len(p), nil
	}
	s := f.steps[0]
	f.steps = f.steps[1:]
	if s.then != nil {
		s.then()
	}
	f.text = append(f.text, p[:min(s.takes, len(p))]...)
	if s.takes >= len(p) {
		return len(p), nil
	}
	return s.takes, s.err
}

func (f *scriptedFile) Close() error                     { f.closed++; return nil }
func (f *scriptedFile) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// fakeSink is a sink that is like no other.
func fakeSink(f accessFile) *accessSink {
	return &accessSink{AccessLog: config.AccessLog{Path: fmt.Sprintf("%p", f)}, file: f}
}

// looseWriter is a writer with its log, which no goroutine runs.
func looseWriter(t *testing.T, f *scriptedFile, events io.Writer) (*accessWriter, *stats.Registry) {
	t.Helper()
	registry := stats.New(2)
	log, err := newAccessLog(nil, registry, slog.New(slog.NewTextHandler(events, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		log.use(fakeSink(f))
	}
	return &accessWriter{log: log}, registry
}

// add puts each line into one of the buffers.
func (w *accessWriter) add(lines ...string) {
	for _, line := range lines {
		w.log.buffers[0].put(line)
	}
}

// Whatever a file takes of a write, it has whole lines in the end, but for one whose rest it
// never took, and every other line is counted.
func TestAccessWriterLosesWholeLines(t *testing.T) {
	full := syscall.ENOSPC
	f := func(want string, lost int, steps ...step) {
		t.Helper()
		file := &scriptedFile{steps: steps}
		w, registry := looseWriter(t, file, io.Discard)
		w.add("one", "two", "three")
		w.writeAll()
		w.add("four", "five")
		w.writeAll()
		w.end()
		if got := strings.ReplaceAll(string(file.text), "\n", " "); got != want {
			t.Errorf("%v: the file has %q, want %q", steps, got, want)
		}
		if n := droppedLines(t, registry); n != lost {
			t.Errorf("%v: %d lines dropped, want %d", steps, n, lost)
		}
	}
	f("one two three four five ", 0)
	f("four five ", 3, step{0, full, nil})
	f("one four five ", 2, step{4, full, nil})
	f("one two four five ", 1, step{5, full, nil})
	f("one two four five ", 1, step{7, full, nil})
	f("one two four five ", 1, step{8, full, nil})
	f("one two three four five ", 0, step{13, full, nil})
	f("", 5, step{0, full, nil}, step{0, full, nil})
	f("one two ", 3, step{5, full, nil}, step{0, full, nil})                         // its rest comes at the end
	f("one two ", 3, step{5, full, nil}, step{1, full, nil})                         // in three parts
	f("one two four ", 2, step{5, full, nil}, step{3, nil, nil}, step{2, full, nil}) // another one is torn
	f("one two fo", 3, step{5, full, nil}, step{3, nil, nil}, step{2, full, nil}, step{0, full, nil})
	f("one tw", 4, step{5, full, nil}, step{1, full, nil}, step{0, full, nil})
}

// A file that cannot be waited for is tried again.
func TestAccessWriterTriesAgain(t *testing.T) {
	file := &scriptedFile{steps: []step{{0, syscall.EAGAIN, nil}, {5, syscall.EAGAIN, nil}, {1, syscall.EAGAIN, nil}}}
	w, registry := looseWriter(t, file, io.Discard)
	w.add("one", "two", "three")
	w.writeAll()
	if got := string(file.text); got != "one\ntwo\nthree\n" || droppedLines(t, registry) != 0 {
		t.Errorf("the file has %q, %d lines dropped", got, droppedLines(t, registry))
	}
	close(w.log.stop)
	file.steps = []step{{0, syscall.EAGAIN, nil}}
	w.add("late")
	if w.writeAll(); droppedLines(t, registry) != 1 {
		t.Errorf("%d lines dropped at the end, want 1", droppedLines(t, registry))
	}
}

// A line that a file took in part goes whole to the file that replaces it.
func TestAccessWriterMovesOn(t *testing.T) {
	f := func(taken int, err error, before, after string) {
		t.Helper()
		next := &scriptedFile{}
		file := &scriptedFile{}
		w, registry := looseWriter(t, file, io.Discard)
		file.steps = []step{{taken, err, func() { w.log.use(fakeSink(next)) }}}
		w.add("one", "two", "three")
		w.writeAll()
		if string(file.text) != before || string(next.text) != after {
			t.Errorf("after %d bytes: %q and %q, want %q and %q", taken, file.text, next.text, before, after)
		}
		if n := droppedLines(t, registry); n != 0 || file.closed != 1 || next.closed != 0 {
			t.Errorf("after %d bytes: %d lines dropped, closed %d and %d times", taken, n, file.closed, next.closed)
		}
	}
	f(0, io.ErrClosedPipe, "", "one\ntwo\nthree\n")
	f(4, io.ErrClosedPipe, "one\n", "two\nthree\n")
	f(6, io.ErrClosedPipe, "one\ntw", "two\nthree\n")
	f(13, syscall.EAGAIN, "one\ntwo\nthree", "three\n")
	f(14, nil, "one\ntwo\nthree\n", "")
}

// Lines that come when the log was just switched off are counted.
func TestAccessWriterWithoutSink(t *testing.T) {
	w, registry := looseWriter(t, nil, io.Discard)
	w.add("one", "two")
	if w.writeAll(); droppedLines(t, registry) != 2 {
		t.Errorf("%d lines dropped, want 2", droppedLines(t, registry))
	}
}

// An outage is logged when it begins and when it ends.
func TestAccessWriterTellsOnce(t *testing.T) {
	var events strings.Builder
	file := &scriptedFile{steps: []step{{4, nil, nil}, {0, syscall.ENOSPC, nil}, {2, syscall.ENOSPC, nil}}}
	w, _ := looseWriter(t, file, &events)
	for _, line := range []string{"one", "two", "three", "four", "five"} {
		w.add(line)
		w.writeAll()
	}
	warned, told := strings.Count(events.String(), "access log loses lines"), strings.Count(events.String(), "access log takes lines again")
	if warned != 1 || told != 1 || !strings.Contains(events.String(), syscall.ENOSPC.Error()) {
		t.Errorf("logged %d and %d times: %s", warned, told, &events)
	}
}

// A busy worker does not starve the others.
func TestAccessWriterIsFair(t *testing.T) {
	file := &scriptedFile{}
	w, _ := looseWriter(t, file, io.Discard)
	for range 2 * pageFull / 1000 {
		w.log.buffers[0].put(strings.Repeat("x", 1000))
	}
	w.log.buffers[1].put("other")
	w.writeAll()
	if at := strings.Index(string(file.text), "other"); at < 0 || at > pageSize {
		t.Errorf("the other worker's line comes after %d bytes", at)
	}
}
