package main

import (
	"os"
	"time"
)

const (
	pollInterval = 250 * time.Millisecond
	patience     = 2 * time.Second // of continuous change, and the step of the coarsest time stamps
)

// A stamp tells one state of a file from another without reading it. The zero value stands
// for no file, and for one that cannot be looked at or is not a regular file.
type stamp struct {
	device, inode     uint64
	size              int64
	modified, changed int64 // ns since 1970
}

// look returns the stamp of the file at path, through symbolic links.
func look(path string) stamp {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return stamp{}
	}
	return stampOf(st)
}

// coarse reports whether a later change of equal size may leave the stamp as it is, since the
// file system keeps whole seconds.
func (s stamp) coarse() bool { return s.changed != 0 && s.changed%int64(time.Second) == 0 }

// A settling decides when a file that changes is to be read: once it has looked the same
// twice, so that files are rarely read half-written, and at the latest after patience.
// Times are monotonic, from any start.
type settling struct {
	known    stamp // as it was when it was last to be read
	last     stamp // as it looks while it changes
	changing bool
	since    time.Duration // begin of the change
	again    time.Duration // when to read once more, since the stamp is coarse; 0 = never
}

// observe takes how the file looks at now and reports whether it is to be read.
func (s *settling) observe(seen stamp, now time.Duration) bool {
	switch {
	case !s.changing && seen == s.known:
		if s.again == 0 || now < s.again {
			return false
		}
		s.again = 0
		return true
	case !s.changing:
		s.changing, s.since, s.last = true, now, seen
		return false
	case seen != s.last && now-s.since < patience:
		s.last = seen
		return false
	}
	s.expect(seen, now)
	return true
}

// expect makes seen how the file looked when it was to be read, which is now.
func (s *settling) expect(seen stamp, now time.Duration) {
	s.changing, s.known, s.again = false, seen, 0
	if seen.coarse() {
		s.again = now + patience
	}
}

// A watcher finds out that a file changed: saved in place, renamed over, or reached through
// another symbolic link than before. It asks for the stamp of that one path several times a
// second, which works on every file system and in folders where much else goes on. A
// change that leaves the content as it was is reported as well.
type watcher struct {
	path  string
	state settling
}

// newWatcher remembers how the file looks now. It comes before the file is first read, so
// that run finds what changed in between.
func newWatcher(path string) *watcher {
	w := &watcher{path: path}
	w.state.expect(look(path), 0)
	return w
}

// run calls changed whenever the file is to be read, one call at a time, until stop is
// closed. It may be called once.
func (w *watcher) run(stop <-chan struct{}, changed func()) {
	begin := time.Now()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if w.state.observe(look(w.path), time.Since(begin)) {
				changed()
			}
		}
	}
}
