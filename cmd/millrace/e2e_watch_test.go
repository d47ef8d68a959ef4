package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestE2EWatch(t *testing.T) {
	p := newPlace(t)
	d := p.serve(p.says("one"))
	becomes := func(want string) {
		t.Helper()
		begin := time.Now()
		d.until("the answer is "+want, func() bool { return p.get() == "200 "+want })
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s is served after %v", want, took)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p.file("millrace.yaml", p.says("in place"))
	becomes("in place")
	p.file("new", p.says("renamed"))
	must(os.Rename(filepath.Join(p.dir, "new"), filepath.Join(p.dir, "millrace.yaml")))
	becomes("renamed")

	must(os.Mkdir(filepath.Join(p.dir, "..v1"), 0o700))
	p.file("..v1/millrace.yaml", p.says("linked"))
	must(os.Symlink("..v1", filepath.Join(p.dir, "..data")))
	must(os.Symlink("..data/millrace.yaml", filepath.Join(p.dir, "link")))
	must(os.Rename(filepath.Join(p.dir, "link"), filepath.Join(p.dir, "millrace.yaml")))
	becomes("linked")
	must(os.Mkdir(filepath.Join(p.dir, "..v2"), 0o700))
	p.file("..v2/millrace.yaml", p.says("swapped"))
	must(os.Symlink("..v2", filepath.Join(p.dir, "..new")))
	must(os.Rename(filepath.Join(p.dir, "..new"), filepath.Join(p.dir, "..data")))
	becomes("swapped")

	p.file("..v2/millrace.yaml", "colour: blue\n")
	d.logs(`"configuration rejected"`)
	p.answers("200 swapped")
	p.file("..v2/millrace.yaml", p.says("good again"))
	becomes("good again")
	d.until("the last reload is logged", func() bool { return d.count(`"configuration reloaded"`) >= 5 })
	d.signal(syscall.SIGTERM)
	d.ends(0)
	if n := d.count(`"configuration reloaded"`); n != 5 {
		t.Errorf("%d reloads, want 5: %s", n, d.stderr.String())
	}
}
