package netpoll

import (
	"fmt"

	gnetlog "github.com/panjf2000/gnet/v2/pkg/logging"
	"golang.org/x/sys/unix"
)

// RaiseDescriptorLimit lifts the soft limit of open descriptors to the hard one and
// returns the limit in force.
func RaiseDescriptorLimit() (int, error) {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return 0, fmt.Errorf("cannot read the descriptor limit: %w", err)
	}
	if raised := lim; raised.Cur < raised.Max {
		raised.Cur = raised.Max
		if unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) == nil {
			lim = raised
		}
	}
	const plenty = 1 << 30 // "unlimited" and other values that an int32 would not hold
	return int(min(uint64(lim.Cur), plenty)), nil
}

// OccupyStandardDescriptors opens /dev/null on descriptors 0 to 2 that are closed, so that
// no socket gets one of these numbers and then what is written to stderr.
func OccupyStandardDescriptors() error {
	for fd := 0; fd <= 2; fd++ {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err == nil {
			continue
		}
		// open(2) gives the lowest free number, which is fd, since those below are open
		if _, err := unix.Open("/dev/null", unix.O_RDWR, 0); err != nil {
			return fmt.Errorf("cannot open /dev/null: %w", err)
		}
	}
	return nil
}

// RouteLog sends what gnet's poller logs, which is only ever an error, to logf.
func RouteLog(logf func(format string, args ...any)) {
	gnetlog.SetDefaultLoggerAndFlusher(pollerLog(logf), nil)
}

// pollerLog is gnet's logger interface over one function.
type pollerLog func(format string, args ...any)

func (f pollerLog) Debugf(string, ...any)             {}
func (f pollerLog) Infof(string, ...any)              {}
func (f pollerLog) Warnf(format string, args ...any)  { f(format, args...) }
func (f pollerLog) Errorf(format string, args ...any) { f(format, args...) }
func (f pollerLog) Fatalf(format string, args ...any) { f(format, args...) }
