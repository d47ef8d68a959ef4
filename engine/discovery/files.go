package discovery

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

const (
	fileInterval = 5 * time.Second // between two looks at the files
	mostBytes    = 16 << 20        // of a file that are read
)

// files are the system's settings, read again when they change.
type files struct {
	resolvConf, hosts file
	settings          atomic.Pointer[settings]
	names             atomic.Pointer[hosts]
}

// A file is one of them, as it was when it was last read.
type file struct {
	path string
	seen os.FileInfo // nil = it was not there
}

func newFiles(resolvConf, hosts string) *files {
	f := &files{resolvConf: file{path: resolvConf}, hosts: file{path: hosts}}
	f.parse("", "")
	f.read()
	return f
}

// parse takes the texts of both files for current.
func (f *files) parse(resolvConf, hosts string) {
	f.parseResolvConf(resolvConf)
	f.parseHosts(hosts)
}

func (f *files) parseResolvConf(text string) {
	hostname, _ := os.Hostname() // without one there is no domain to search
	s := parseResolvConf(text, hostname)
	f.settings.Store(&s)
}

func (f *files) parseHosts(text string) {
	h := parseHosts(text)
	f.names.Store(&h)
}

// read reads the files that have changed and reports whether any has. It is for one goroutine
// at a time.
func (f *files) read() (changed bool) {
	if text, ok := f.resolvConf.read(); ok {
		f.parseResolvConf(text)
		changed = true
	}
	if text, ok := f.hosts.read(); ok {
		f.parseHosts(text)
		changed = true
	}
	return changed
}

// read returns the text of a file that is another than before; ok is false if it is not. A
// file that is gone has no text. One that cannot be read stays as it was.
func (f *file) read() (text string, ok bool) {
	at, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		ok = f.seen != nil
		f.seen = nil
		return "", ok
	}
	if err != nil || at.IsDir() || f.seen != nil && same(f.seen, at) {
		return "", false
	}
	opened, err := os.Open(f.path)
	if err != nil {
		return "", false
	}
	defer opened.Close()
	bytes, err := io.ReadAll(io.LimitReader(opened, mostBytes))
	if err != nil {
		return "", false
	}
	f.seen = at
	return string(bytes), true
}

func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
