package discovery

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// What the files say is in force soon after they changed, whatever the TTL.
func TestFilesAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		files := d.finder.files
		d.set("app.test. 300 IN A 10.0.0.1", "short.x.test. 300 IN A 10.0.0.2")
		w, short := d.watch(app()), d.watch(Query{Name: "short", Port: 80})
		pass(0)
		f := func(wantApp, wantShort string) {
			t.Helper()
			pass(fileInterval + time.Second)
			w.is(t, wantApp)
			short.is(t, wantShort)
		}
		f(good, "nxdomain:")
		write(t, files.hosts.path, "10.0.0.7 app.test\n")
		f("resolved: 10.0.0.7:80", "nxdomain:")
		write(t, files.resolvConf.path, "search x.test\n")
		f("resolved: 10.0.0.7:80", "resolved: 10.0.0.2:80")
		replace(t, files.hosts.path, "10.0.0.8 app.test\n")
		f("resolved: 10.0.0.8:80", "resolved: 10.0.0.2:80")
		if err := os.Remove(files.hosts.path); err != nil {
			t.Fatal(err)
		}
		f(good, "resolved: 10.0.0.2:80")
	})
}

// replace puts another file of the same size in the place of one, as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestFileRead(t *testing.T) {
	dir := t.TempDir()
	f := file{path: dir + "/hosts"}
	want := func(text string, ok bool) {
		t.Helper()
		if got, changed := f.read(); got != text || changed != ok {
			t.Errorf("%q, %v; want %q, %v", got, changed, text, ok)
		}
	}
	want("", false) // not there
	write(t, f.path, "a")
	want("a", true)
	want("", false) // as before
	replace(t, f.path, "b")
	want("b", true)
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	want("", true)
	want("", false)
	if err := os.Mkdir(f.path, 0o700); err != nil {
		t.Fatal(err)
	}
	want("", false) // not a file
}

func TestHostsFileNeedsNoServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t)
		write(t, d.finder.files.hosts.path, "10.0.0.7 app.test\n10.0.0.8 target.test\n")
		pass(fileInterval)
		w := d.watch(app())
		local := d.watch(Query{Name: "localhost", Port: 80})
		d.set(web + " 60 IN SRV 0 1 81 target.test.")
		srv := d.watch(webQuery())
		pass(0)
		w.is(t, "resolved: 10.0.0.7:80")
		local.is(t, "resolved: 127.0.0.1:80 [::1]:80")
		srv.is(t, "resolved: 10.0.0.8:81=target.test")
		if c := d.Cache(); c.Misses != 1 {
			t.Errorf("%d lookups by servers, want that of the service", c.Misses)
		}
	})
}
