package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"millrace/engine/config"
)

// A gatedWriter takes nothing until it is opened.
type gatedWriter struct {
	entered chan struct{} // holds one
	gate    chan struct{}
	text    bytes.Buffer
}

func (g *gatedWriter) Write(p []byte) (int, error) {
	select {
	case g.entered <- struct{}{}:
	default:
	}
	<-g.gate
	return g.text.Write(p)
}

// Whoever logs does not wait for the reader; what is lost meanwhile is told later.
func TestLogQueueOutlastsItsReader(t *testing.T) {
	const lost = 7
	w := &gatedWriter{entered: make(chan struct{}, 1), gate: make(chan struct{})}
	logs := newQueuedLog(w, config.Log{Level: config.LevelInfo})
	log := slog.New(logs)
	log.Info("first")
	<-w.entered
	for range queuedLines + lost {
		log.Info("filler")
	}
	logs.queue.flush(0) // returns
	close(w.gate)
	logs.flush()
	log.Info("last")
	logs.flush()
	text := w.text.String()
	if n := strings.Count(text, "filler"); n != queuedLines {
		t.Errorf("%d lines are written, want %d", n, queuedLines)
	}
	told, last := strings.Index(text, `"msg":"log lines lost","lines":7`), strings.Index(text, `"msg":"last"`)
	if told < 0 || last < told {
		t.Errorf("no word of the loss before the last line: %s", text[max(0, len(text)-400):])
	}
}

func TestLogQueueKeepsItsLines(t *testing.T) {
	var text bytes.Buffer
	q := newLogQueue(&text)
	line := []byte("one\n")
	_, _ = q.Write(line)
	copy(line, "two\n")
	_, _ = q.Write(line)
	if q.flush(e2eLimit); text.String() != "one\ntwo\n" {
		t.Errorf("written: %q", &text)
	}
}
