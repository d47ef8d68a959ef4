package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// serves is a configuration that answers on these listeners; more is added to it.
func serves(admin string, more string, listeners ...string) string {
	if admin == "" {
		admin = "false"
	} else {
		admin = fmt.Sprintf("{address: %q}", admin)
	}
	return fmt.Sprintf("listeners: [%s]\nadmin: %s\nroutes: [{local: {status: 200, body: hello}}]\n%s",
		strings.Join(listeners, ", "), admin, more)
}

// A reload that fails when a part of it is done leaves no trace of that part.
func TestE2EReloadThatFailsHalfWay(t *testing.T) {
	p := newPlace(t)
	first, moved := filepath.Join(p.dir, "first"), unused(t)
	d := p.serve(p.says("hello"))
	before := len(d.descriptors())
	p.file("millrace.yaml", serves(moved, "access_log: {path: stdout}", "'unix:"+p.web()+"'", "'unix:"+first+"'", "'"+taken(t)+"'"))
	d.signal(syscall.SIGHUP)
	d.logs("address already in use")
	p.answers("200 hello")
	if _, err := os.Lstat(first); err == nil {
		t.Error("the socket file of a listener that never served is left behind")
	}
	if c, err := net.Dial("tcp", moved); err == nil {
		c.Close()
		t.Error("the new admin listener is open")
	}
	d.until("descriptors are as before", func() bool { return len(d.descriptors()) <= before })
}

// descriptors are what the program has open, empty where that cannot be told.
func (d *daemon) descriptors() []os.DirEntry {
	all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.cmd.Process.Pid))
	return all
}

func TestE2EStartThatFailsLeavesNoSocketFile(t *testing.T) {
	p := newPlace(t)
	r := p.execute("run", "-config", p.file("x.yaml", serves(taken(t), "", "'unix:"+p.web()+"'")))
	r.wants(t, 1, "", "address already in use")
	if _, err := os.Lstat(p.web()); err == nil {
		t.Error("the listener's socket is left behind")
	}
}

// Who takes the path of a unix listener over keeps it when the one before ends.
func TestE2ESocketFileOfAnother(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("first"))
	if err := os.Remove(p.web()); err != nil {
		t.Fatal(err)
	}
	other := p.start("run", "-config", p.file("other.yaml", p.says("second")))
	other.logs(`"listening"`)
	d.signal(syscall.SIGTERM)
	d.ends(0)
	p.answers("200 second")
}

// What a reload accepts a start accepts, and the other way round.
func TestE2EListenersOnOnePort(t *testing.T) {
	_, port, _ := net.SplitHostPort(unused(t))
	f := func(accepted bool, hosts ...string) {
		t.Helper()
		var listeners []string
		for _, host := range hosts {
			listeners = append(listeners, "'"+host+":"+port+"'")
		}
		p := newPlace(t)
		d := p.start("run", "-config", p.file("millrace.yaml", serves("", "", listeners...)))
		if accepted {
			d.until("all listen", func() bool { return d.count(`"listening"`) == len(hosts) })
		} else {
			d.ends(1)
		}
		d.cmd.Process.Kill()
		<-d.exited
		d = p.serve(serves("", "", listeners[0]))
		p.file("millrace.yaml", serves("", "", listeners...))
		d.signal(syscall.SIGHUP)
		if accepted {
			d.logs(`"configuration reloaded"`)
		} else {
			d.logs("is the same address")
		}
		d.cmd.Process.Kill()
		<-d.exited
	}
	f(true, "0.0.0.0", "127.0.0.1")
	f(true, "127.0.0.1", "0.0.0.0")
	f(false, "127.0.0.1", "localhost")
}

// The operators' listener moves to another address of the port that it has.
func TestE2EAdminMovesOnItsPort(t *testing.T) {
	address := unused(t)
	_, port, _ := net.SplitHostPort(address)
	p := newPlace(t)
	d := p.serve(serves(address, "", "'unix:"+p.web()+"'"))
	for i, next := range []string{"0.0.0.0:" + port, address} {
		p.file("millrace.yaml", serves(next, "", "'unix:"+p.web()+"'"))
		d.signal(syscall.SIGHUP)
		d.until("the reload is done", func() bool { return d.count(`"configuration reloaded"`) > i || d.count("rejected") > 0 })
		response, err := http.Get("http://" + address + "/healthz")
		if err != nil || response.StatusCode != 200 || d.count("rejected") > 0 {
			t.Fatalf("at %s: %v: %s", next, err, d.stderr.String())
		}
		response.Body.Close()
	}
}

// A reload that waits for a file holds up neither the rotation of logs, nor the end of the
// process, nor the signal that hurries it.
func TestE2EEndDuringAReloadThatStandsStill(t *testing.T) {
	f := func(more string, code int, signals ...syscall.Signal) {
		t.Helper()
		p := newPlace(t)
		pipe := filepath.Join(p.dir, "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		silent, err := os.OpenFile(pipe, os.O_RDWR, 0) // whoever reads it waits
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		log := filepath.Join(p.dir, "access.log")
		p.file("first.yaml", p.says("hello", more, "access_log: {path: access.log}"))
		if err := os.Symlink("first.yaml", filepath.Join(p.dir, "millrace.yaml")); err != nil {
			t.Fatal(err)
		}
		m := listenAs(t, filepath.Join(p.dir, "notify"))
		p.env = append(p.env, "NOTIFY_SOCKET="+m.conn.LocalAddr().String())
		d := p.start("run", "-config", filepath.Join(p.dir, "millrace.yaml"))
		d.logs(`"listening"`)
		if err := errors.Join(os.Remove(filepath.Join(p.dir, "millrace.yaml")), os.Remove(log)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("pipe", filepath.Join(p.dir, "millrace.yaml")); err != nil {
			t.Fatal(err)
		}
		d.signal(syscall.SIGHUP)
		m.expects("READY=1\n", "RELOADING=1\n")
		for _, s := range signals {
			d.signal(s)
			if s == syscall.SIGUSR1 {
				d.until("the log is opened again", func() bool { _, err := os.Lstat(log); return err == nil })
				continue
			}
			d.logs(`"draining"`)
		}
		d.ends(code)
	}
	f("", 0, syscall.SIGUSR1, syscall.SIGTERM)
	f("shutdown_delay: 1h", 130, syscall.SIGTERM, syscall.SIGTERM)
}
