package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An access log whose reader stands still can be moved by a reload.
func TestE2EAccessLogReaderThatStandsStill(t *testing.T) {
	p := newPlace(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	_ = writer.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := writer.Write(make([]byte, 1<<20)); err == nil {
		t.Fatal("the pipe is not full")
	}
	cmd := p.command("run", "-config", p.file("millrace.yaml", p.says("one", "access_log: {path: stdout}")))
	d := &daemon{t: t, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = writer, &d.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	go func() {
		cmd.Wait()
		close(d.exited)
	}()
	t.Cleanup(func() { cmd.Process.Kill() })
	d.logs(`"listening"`)
	p.answers("200 one")
	p.file("millrace.yaml", p.says("two", "access_log: {path: access.log}"))
	d.signal(syscall.SIGHUP)
	d.logs(`"configuration reloaded"`)
	p.answers("200 two")
	d.until("the new log has the line", func() bool {
		text, _ := os.ReadFile(filepath.Join(p.dir, "access.log"))
		return strings.Contains(string(text), `"status":200`)
	})
	d.signal(syscall.SIGTERM)
	d.ends(0)
}
