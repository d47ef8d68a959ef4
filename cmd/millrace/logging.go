package main

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"millrace/engine/config"
)

// A logSwitch is the handler of the process's log. Level and format can change while it is
// in use. Safe for concurrent use.
type logSwitch struct {
	w       io.Writer
	queue   *logQueue // w, if that is one; else nil
	level   *slog.LevelVar
	current *atomic.Pointer[slog.Handler]
}

// newLogSwitch returns a log that writes to w as c says.
func newLogSwitch(w io.Writer, c config.Log) *logSwitch {
	s := &logSwitch{w: w, level: new(slog.LevelVar), current: new(atomic.Pointer[slog.Handler])}
	s.set(c)
	return s
}

// newQueuedLog returns a log whose lines reach w in their own time. flush comes before the
// end of the process.
func newQueuedLog(w io.Writer, c config.Log) *logSwitch {
	q := newLogQueue(w)
	s := newLogSwitch(q, c)
	s.queue = q
	return s
}

// flush waits for lines that are not written yet, but not for long.
func (s *logSwitch) flush() { s.queue.flush(lastLines) }

// set makes the log look as c says.
func (s *logSwitch) set(c config.Log) {
	_ = s.setLevel(string(c.Level)) // a level that config knows
	options := &slog.HandlerOptions{Level: s.level, ReplaceAttr: utc}
	var h slog.Handler = slog.NewJSONHandler(s.w, options)
	if c.Format == config.FormatText {
		h = slog.NewTextHandler(s.w, options)
	}
	s.current.Store(&h)
}

// setLevel changes the level alone: debug, info, warn or error.
func (s *logSwitch) setLevel(name string) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return err
	}
	s.level.Set(level)
	return nil
}

// Enabled reports whether lines of this level are written.
func (s *logSwitch) Enabled(_ context.Context, level slog.Level) bool {
	return level >= s.level.Level()
}

// Handle writes a line in the format that is current, after one that tells of lines which
// found no room.
func (s *logSwitch) Handle(ctx context.Context, r slog.Record) error {
	h := *s.current.Load()
	if s.queue != nil {
		if n := s.queue.takeLost(); n > 0 {
			told := slog.NewRecord(r.Time, slog.LevelWarn, "log lines lost", 0)
			told.AddAttrs(slog.Int64("lines", n))
			_ = h.Handle(ctx, told) // a queue does not fail
		}
	}
	return h.Handle(ctx, r)
}

// WithAttrs returns a handler that keeps today's format.
func (s *logSwitch) WithAttrs(attrs []slog.Attr) slog.Handler {
	return (*s.current.Load()).WithAttrs(attrs)
}

// WithGroup returns a handler that keeps today's format.
func (s *logSwitch) WithGroup(name string) slog.Handler { return (*s.current.Load()).WithGroup(name) }

// utc writes the time of a line in UTC.
func utc(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	}
	return a
}
