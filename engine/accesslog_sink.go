package engine

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"millrace/engine/config"
)

// logFileMode keeps a log, which tells of clients, from the rest of the machine.
const logFileMode = 0o640

// An accessFile is what lines are written to: a file, or a stand-in for one in a test.
type accessFile interface {
	Write(p []byte) (int, error)
	Close() error
	SetWriteDeadline(t time.Time) error
}

// An accessSink is where the access log goes and how its lines look. It is immutable.
type accessSink struct {
	config.AccessLog
	file accessFile
}

// openAccessSink opens what c names; nil gives nil. The caller owes a close.
func openAccessSink(c *config.AccessLog) (*accessSink, error) {
	if c == nil {
		return nil, nil
	}
	s := &accessSink{AccessLog: *c}
	switch c.Path {
	case config.Stdout:
		s.file = patient(os.Stdout)
	case config.Stderr:
		s.file = patient(os.Stderr)
	default:
		f, err := openLogFile(c.Path)
		if err != nil {
			return nil, fmt.Errorf("cannot open the access log: %w", err)
		}
		s.file = f
	}
	return s, nil
}

// patient opens the pipe that a stream of the process is once more, so that a write to it can
// be given up while its reader stands still, and the stream itself stays as it is. It
// returns the stream if it is no pipe, or cannot be opened.
func patient(stream *os.File) *os.File {
	found, err := stream.Stat()
	if err != nil || found.Mode()&fs.ModeNamedPipe == 0 {
		return stream
	}
	f, err := os.OpenFile(fmt.Sprintf("/dev/fd/%d", stream.Fd()), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return stream // of another user, or nobody reads it
	}
	return f
}

// is reports whether the sink is what c asks for.
func (s *accessSink) is(c *config.AccessLog) bool { return s.Path == c.Path && s.Format == c.Format }

// openLogFile opens a file for appending, and makes it if there is none. A named pipe is
// opened for both directions, without waiting: it then takes lines before a reader has come,
// and keeps them for the next one when a reader leaves.
func openLogFile(path string) (*os.File, error) {
	flags := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if found, err := os.Stat(path); err == nil && found.Mode()&fs.ModeNamedPipe != 0 {
		flags = os.O_RDWR
	}
	return os.OpenFile(path, flags|syscall.O_NONBLOCK, logFileMode)
}

// standard reports whether the sink is a stream of the process, which stays the same.
func (s *accessSink) standard() bool { return s.Path == config.Stdout || s.Path == config.Stderr }

// same reports whether both are one file.
func (s *accessSink) same(other *accessSink) bool {
	a, ok := s.file.(*os.File)
	b, both := other.file.(*os.File)
	if !ok || !both {
		return false
	}
	one, err := a.Stat()
	two, failed := b.Stat()
	return err == nil && failed == nil && os.SameFile(one, two)
}

// close ends the sink, which may be nil. A write that waits in it returns.
func (s *accessSink) close() {
	if s != nil && s.file != os.Stdout && s.file != os.Stderr {
		_ = s.file.Close() // nothing that was written depends on it
	}
}
