package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"

	"millrace/engine"
	"millrace/engine/config"
)

// maxConfigBytes is more than any configuration needs, and guards against a file that is
// none.
const maxConfigBytes = 16 << 20

// A reloader makes the content of the configuration file current. Its methods are safe for
// concurrent use; one load runs at a time.
type reloader struct {
	path    string
	engine  *engine.Engine
	log     *slog.Logger
	manager *notifier

	// What a configuration says beside the engine: prepare opens what is new, commit makes
	// it current, undo closes it again.
	prepare func(c *config.Config) (undo func(), err error)
	commit  func(c *config.Config)

	mu   sync.Mutex
	seen [sha256.Size]byte // of the bytes loaded last, good or bad
	good bool              // they are current
}

// readConfig reads the whole file once, so that what is hashed is what is parsed.
func readConfig(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer is empty
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	if len(text) > maxConfigBytes {
		return nil, fmt.Errorf("cannot read the configuration: %s is larger than %d bytes", path, maxConfigBytes)
	}
	return text, nil
}

// Reload loads the file. changed reports whether it has become current; with an error
// everything is as before. Bytes that were loaded before change nothing: asked says that
// somebody wants to hear so, and to try a file again that was refused.
func (r *reloader) Reload(asked bool) (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if asked {
		r.manager.reloading() // who asked waits for the end of it, whatever comes of it
		defer r.manager.ready("serving")
	}
	text, err := readConfig(r.path)
	if err != nil {
		return false, r.rejected(err)
	}
	sum := sha256.Sum256(text)
	switch {
	case sum == r.seen && !asked:
		return false, nil
	case sum == r.seen && r.good:
		r.log.Info("configuration unchanged")
		r.engine.ReloadUnchanged()
		return false, nil
	case !asked:
		r.manager.reloading()
		defer r.manager.ready("serving")
	}
	r.seen, r.good = sum, false
	if err := r.load(text); err != nil {
		if errors.Is(err, engine.ErrDraining) {
			return false, err
		}
		return false, r.rejected(err)
	}
	r.good = true
	r.log.Info("configuration reloaded")
	return true, nil
}

func (r *reloader) load(text []byte) error {
	c, err := validate(r.path, text)
	if err != nil {
		return err
	}
	undo, err := r.prepare(c)
	if err != nil {
		return err
	}
	if err := r.engine.Reload(c); err != nil {
		undo()
		return err
	}
	r.commit(c)
	return nil
}

// rejected logs every error of a configuration and counts it.
func (r *reloader) rejected(err error) error {
	for _, fault := range faultsOf(err) {
		r.log.Error("configuration rejected", slog.String("error.message", fault.Error()))
	}
	r.engine.ReloadRejected()
	return err
}

// validate parses a configuration and reads the files it names. The error has every
// fault, of which what is not built yet is one for those who would run it.
func validate(path string, text []byte) (*config.Config, error) {
	c, err := config.Parse(path, text)
	if err != nil {
		return nil, err
	}
	faults := append(config.CheckFiles(c), config.Unbuilt(c)...)
	if len(faults) > 0 {
		return nil, &config.Errors{Faults: faults}
	}
	return c, nil
}
