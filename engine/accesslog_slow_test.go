package engine_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A head that did not come to its end took the time that it was waited for.
func TestAccessLogTellsHowLongAHeadTook(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	e := newEcho(t)
	p := setup{top: "timeouts: {header: 200ms}\naccess_log: {path: " + path + "}"}.run(t, e.upstream)
	c := p.dial()
	c.ask("/1", "/1")
	c.send("GET /2 HTTP/1.1\r\n")
	c.seeStatus(408, "request timeout")
	var line struct {
		Status   int     `json:"status"`
		Duration float64 `json:"duration_ms"`
	}
	eventually(t, "the line is written", func() bool {
		text, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(lastLine(text), &line) == nil && line.Status == 408
	})
	if line.Duration < 200 {
		t.Errorf("it took %v ms", line.Duration)
	}
}

// lastLine is the last whole line of text, without its end.
func lastLine(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	return lines[max(0, len(lines)-2)]
}
