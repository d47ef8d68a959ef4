package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestE2EStartFails(t *testing.T) {
	p, busy := newPlace(t), taken(t)
	f := func(configuration string, want ...string) {
		t.Helper()
		r := p.execute("run", "-config", p.file("x.yaml", configuration))
		if r.code != 1 || r.stdout != "" {
			t.Errorf("%s: got %d, %q", configuration, r.code, r.stdout)
		}
		for _, w := range want {
			if !strings.Contains(r.stderr, w) {
				t.Errorf("%s: no %q in %s", configuration, w, r.stderr)
			}
		}
	}
	route := "\nroutes: [{local: {status: 200}}]\n"
	f("listeners: [\""+busy+"\"]\nadmin: false"+route, "start failed", "listeners[0]", busy, "address already in use")
	f("listeners: [\"unix:"+p.web()+"\"]\nadmin: {address: \""+busy+"\"}"+route, "start failed", busy, "address already in use")
	f("listeners: [\"127.0.0.1:1\"]\ncolour: blue\nlog: {level: loud}"+route, "configuration rejected", "x.yaml:2:1: colour: ", "x.yaml:3:", "log.level: ")
	f("", "configuration rejected", "x.yaml")
	p.execute("run", "-config", "none.yaml").wants(t, 1, "", "none.yaml: no such file")
}

func TestE2ESecondInstanceIsRefused(t *testing.T) {
	p := newPlace(t)
	address := unused(t)
	configuration := fmt.Sprintf("listeners: [%q, %q]\nadmin: false\nroutes: [{local: {status: 200, body: first}}]\n", address, "unix:"+p.web())
	p.serve(configuration)
	for _, listener := range []string{address, "unix:" + p.web()} {
		r := newPlace(t).execute("run", "-config", p.file("second.yaml", strings.Replace(configuration, "first", "second", 1)))
		r.wants(t, 1, "", "address already in use")
		one := fmt.Sprintf("listeners: [%q]\nadmin: false\nroutes: [{local: {status: 200}}]\n", listener)
		newPlace(t).execute("run", "-config", p.file("second.yaml", one)).wants(t, 1, "", "address already in use")
	}
	p.answers("200 first")
}

func TestE2ESignalsEndAnIdleProxy(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := newPlace(t)
		d := p.serve(p.says("hello"))
		p.answers("200 hello")
		d.signal(s)
		d.ends(0)
		if _, err := os.Lstat(p.web()); err == nil {
			t.Errorf("%v: the listener's socket is left behind", s)
		}
		if !strings.Contains(d.stderr.String(), `"draining"`) {
			t.Errorf("%v: logged %s", s, d.stderr.String())
		}
	}
}

// A held upstream answers a request when it is released.
type held struct {
	arrived, release chan struct{}
	URL              string
}

func holding(t *testing.T) *held {
	t.Helper()
	h := &held{arrived: make(chan struct{}, 1), release: make(chan struct{})}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.arrived <- struct{}{}
		select {
		case <-h.release:
			io.WriteString(w, "released")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	h.URL = s.URL
	return h
}

// begin sends a request through a proxy to h and returns when h has it. The answer comes
// by the channel.
func (h *held) begin(t *testing.T, more string) (*daemon, <-chan string) {
	t.Helper()
	p := newPlace(t)
	d := p.serve(fmt.Sprintf("listeners: [%q]\nadmin: false\nroutes: [{proxy: %q}]\n%s", "unix:"+p.web(), h.URL, more))
	answer := make(chan string, 1)
	go func() { answer <- p.get() }()
	d.until("the request is under way", func() bool { return len(h.arrived) > 0 })
	return d, answer
}

func TestE2EDrainFinishesWhatRuns(t *testing.T) {
	h := holding(t)
	d, answer := h.begin(t, "")
	d.signal(syscall.SIGTERM)
	d.logs(`"draining"`)
	close(h.release)
	if got := <-answer; got != "200 released" {
		t.Errorf("got %q", got)
	}
	d.ends(0)
}

func TestE2EDrainHasAnEnd(t *testing.T) {
	d, answer := holding(t).begin(t, "shutdown_timeout: 100ms\n")
	d.signal(syscall.SIGTERM)
	d.ends(0)
	if got := <-answer; !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
		t.Errorf("got %q, want a cut connection", got)
	}
	if !strings.Contains(d.stderr.String(), "shutdown_timeout reached") {
		t.Errorf("logged %s", d.stderr.String())
	}
}

func TestE2ESecondSignalEndsAtOnce(t *testing.T) {
	f := func(more string, first, second syscall.Signal) {
		t.Helper()
		d, _ := holding(t).begin(t, more)
		d.signal(first)
		d.logs(`"draining"`)
		d.signal(second)
		d.ends(130)
	}
	f("shutdown_timeout: 1h\n", syscall.SIGTERM, syscall.SIGINT)
	f("shutdown_timeout: 1h\n", syscall.SIGINT, syscall.SIGTERM)
	f("shutdown_delay: 1h\n", syscall.SIGTERM, syscall.SIGTERM)
}

func TestE2EDelayKeepsServing(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("hello", "shutdown_delay: 1h"))
	d.signal(syscall.SIGTERM)
	d.logs(`"draining"`)
	p.answers("200 hello")
	d.signal(syscall.SIGTERM)
	d.ends(130)
}

func TestE2ELogReaderThatLeft(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("run", "-config", p.file("millrace.yaml", p.says("hello")))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	writer.Close()
	reader.Close() // every line of the log is now a broken pipe
	d := &daemon{t: t, cmd: cmd, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(d.exited)
	}()
	d.until("clients are served", func() bool { return p.get() == "200 hello" })
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

func TestE2EClosedStandardFiles(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("-c", `exec "$0" "$@" <&- >&- 2>&-`, binary, "run", "-config", p.file("millrace.yaml", p.says("hello")))
	cmd.Path = "/bin/sh"
	d := p.startCommand(cmd)
	d.until("clients are served", func() bool { return p.get() == "200 hello" })
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

func TestE2EStaleSocketFileIsReplaced(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("first"))
	d.signal(syscall.SIGKILL)
	<-d.exited
	if _, err := net.Dial("unix", p.web()); err == nil {
		t.Fatal("somebody listens still")
	}
	p.serve(p.says("second"))
	p.answers("200 second")
}

// A reader of the log that stands still holds up neither clients, nor a reload, nor the end.
func TestE2ELogReaderThatStandsStill(t *testing.T) {
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
	cmd := p.command("run", "-config", p.file("millrace.yaml", p.says("one")))
	cmd.Stderr = writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	d := &daemon{t: t, cmd: cmd, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(d.exited)
	}()
	t.Cleanup(func() { cmd.Process.Kill() })
	d.until("clients are served", func() bool { return p.get() == "200 one" })
	p.file("millrace.yaml", p.says("two"))
	d.signal(syscall.SIGHUP)
	d.until("the reload is done", func() bool { return p.get() == "200 two" })
	d.signal(syscall.SIGTERM)
	d.ends(0)
}
