package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// errFault marks what no proxy may do, whatever the other side did.
var errFault = errors.New("violation")

// fault is an error that no circumstance excuses.
func fault(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errFault, fmt.Sprintf(format, args...))
}

// excused returns nil for an error that a connection may end with when one of the two
// sides misbehaves. Wrong bytes are never excused, nor is silence.
func excused(err error) error {
	if errors.Is(err, errFault) || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return err
	}
	return nil
}

// A verdict collects violations. It is safe for concurrent use.
type verdict struct {
	mu    sync.Mutex
	out   io.Writer
	count int
}

const (
	shownViolations = 20   // the others are counted
	mostViolations  = 1000 // after so many nothing new is learnt
)

func (v *verdict) violated(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count++; v.count <= shownViolations {
		fmt.Fprintf(v.out, "VIOLATION %s\n", fmt.Sprintf(format, args...))
	}
}

// violations is how many there were.
func (v *verdict) violations() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}
