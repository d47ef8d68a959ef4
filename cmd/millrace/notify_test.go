package main

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A supervisor listens to what processes say.
type supervisor struct {
	t    *testing.T
	conn *net.UnixConn
	log  bytes.Buffer // of the notifier under test
}

func listenAs(t *testing.T, name string) *supervisor {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &supervisor{t: t, conn: conn}
}

// notifier returns one that has this environment beside the socket.
func (m *supervisor) notifier(environment ...string) *notifier {
	environment = append(environment, "NOTIFY_SOCKET="+m.conn.LocalAddr().String())
	return newNotifier(lookupIn(environment...), 100, slog.New(slog.NewTextHandler(&m.log, nil)))
}

// lookupIn returns a look-up among NAME=value words.
func lookupIn(environment ...string) func(string) string {
	return func(name string) string {
		for _, word := range environment {
			if value, ok := strings.CutPrefix(word, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// hears waits for the next message, which must be want.
func (m *supervisor) hears(want string) {
	m.t.Helper()
	if got := m.next(10 * time.Second); got != want {
		m.t.Errorf("got %q, want %q", got, want)
	}
}

// silent fails if a message has come.
func (m *supervisor) silent() {
	m.t.Helper()
	if got := m.next(0); got != "" {
		m.t.Errorf("got %q, want nothing", got)
	}
}

// next returns a message, or nothing if none comes in time.
func (m *supervisor) next(within time.Duration) string {
	m.t.Helper()
	var buffer [4096]byte
	if err := m.conn.SetReadDeadline(time.Now().Add(within + time.Millisecond)); err != nil {
		m.t.Fatal(err)
	}
	n, _ := m.conn.Read(buffer[:])
	return string(buffer[:n])
}

func TestNotify(t *testing.T) {
	m := listenAs(t, filepath.Join(t.TempDir(), "notify"))
	n := m.notifier()
	n.ready("one\ntwo")
	m.hears("READY=1\nSTATUS=one two")
	n.reloading()
	got := m.next(10 * time.Second)
	if want := "RELOADING=1\nMONOTONIC_USEC="; monotonicMicroseconds() > 0 && !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %s and a number", got, want)
	}
	n.stopping(30 * time.Second)
	m.hears("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=35000000")
	n.ready("a reload that ends late")
	n.reloading()
	m.silent()
	if m.log.Len() > 0 {
		t.Errorf("logged %s", m.log.String())
	}
}

func TestNotifyClock(t *testing.T) {
	first := monotonicMicroseconds()
	if first == 0 {
		t.Skip("no such clock on this system")
	}
	begin := time.Now()
	for time.Since(begin) < 2*time.Millisecond {
		continue
	}
	took := time.Duration(monotonicMicroseconds()-first) * time.Microsecond
	if took < 2*time.Millisecond || took > time.Minute {
		t.Errorf("%v passed, want some 2 ms", took)
	}
}

func TestNotifySurvivesItsListener(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	m := listenAs(t, path)
	n := m.notifier()
	n.ready("first")
	m.hears("READY=1\nSTATUS=first")
	m.conn.Close()
	n.ready("nobody hears this")
	if !strings.Contains(m.log.String(), "service manager not told") {
		t.Errorf("logged %q", m.log.String())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again := listenAs(t, path)
	n.ready("second")
	again.hears("READY=1\nSTATUS=second")
}

func TestNotifyNobody(t *testing.T) {
	f := func(socket, wantLog string) {
		t.Helper()
		var log bytes.Buffer
		n := newNotifier(lookupIn("NOTIFY_SOCKET="+socket), 100, slog.New(slog.NewTextHandler(&log, nil)))
		n.ready("")
		n.stopping(time.Second)
		n.feed(nil, func() bool { return true })
		if !strings.Contains(log.String(), wantLog) || (wantLog == "") != (log.Len() == 0) {
			t.Errorf("NOTIFY_SOCKET=%s: logged %q, want %q", socket, log.String(), wantLog)
		}
	}
	f("", "")
	f("relative", "want /path or @name")
	f("vsock:2:1234", "want /path or @name")
	f(filepath.Join(t.TempDir(), "none"), "no such file")
}

func TestWatchdogInterval(t *testing.T) {
	f := func(want time.Duration, ok bool, environment ...string) {
		t.Helper()
		got, err := watchdogInterval(lookupIn(environment...), 100)
		if got != want || (err == nil) != ok {
			t.Errorf("%q: got %v, %v, want %v", environment, got, err, want)
		}
	}
	f(0, true)
	f(15*time.Second, true, "WATCHDOG_USEC=30000000")
	f(15*time.Second, true, "WATCHDOG_USEC=30000000", "WATCHDOG_PID=100")
	f(0, true, "WATCHDOG_USEC=30000000", "WATCHDOG_PID=99")
	f(500*time.Nanosecond, true, "WATCHDOG_USEC=1")
	for _, bad := range []string{"0", "-1", "1s", "9223372036854775807", "99999999999999999999"} {
		f(0, false, "WATCHDOG_USEC="+bad)
	}
}

func TestFeedOnlyWhileHealthy(t *testing.T) {
	m := listenAs(t, filepath.Join(t.TempDir(), "notify"))
	synctest.Test(t, func(t *testing.T) {
		n := m.notifier("WATCHDOG_USEC=2000000")
		healthy := new(atomic.Bool)
		stop := make(chan struct{})
		go n.feed(stop, healthy.Load)
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		pass(2500 * time.Millisecond)
		m.silent()
		healthy.Store(true)
		pass(2 * time.Second)
		m.hears("WATCHDOG=1")
		m.hears("WATCHDOG=1")
		m.silent()
		n.stopping(0)
		m.hears("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=5000000")
		pass(time.Second)
		m.hears("WATCHDOG=1")
		close(stop)
		pass(5 * time.Second)
		m.silent()
	})
	if n := strings.Count(m.log.String(), "not every event loop turns"); n != 2 {
		t.Errorf("logged %d times that it is not healthy, want 2: %s", n, m.log.String())
	}
}
