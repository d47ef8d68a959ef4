package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What runs when the time is up is cut off, and has its line in the access log all the same.
func TestStopLogsWhatItCuts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	u := listen(t)
	p := setup{top: "access_log: {path: " + path + "}"}.run(t, u)
	waiting, running := p.dial(), p.dial()
	waiting.get("/waiting")
	u.accept().seeHead()
	running.get("/running")
	w := u.accept()
	w.seeHead()
	w.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
	running.see("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
	p.tunnel(u, p.dial)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.engine.Drain(over); !errors.Is(err, context.Canceled) {
		t.Errorf("drain: %v", err)
	}
	p.engine.Stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[int]int)
	for line := range strings.Lines(string(text)) {
		var l struct {
			Status int `json:"status"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		found[l.Status]++
	}
	if len(found) != 3 || found[503] != 1 || found[200] != 1 || found[101] != 1 {
		t.Errorf("statuses and their lines are %v: %s", found, text)
	}
}
