package main

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/engine"
)

func TestSuccessorEnvironment(t *testing.T) {
	f := func(want string, own ...string) {
		t.Helper()
		if got := strings.Join(successorEnvironment(own, 7), " "); got != strings.TrimSpace(want+" "+upgradeVariable+"=7") {
			t.Errorf("%q: got %q", own, got)
		}
	}
	f("")
	f("A=1 B=", "A=1", "B=")
	f("A=1", upgradeVariable+"=3", "A=1")
	f("NOTIFY_SOCKET=@x WATCHDOG_USEC=5", "NOTIFY_SOCKET=@x", "WATCHDOG_USEC=5", "WATCHDOG_PID=9")
	f("LISTENER=1", "LISTEN_PID=1", "LISTEN_FDS=2", "LISTEN_FDNAMES=a:b", "LISTENER=1")
}

func TestProgramPath(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	f := func(name, want string) {
		t.Helper()
		if got, err := programPath(name); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	f(own, own)
	f(link, link)
	f("./link", link)
	f("link", link)
	f("other", own) // it is not what runs
	f("none", own)
	f("", own)
}

// linked are the two ends of the pipes between a process and its successor.
func linked(t *testing.T) (own, other *link) {
	t.Helper()
	own, other, err := newLinks()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.close)
	t.Cleanup(other.close)
	return own, other
}

func TestLinkCarriesMessages(t *testing.T) {
	own, other := linked(t)
	sent := &handoverMessage{
		Step: stepState, Admin: "127.0.0.1:9090", State: []byte(`{"a":"` + strings.Repeat("b", 1<<20) + `"}`),
		Sockets: []engine.PassedSocket{{Listener: ":80"}, {Listener: "unix:/x", File: true}},
	}
	go func() {
		_ = own.send(sent)
		_ = own.send(&handoverMessage{Step: stepGo})
	}()
	got, err := other.expect(stepState)
	if err != nil || got.Admin != sent.Admin || string(got.State) != string(sent.State) || !slices.Equal(got.Sockets, sent.Sockets) {
		t.Errorf("got %.200v, %v", got, err)
	}
	if _, err := other.expect(stepReady); err == nil || !strings.Contains(err.Error(), `"go"`) {
		t.Errorf("a wrong step: %v", err)
	}
}

func TestLinkEnds(t *testing.T) {
	f := func(write string, want error) {
		t.Helper()
		own, other := linked(t)
		io.WriteString(other.to, write)
		other.close()
		if _, err := own.expect(stepBegin); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", write, err, want)
		}
		if err := own.send(&handoverMessage{}); err == nil {
			t.Errorf("%q: sent to nobody", write)
		}
	}
	f("", io.EOF)
	f(`{"step":"be`, io.EOF)
	f(`{"step":"begin"}`, nil)
	own, _ := linked(t)
	if err := own.within(10 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if _, err := own.expect(stepBegin); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the limit: %v", err)
	}
}

func TestFindPredecessor(t *testing.T) {
	f := func(text string) {
		t.Helper()
		t.Setenv(upgradeVariable, text)
		if b, err := findPredecessor(); err == nil || b != nil {
			t.Errorf("%q: got %v, %v", text, b, err)
		}
		if b, err := findPredecessor(); err != nil || b != nil {
			t.Errorf("%q: the second time %v, %v", text, b, err)
		}
	}
	f("")
	f("-1")
	f("x")
	f("100000") // more than are open
}

// starting is an upgrader of no process, whose program is a shell script.
func starting(t *testing.T, script string) *upgrader {
	t.Helper()
	p := newPlace(t)
	program := p.file("program", "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	u := &upgrader{process: new(process), program: program, limit: 200 * time.Millisecond, offers: make(chan offer)}
	u.process.log = slog.New(slog.DiscardHandler)
	return u
}

// A successor that does nothing has its time, and no more.
func TestUpgradeHasALimit(t *testing.T) {
	u := starting(t, "exec sleep 1000")
	s, err := u.start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.link.close()
	if err := u.prepare(s, nil); err == nil || !strings.Contains(err.Error(), "not ready within 200ms") {
		t.Errorf("the error is %v", err)
	}
	s.end()
	<-s.ended
	if err := s.alive(); err == nil {
		t.Error("it still runs")
	}
}

func TestUpgradeOfAProcessThatEnds(t *testing.T) {
	u := starting(t, "exec sleep 1000")
	s, err := u.start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.link.close()
	u.abort()
	<-s.ended
	if _, err := u.start(nil); !errors.Is(err, errEnding) {
		t.Errorf("another one: %v", err)
	}
}

// A successor that dies when it is ready is not waited for by who has other things to do.
func TestUpgradeIsNotTakenFromTheDead(t *testing.T) {
	u := starting(t, "exit 5")
	s, err := u.start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.link.close()
	if err := u.offer(s); err == nil || !strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("the error is %v", err)
	}
	if err := u.process.giveWay(s); err == nil || !strings.Contains(err.Error(), "exit status 5") {
		t.Errorf("the error is %v", err)
	}
}

func TestNotifierPassesOn(t *testing.T) {
	m := listenAs(t, filepath.Join(t.TempDir(), "notify"))
	n := m.notifier()
	n.passOn(77)
	m.hears("MAINPID=77")
	n.silence()
	n.ready("serving")
	n.stopping(time.Second)
	n.passOn(78)
	m.silent()
}
