package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestE2ENotify(t *testing.T) {
	p := newPlace(t)
	m := listenAs(t, filepath.Join(p.dir, "notify"))
	p.env = append(p.env, "NOTIFY_SOCKET="+m.conn.LocalAddr().String(), "WATCHDOG_USEC=200000")
	d := p.serve(p.says("one"))
	next := func(prefix string) {
		t.Helper()
		for {
			got := m.next(e2eLimit)
			if !strings.HasPrefix(got, "WATCHDOG=1") {
				if !strings.HasPrefix(got, prefix) {
					t.Fatalf("got %q, want %q", got, prefix)
				}
				return
			}
		}
	}
	next("READY=1\nSTATUS=")
	if got := m.next(e2eLimit); got != "WATCHDOG=1" {
		t.Errorf("got %q, want a sign of life", got)
	}
	d.signal(syscall.SIGHUP)
	next("RELOADING=1\nMONOTONIC_USEC=")
	next("READY=1\nSTATUS=")
	p.file("millrace.yaml", "colour: blue\n")
	d.signal(syscall.SIGHUP)
	next("RELOADING=1\nMONOTONIC_USEC=")
	next("READY=1\nSTATUS=")
	d.signal(syscall.SIGTERM)
	next("STOPPING=1\n")
	d.ends(0)
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
	u, err := net.Listen("unix", p.web())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	d := activate(p, fmt.Sprintf("workers: 2\nlisteners: [%q, %q]\nadmin: false\nroutes: [{local: {status: 200, body: activated}}]\n", l.Addr(), "unix:"+p.web()),
		socketOf(t, u.(*net.UnixListener)), socketOf(t, l.(*net.TCPListener)))
	d.logs(`"listening"`)
	for range 8 { // whichever worker takes the connection
		p.answers("200 activated")
		conn, err := net.DialTimeout("tcp", l.Addr().String(), e2eLimit)
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(e2eLimit))
		fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
		var answer [4096]byte
		if n, err := conn.Read(answer[:]); !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 200 ") {
			t.Errorf("got %q, %v", answer[:n], err)
		}
		conn.Close()
	}
	d.signal(syscall.SIGTERM)
	d.ends(0)
	if _, err := os.Lstat(p.web()); err != nil {
		t.Errorf("the service manager's socket was removed: %v", err)
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
