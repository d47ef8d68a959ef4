package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A sight is how the file looks in a poll.
type sight struct {
	at   time.Duration
	seen stamp
	read bool // wanted: it is to be read
}

func TestSettling(t *testing.T) {
	const ms = time.Millisecond
	a, b, c := stamp{inode: 1, changed: 1}, stamp{inode: 2, changed: 2}, stamp{inode: 2, changed: 3}
	gone := stamp{}
	f := func(name string, sights ...sight) {
		t.Helper()
		var s settling
		s.expect(a, 0)
		for _, x := range sights {
			if got := s.observe(x.seen, x.at); got != x.read {
				t.Errorf("%s: at %v: read %v, want %v", name, x.at, got, x.read)
			}
		}
	}
	f("nothing happens", sight{250 * ms, a, false}, sight{time.Hour, a, false})
	f("one change", sight{250 * ms, b, false}, sight{500 * ms, b, true}, sight{750 * ms, b, false})
	f("two changes", sight{250 * ms, b, false}, sight{500 * ms, b, true}, sight{750 * ms, c, false}, sight{1000 * ms, c, true})
	f("written in pieces", sight{250 * ms, b, false}, sight{500 * ms, c, false}, sight{750 * ms, c, true})
	f("there and back", sight{250 * ms, b, false}, sight{500 * ms, a, false}, sight{750 * ms, a, true}, sight{1000 * ms, a, false})
	f("deleted", sight{250 * ms, gone, false}, sight{500 * ms, gone, true}, sight{750 * ms, gone, false})
	f("gone for a moment", sight{250 * ms, gone, false}, sight{500 * ms, b, false}, sight{750 * ms, b, true})
	f("slow polls", sight{time.Hour, b, false}, sight{2 * time.Hour, b, true})
	f("slow polls of what never rests", sight{time.Hour, b, false}, sight{2 * time.Hour, c, true})
}

func TestSettlingReadsWhatNeverRests(t *testing.T) {
	var s settling
	var reads []time.Duration
	for now := pollInterval; now <= 6*time.Second; now += pollInterval {
		if s.observe(stamp{inode: 1, changed: int64(now) + 1}, now) {
			reads = append(reads, now)
		}
	}
	want := []time.Duration{pollInterval + patience, 2 * (pollInterval + patience)}
	if len(reads) != 2 || reads[0] != want[0] || reads[1] != want[1] {
		t.Errorf("read at %v, want %v", reads, want)
	}
}

func TestSettlingReadsOnceMoreBehindCoarseStamps(t *testing.T) {
	coarse := stamp{inode: 1, changed: int64(1000 * time.Second)}
	f := func(name string, first stamp, want ...time.Duration) {
		t.Helper()
		var s settling
		var reads []time.Duration
		s.expect(first, 0)
		for now := pollInterval; now <= 8*time.Second; now += pollInterval {
			if s.observe(coarse, now) {
				reads = append(reads, now)
			}
		}
		if len(reads) != len(want) {
			t.Fatalf("%s: read at %v, want %v", name, reads, want)
		}
		for i := range want {
			if reads[i] != want[i] {
				t.Errorf("%s: read at %v, want %v", name, reads, want)
			}
		}
	}
	f("after the start", coarse, patience)
	f("after a change", stamp{}, 2*pollInterval, 2*pollInterval+patience)
}

// A watched folder holds millrace.yaml, which a watcher in a bubble of its own looks at.
type watched struct {
	t    *testing.T
	path string
	w    *watcher

	mu   sync.Mutex
	read []string // what the file held each time that it was to be read
}

// watch runs steps in a bubble, so that they wait without taking time.
func watch(t *testing.T, steps func(f *watched)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := &watched{t: t, path: filepath.Join(dir, "millrace.yaml")}
		f.write("first")
		f.w = newWatcher(f.path)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.w.run(stop, f.changed)
		}()
		steps(f)
		close(stop)
		<-ended
	})
}

// changed reads the file, as nothing if it is gone.
func (f *watched) changed() {
	text, _ := os.ReadFile(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = append(f.read, string(text))
}

func (f *watched) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *watched) write(text string) {
	f.t.Helper()
	f.must(os.WriteFile(f.path, []byte(text), 0o600))
}

// replace puts a new file in the place of path.
func (f *watched) replace(path, text string) {
	f.t.Helper()
	f.must(os.WriteFile(path+".new", []byte(text), 0o600))
	f.must(os.Rename(path+".new", path))
}

// relink has name lead to target, in one step.
func (f *watched) relink(name, target string) {
	f.t.Helper()
	name = filepath.Join(filepath.Dir(f.path), name)
	f.must(os.Symlink(target, name+".new"))
	f.must(os.Rename(name+".new", name))
}

// folder makes a folder with a millrace.yaml.
func (f *watched) folder(name, text string) {
	f.t.Helper()
	name = filepath.Join(filepath.Dir(f.path), name)
	f.must(os.Mkdir(name, 0o700))
	f.must(os.WriteFile(filepath.Join(name, "millrace.yaml"), []byte(text), 0o600))
}

// pass lets time go by.
func (f *watched) pass(d time.Duration) {
	time.Sleep(d) // in the bubble
	synctest.Wait()
}

func (f *watched) want(reads ...string) {
	f.t.Helper()
	f.pass(time.Second)
	f.mu.Lock()
	defer f.mu.Unlock()
	if got, want := strings.Join(f.read, " "), strings.Join(reads, " "); got != want {
		f.t.Errorf("read %q, want %q", got, want)
	}
}

func TestWatchSeesEachWayToSave(t *testing.T) {
	watch(t, func(f *watched) {
		f.want()
		f.write("in place")
		f.want("in place")
		f.replace(f.path, "renamed")
		f.want("in place", "renamed")
		f.must(os.Remove(f.path))
		f.want("in place", "renamed", "")
		f.write("there again")
		f.want("in place", "renamed", "", "there again")
	})
}

func TestWatchWaitsForTheWholeFile(t *testing.T) {
	watch(t, func(f *watched) {
		f.write("")
		f.pass(pollInterval)
		f.write("half")
		f.pass(pollInterval)
		f.write("the whole")
		f.want("the whole")
	})
}

func TestWatchFollowsLinks(t *testing.T) {
	watch(t, func(f *watched) {
		f.folder("..v1", "v1")
		f.folder("..v2", "v2")
		f.relink("..data", "..v1")
		f.relink("millrace.yaml", "..data/millrace.yaml")
		f.want("v1")
		f.relink("..data", "..v2")
		f.want("v1", "v2")
		f.must(os.RemoveAll(filepath.Join(filepath.Dir(f.path), "..v1")))
		f.want("v1", "v2")
	})
}

func TestWatchFindsWhatChangedBeforeItRan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "millrace.yaml")
	if err := os.WriteFile(path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWatcher(path)
	if err := os.WriteFile(path, []byte("edited"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		var reads atomic.Int32
		go w.run(stop, func() { reads.Add(1) })
		time.Sleep(time.Second)
		close(stop)
		synctest.Wait()
		if n := reads.Load(); n != 1 {
			t.Errorf("read %d times, want once", n)
		}
	})
}

func TestLookSeesRegularFilesAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(path string, seen bool) {
		t.Helper()
		if got := look(path); (got != stamp{}) != seen {
			t.Errorf("look(%s) = %+v", path, got)
		}
	}
	f(file, true)
	f(dir, false)
	f("/dev/null", false)
	f(filepath.Join(dir, "none"), false)
	f(filepath.Join(file, "none"), false)
}
