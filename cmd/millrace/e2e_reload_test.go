package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// count is how often the log has text.
func (d *daemon) count(text string) int { return strings.Count(d.stderr.String(), text) }

func TestE2EHangupReloads(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("one"))
	p.file("millrace.yaml", p.says("two"))
	d.signal(syscall.SIGHUP)
	d.logs(`"configuration reloaded"`)
	p.answers("200 two")
	d.signal(syscall.SIGHUP)
	d.logs(`"configuration unchanged"`)
	p.file("millrace.yaml", p.says("three", "colour: blue", "log: {level: loud}"))
	d.signal(syscall.SIGHUP)
	d.until("both faults are logged", func() bool { return d.count(`"configuration rejected"`) >= 2 })
	p.answers("200 two")
	if err := os.Remove(p.dir + "/millrace.yaml"); err != nil {
		t.Fatal(err)
	}
	d.signal(syscall.SIGHUP)
	d.logs("no such file")
	p.answers("200 two")
	p.file("millrace.yaml", p.says("four"))
	d.signal(syscall.SIGHUP)
	d.until("the good file is loaded", func() bool { return p.get() == "200 four" })
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

func TestE2EHangupOfTheDemoIsHarmless(t *testing.T) {
	d := newPlace(t).start("run", "-demo")
	d.until("addresses are printed or taken", func() bool {
		return strings.Contains(d.stdout.String(), "metrics") || d.count("in use") > 0
	})
	if d.count("in use") > 0 {
		t.Skipf("skipped: somebody else has the demo's ports: %s", d.stderr.String())
	}
	d.signal(syscall.SIGHUP)
	d.logs("no configuration file to reload")
	d.signal(syscall.SIGTERM)
	d.ends(0)
}

func TestE2EHangupWhileDraining(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("one", "shutdown_delay: 1h"))
	d.signal(syscall.SIGTERM)
	d.logs(`"draining"`)
	p.file("millrace.yaml", p.says("two"))
	d.signal(syscall.SIGHUP)
	p.answers("200 one")
	d.signal(syscall.SIGTERM)
	d.ends(130)
}
