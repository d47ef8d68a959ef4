package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nextNews returns the next message that is no sign of life.
func (m *supervisor) nextNews() string {
	m.t.Helper()
	for begin := time.Now(); time.Since(begin) < e2eLimit; {
		if got := m.next(e2eLimit); got != "WATCHDOG=1" {
			return got
		}
	}
	return "nothing new"
}

// expects fails unless the next messages, signs of life apart, begin like this.
func (m *supervisor) expects(prefixes ...string) {
	m.t.Helper()
	for _, prefix := range prefixes {
		if got := m.nextNews(); !strings.HasPrefix(got, prefix) {
			m.t.Fatalf("got %q, want %q", got, prefix)
		}
	}
}

func TestE2ENotify(t *testing.T) {
	p := newPlace(t)
	m := listenAs(t, filepath.Join(p.dir, "notify"))
	p.env = append(p.env, "NOTIFY_SOCKET="+m.conn.LocalAddr().String(), "WATCHDOG_USEC=200000")
	d := p.serve(p.says("one"))
	m.expects("READY=1\nSTATUS=")
	m.hears("WATCHDOG=1")
	m.hears("WATCHDOG=1")
	for _, configuration := range []string{p.says("two"), "colour: blue\n", ""} {
		p.file("millrace.yaml", configuration)
		d.signal(syscall.SIGHUP)
		m.expects("RELOADING=1\nMONOTONIC_USEC=", "READY=1\nSTATUS=")
	}
	d.signal(syscall.SIGTERM)
	m.expects("STOPPING=1\n")
	d.ends(0)
}

// systemd waits for the end of a reload that it asked for.
func TestE2ENotifyOfAReloadWithoutEffect(t *testing.T) {
	p := newPlace(t)
	m := listenAs(t, filepath.Join(p.dir, "notify"))
	p.env = append(p.env, "NOTIFY_SOCKET="+m.conn.LocalAddr().String())
	d := p.serve(p.says("one"))
	m.expects("READY=1\n")
	d.signal(syscall.SIGHUP)
	m.expects("RELOADING=1\n", "READY=1\n")
	if err := os.Remove(filepath.Join(p.dir, "millrace.yaml")); err != nil {
		t.Fatal(err)
	}
	d.signal(syscall.SIGHUP)
	m.expects("RELOADING=1\n", "READY=1\n")
}

func TestE2ENotifySocketThatIsGone(t *testing.T) {
	p := newPlace(t)
	p.env = append(p.env, "NOTIFY_SOCKET="+filepath.Join(p.dir, "none"))
	d := p.serve(p.says("one"))
	p.answers("200 one")
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

// activate starts the program with these sockets, as a service manager does.
func activate(p *place, configuration string, sockets ...*os.File) *daemon {
	p.t.Helper()
	// The shell only names itself, and thus the program, in LISTEN_PID.
	cmd := p.command("-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary, "run", "-config", p.file("millrace.yaml", configuration))
	cmd.Path = "/bin/sh"
	cmd.Env = append(cmd.Env, fmt.Sprint("LISTEN_FDS=", len(sockets)))
	cmd.ExtraFiles = sockets
	return p.startCommand(cmd)
}

// socketOf returns a descriptor of the listener, which stays open beside it.
func socketOf(t *testing.T, l interface{ File() (*os.File, error) }) *os.File {
	t.Helper()
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestE2ESocketActivation(t *testing.T) {
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := activate(p, fmt.Sprintf("workers: 2\nlisteners: [%q, %q]\nadmin: false\nroutes: [{local: {status: 200, body: activated}}]\n", l.Addr(), "unix:"+p.web()),
		socketOf(t, l.(*net.TCPListener)))
	d.logs(`"listening"`)
	p.answers("200 activated") // a listener without a socket is opened as usual
	for range 8 {              // whichever worker takes the connection
		r, err := http.NewRequest("GET", "http://"+l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if status, _, body := fetch(t, r); status != 200 || body != "activated" {
			t.Errorf("got %d %q", status, body)
		}
	}
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

func TestE2ESocketActivationOnAPath(t *testing.T) {
	p := newPlace(t)
	u, err := net.Listen("unix", p.web())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	d := activate(p, p.says("activated", "workers: 2"), socketOf(t, u.(*net.UnixListener)))
	d.logs(`"listening"`)
	for range 8 {
		p.answers("200 activated")
	}
	d.signal(syscall.SIGTERM)
	d.ends(0)
	if _, err := os.Lstat(p.web()); err != nil {
		t.Errorf("the service manager's socket is gone: %v", err)
	}
}

func TestE2ESocketActivationThatLies(t *testing.T) {
	p := newPlace(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	d := activate(p, p.says("hello"), null)
	d.ends(1)
	if d.count("LISTEN_FDS") == 0 {
		t.Errorf("logged %s", d.stderr.String())
	}
}
