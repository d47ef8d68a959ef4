package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"millrace/bench/process"
	"millrace/bench/proxy"
)

// countCalls reports each proxy's system calls per request. strace slows a
// proxy down, so more events meet in a turn of its loop than usual: the
// figures are a little low.
func countCalls(ctx context.Context, r *rig) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return err
	}
	figures := map[string]map[string]float64{}
	for _, name := range r.names() {
		p, err := r.start(name, 64)
		if err != nil {
			return err
		}
		calls, err := r.trace(ctx, p, strace)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		figures[name] = calls
		fmt.Fprintf(r.out, "  %-10s %s\n", name, describeCalls(calls))
		p.Stop()
	}
	r.report.figures(r.mode, figures)
	return nil
}

// trace counts the calls of p, by name, per request.
func (r *rig) trace(ctx context.Context, p *proxy.Proxy, strace string) (map[string]float64, error) {
	if _, err := r.loadFor(ctx, p, r.Warmup); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-strace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	pids, err := p.Family()
	if err != nil {
		return nil, err
	}
	table := filepath.Join(dir, "table")
	args := []string{"-f", "-c", "-o", table}
	for _, pid := range pids {
		args = append(args, "-p", strconv.Itoa(pid))
	}
	s, err := process.Start(dir, strace, args...)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if err := attached(ctx, s); err != nil {
		return nil, err
	}
	l, err := r.loadRequests(ctx, p, max(r.Requests/50, 1000))
	if err != nil {
		return nil, err
	}
	s.StopWith(syscall.SIGINT)
	text, err := os.ReadFile(table)
	if err != nil {
		return nil, err
	}
	calls := parseCalls(string(text))
	for name := range calls {
		calls[name] /= float64(l.Requests)
	}
	return calls, nil
}

// attached waits until strace says that it follows the process.
func attached(ctx context.Context, s *process.Process) error {
	for range 100 {
		if strings.Contains(s.Output(), "attached") {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errors.New("strace does not attach: " + s.Output())
}

// parseCalls reads the table of strace -c: calls by name.
func parseCalls(table string) map[string]float64 {
	calls := map[string]float64{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		n, err := strconv.ParseFloat(fields[3], 64)
		if name := fields[len(fields)-1]; err == nil && name != "total" {
			calls[name] = n
		}
	}
	return calls
}

// describeCalls prints the sum and the calls that matter, the most frequent
// first.
func describeCalls(calls map[string]float64) string {
	sum := 0.0
	for _, n := range calls {
		sum += n
	}
	text := fmt.Sprintf("%.2f:", sum)
	for _, name := range slices.SortedFunc(maps.Keys(calls), func(a, b string) int { return cmp.Compare(calls[b], calls[a]) }) {
		if calls[name] >= 0.01 {
			text += fmt.Sprintf(" %s %.2f", name, calls[name])
		}
	}
	return text
}
