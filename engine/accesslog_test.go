package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
)

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fileLog is a running log that writes to a file in a new folder.
func fileLog(t *testing.T) (log *accessLog, registry *stats.Registry, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "access.log")
	log, registry = quietLog(t, &config.AccessLog{Path: path, Format: config.FormatJSON})
	return log, registry, path
}

func TestAccessLogFile(t *testing.T) {
	log, _, path := fileLog(t)
	log.buffers[0].put("one")
	soon(t, "the line is there", func() bool { return textOf(t, path) == "one\n" })
	found, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := found.Mode().Perm(); mode&^logFileMode != 0 || mode&0o600 != 0o600 {
		t.Errorf("the file has mode %v", mode)
	}
	log.buffers[0].put("two")
	log.Close(logPatience)
	log.Close(logPatience)
	if got := textOf(t, path); got != "one\ntwo\n" {
		t.Errorf("the closed file has %q", got)
	}
}

func TestAccessLogAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, _ := quietLog(t, &config.AccessLog{Path: path})
	log.buffers[0].put("one")
	log.Close(logPatience)
	if got := textOf(t, path); got != "before\none\n" {
		t.Errorf("the file has %q", got)
	}
}

func TestAccessLogCannotBeOpened(t *testing.T) {
	f := func(path string, want error) {
		t.Helper()
		_, err := newAccessLog(&config.AccessLog{Path: path}, stats.New(1), nil)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	f(filepath.Join(t.TempDir(), "missing", "access.log"), fs.ErrNotExist)
	f(t.TempDir(), syscall.EISDIR)
}

func TestAccessLogStandardStreams(t *testing.T) {
	f := func(path string, want *os.File) {
		t.Helper()
		log, err := newAccessLog(&config.AccessLog{Path: path}, stats.New(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		stream := &accessSink{file: want}
		if got := log.sink.Load(); !got.same(stream) {
			t.Errorf("%s is %v", path, got)
		}
		if err := log.Reopen(); err != nil || !log.sink.Load().same(stream) {
			t.Errorf("%s opened again: %v, %v", path, log.sink.Load().file, err)
		}
		log.Close(0)
		if _, err := want.Stat(); err != nil {
			t.Errorf("%s was closed: %v", path, err)
		}
	}
	f(config.Stdout, os.Stdout)
	f(config.Stderr, os.Stderr)
}

func TestAccessLogReopens(t *testing.T) {
	log, registry, path := fileLog(t)
	add := log.buffers[0].put
	add("one")
	soon(t, "the line is there", func() bool { return textOf(t, path) == "one\n" })
	unmoved := log.sink.Load()
	if err := log.Reopen(); err != nil || log.sink.Load() != unmoved {
		t.Fatalf("a file that was not moved is replaced: %v", err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	add("two")
	soon(t, "the moved file gets the line", func() bool { return textOf(t, path+".1") == "one\ntwo\n" })
	if err := log.Reopen(); err != nil {
		t.Fatal(err)
	}
	add("three")
	soon(t, "the new file gets the line", func() bool { return textOf(t, path) == "three\n" })
	if got := textOf(t, path+".1"); got != "one\ntwo\n" || droppedLines(t, registry) != 0 {
		t.Errorf("the old file has %q, %d lines dropped", got, droppedLines(t, registry))
	}
}

func TestAccessLogKeepsTheOldFile(t *testing.T) {
	var events sharedText
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	c := &config.AccessLog{Path: filepath.Join(folder, "access.log")}
	log, _ := startLog(t, c, stats.New(1), slog.New(slog.NewTextHandler(&events, nil)))
	if err := os.Rename(folder, folder+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := log.Reopen(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Reopen: %v", err)
	}
	if !strings.Contains(events.String(), "access log not reopened") || !strings.Contains(events.String(), c.Path) {
		t.Errorf("logged: %s", events.String())
	}
	log.buffers[0].put("one")
	log.Close(logPatience)
	if got := textOf(t, filepath.Join(folder+".moved", "access.log")); got != "one\n" {
		t.Errorf("the old file has %q", got)
	}
}

// A reload moves the log, switches it off and on, and leaves an unchanged one alone.
func TestAccessLogFollowsReloads(t *testing.T) {
	log, registry, path := fileLog(t)
	use := func(c *config.AccessLog) {
		t.Helper()
		s, err := log.prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		log.use(s)
		log.discard(s) // has no effect on what is used
	}
	first := log.sink.Load()
	use(&config.AccessLog{Path: path, Format: config.FormatJSON})
	if log.sink.Load() != first {
		t.Error("an unchanged log is opened again")
	}
	log.buffers[0].put("one")
	second := path + ".second"
	use(&config.AccessLog{Path: second, Format: config.FormatCombined})
	if got := textOf(t, path); got != "one\n" {
		t.Errorf("the file of before has %q", got)
	}
	if err := first.file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file of before was left open: %v", err)
	}
	log.buffers[0].put("two")
	use(nil)
	if got := textOf(t, second); got != "two\n" || log.sink.Load() != nil || droppedLines(t, registry) != 0 {
		t.Errorf("the second file has %q, %d lines dropped", got, droppedLines(t, registry))
	}
	use(&config.AccessLog{Path: path})
	log.buffers[0].put("three")
	soon(t, "the log is on again", func() bool { return textOf(t, path) == "one\nthree\n" })
}

// A reload that finds the log unchanged keeps it, also when it was opened again in between.
func TestAccessLogReopensDuringAReload(t *testing.T) {
	log, _, path := fileLog(t)
	s, err := log.prepare(&config.AccessLog{Path: path, Format: config.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := log.Reopen(); err != nil {
		t.Fatal(err)
	}
	log.use(s)
	log.discard(s)
	log.buffers[0].put("one")
	soon(t, "the new file gets the line", func() bool { return textOf(t, path) == "one\n" })
}

func TestAccessLogDiscardsWhatIsNotUsed(t *testing.T) {
	log, _, path := fileLog(t)
	s, err := log.prepare(&config.AccessLog{Path: path + ".other"})
	if err != nil {
		t.Fatal(err)
	}
	log.discard(s)
	if err := s.file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("what was not used was left open: %v", err)
	}
	if _, err := log.prepare(&config.AccessLog{Path: filepath.Dir(path)}); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder as a log: %v", err)
	}
}

// A reader that is not there, or does not read, costs lines and nothing else. Those that it
// gets in the end are whole.
func TestAccessLogWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	log, registry := quietLog(t, &config.AccessLog{Path: path})
	line := strings.Repeat("x", 999)
	added := 0
	for droppedLines(t, registry) == 0 {
		for range 100 {
			log.buffers[0].put(line)
			added++
		}
	}
	if err := log.Reopen(); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var got bytes.Buffer
	part := make([]byte, 1<<16)
	soon(t, "all is read", func() bool {
		_ = reader.SetReadDeadline(time.Now().Add(time.Millisecond)) // where it cannot wait it need not
		for {
			n, err := reader.Read(part)
			if err != nil {
				return got.Len() >= (added-droppedLines(t, registry))*(len(line)+1)
			}
			got.Write(part[:n])
		}
	})
	if want := strings.Repeat(line+"\n", added-droppedLines(t, registry)); got.String() != want {
		t.Errorf("%d bytes read, which are not the %d expected", got.Len(), len(want))
	}
}

func TestAccessLogCloseIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	log, registry := quietLog(t, &config.AccessLog{Path: path})
	line := strings.Repeat("x", 999)
	for range 500 {
		log.buffers[0].put(line)
	}
	begin := time.Now()
	log.Close(10 * time.Millisecond)
	if took := time.Since(begin); took > logPatience/2 {
		t.Errorf("Close took %v", took)
	}
	<-log.done
	if n := droppedLines(t, registry); n == 0 || n >= 500 {
		t.Errorf("%d lines dropped of 500 that do not fit", n)
	}
}

// A blockedFile takes nothing until it is closed.
type blockedFile struct {
	scriptedFile
	once    sync.Once
	closing chan struct{}
}

func (f *blockedFile) Write([]byte) (int, error) {
	<-f.closing
	return 0, os.ErrClosed
}

func (f *blockedFile) Close() error {
	f.once.Do(func() { close(f.closing) })
	return nil
}

// Several workers add lines while the log stands still, goes on, and is moved about. Each
// line is in one file, whole and in the order of its worker, or counted.
func TestAccessLogWorkersAtOnce(t *testing.T) {
	const workers, each = 4, 12_000
	folder := t.TempDir()
	c := &config.AccessLog{Path: filepath.Join(folder, "access.log"), Format: config.FormatJSON}
	log, registry := startLog(t, c, stats.New(workers), slog.New(slog.DiscardHandler))
	log.sink.Swap(&accessSink{AccessLog: *c, file: &blockedFile{closing: make(chan struct{})}}).close()

	var all sync.WaitGroup
	for id, b := range log.buffers {
		all.Go(func() {
			filler := strings.Repeat("x", 100*id)
			for n := range each {
				b.put(fmt.Sprintf("%d %d %s", id, n, filler))
			}
		})
	}
	moved := 0
	for range 8 {
		if err := log.Reopen(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // lets some lines into this file; none are needed
		if os.Rename(c.Path, fmt.Sprintf("%s.%d", c.Path, moved)) == nil {
			moved++
		}
	}
	all.Wait()
	log.Close(logPatience)

	last, lines := map[int]int{}, 0
	for n := range moved {
		lines += readLines(t, fmt.Sprintf("%s.%d", c.Path, n), last)
	}
	if dropped := droppedLines(t, registry); lines+dropped != workers*each || moved == 0 {
		t.Errorf("%d lines in %d files and %d dropped, want %d", lines, moved, dropped, workers*each)
	}
}

// readLines checks a file and counts its lines. last is the number behind each worker's
// last one.
func readLines(t *testing.T, path string, last map[int]int) (count int) {
	t.Helper()
	for line := range strings.Lines(textOf(t, path)) {
		var id, n int
		var filler string
		_, _ = fmt.Sscanf(line, "%d %d %s", &id, &n, &filler)
		if line != fmt.Sprintf("%d %d %s\n", id, n, strings.Repeat("x", 100*id)) {
			t.Fatalf("%s: %q is not whole", path, line)
		}
		if n < last[id] {
			t.Fatalf("%s: line %d of worker %d behind %d", path, n, id, last[id]-1)
		}
		last[id] = n + 1
		count++
	}
	return count
}
