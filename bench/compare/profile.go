package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// profileTop is how many functions are printed on each side.
const profileTop = 20

// A symbol is one function's share of the samples.
type symbol struct {
	percent float64
	kernel  bool
	name    string
}

// profile samples millrace under load with perf and prints the functions that
// take the most time, its own and the kernel's apart.
func profile(ctx context.Context, r *rig) error {
	perf, err := exec.LookPath("perf")
	if err != nil {
		return err
	}
	p, err := r.startMillrace()
	if err != nil {
		return err
	}
	if _, err := r.loadFor(ctx, p, r.Warmup); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-perf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "perf.data")
	record := exec.CommandContext(ctx, perf, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", file,
		"-p", strconv.Itoa(p.Pid), "--", "sleep", fmt.Sprint(r.Duration.Seconds()))
	record.Stderr = os.Stderr
	if err := record.Start(); err != nil {
		return err
	}
	_, loadErr := r.loadFor(ctx, p, r.Duration)
	if err := record.Wait(); err != nil {
		return fmt.Errorf("perf record: %w", err)
	}
	if loadErr != nil {
		return loadErr
	}
	text, err := exec.CommandContext(ctx, perf, "report", "-i", file, "--stdio", "-q", "--sort", "symbol").Output()
	if err != nil {
		return fmt.Errorf("perf report: %w", err)
	}
	symbols := parseSymbols(string(text))
	r.printSide(symbols, false)
	r.printSide(symbols, true)
	return nil
}

// printSide prints the top of one side, user or kernel.
func (r *rig) printSide(symbols []symbol, kernel bool) {
	side, sum, shown := "user", 0.0, 0
	if kernel {
		side = "system"
	}
	for _, s := range symbols {
		if s.kernel == kernel {
			sum += s.percent
		}
	}
	fmt.Fprintf(r.out, "  %s %.1f%%\n", side, sum)
	for _, s := range symbols {
		if s.kernel == kernel && shown < profileTop {
			fmt.Fprintf(r.out, "    %5.2f%% %s\n", s.percent, s.name)
			shown++
		}
	}
}

// parseSymbols reads the lines of perf report: "12.34%  [k] name".
func parseSymbols(text string) (symbols []symbol) {
	for line := range strings.Lines(text) {
		share, rest, ok := strings.Cut(strings.TrimSpace(line), "%")
		percent, err := strconv.ParseFloat(share, 64)
		rest = strings.TrimSpace(rest)
		if !ok || err != nil || len(rest) < 4 {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(rest[3:]), "  ") // other columns may follow
		symbols = append(symbols, symbol{percent, strings.HasPrefix(rest, "[k]"), name})
	}
	return symbols
}
