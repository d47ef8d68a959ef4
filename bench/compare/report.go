package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"millrace/bench/proxy"
)

// A report gathers the results of all modes, prints each when it is there and
// writes all of them to a file.
type report struct {
	out io.Writer

	Date     string            `json:"date"`
	Machine  machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Modes    []modeResult      `json:"modes"`
}

// A machine is where the figures come from: they mean little elsewhere.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
	Load   string `json:"load_average"` // before the run
}

// A modeResult is one mode: samples of turns, or figures by name.
type modeResult struct {
	Mode    string                        `json:"mode"`
	Samples []sample                      `json:"samples,omitempty"`
	Ratios  map[string]ratio              `json:"ratios,omitempty"`
	Figures map[string]map[string]float64 `json:"figures,omitempty"` // by proxy
}

func newReport(o *options, out io.Writer) *report {
	rep := &report{out: out, Date: time.Now().UTC().Format("2006-01-02T150405Z"), Versions: map[string]string{}}
	rep.Machine = machine{
		CPU: cpuModel(), Cores: runtime.NumCPU(), Go: runtime.Version(),
		Kernel: firstLine("/proc/sys/kernel/osrelease"), Load: firstLine("/proc/loadavg"),
	}
	fmt.Fprintf(out, "%s, %d cores, Linux %s, load %s\n", rep.Machine.CPU, rep.Machine.Cores, rep.Machine.Kernel, rep.Machine.Load)
	for _, name := range o.Proxies {
		rep.Versions[name], _ = proxy.Version(name, proxy.Options{Millrace: o.Millrace})
		fmt.Fprintf(out, "%s: %s\n", name, rep.Versions[name])
	}
	return rep
}

// turns prints and keeps the samples of a mode.
func (rep *report) turns(m mode, samples []sample) {
	unit, per := "us/request", cpuPerRequest
	if m.perMB {
		unit, per = "us/MB", cpuPerMB
	}
	names := proxiesIn(samples)
	fmt.Fprintf(rep.out, "  %-15s %12s %6s %10s %9s %9s %9s\n", "median of turns", "CPU "+unit, "user", "requests/s", "p50 us", "p99 us", "memory MB")
	for _, name := range names {
		f := func(value func(sample) float64) float64 { return median(values(samples, name, value)) }
		fmt.Fprintf(rep.out, "  %-15s %14.2f %5.0f%% %10.0f %9.0f %9.0f %9.1f\n", name, f(per), 100*f(userShare),
			f(func(s sample) float64 { return s.Rate }), f(func(s sample) float64 { return s.P50 }),
			f(func(s sample) float64 { return s.P99 }), f(func(s sample) float64 { return float64(s.Memory) / 1e6 }))
	}
	ratios := map[string]ratio{}
	subject := names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		r := pairedRatio(values(samples, subject, per), values(samples, name, per))
		ratios[subject+"/"+name] = r
		fmt.Fprintf(rep.out, "  CPU of %s / %s: %.3f (%.3f to %.3f)\n", subject, name, r.Median, r.Min, r.Max)
	}
	rep.Modes = append(rep.Modes, modeResult{Mode: m.name, Samples: samples, Ratios: ratios})
}

// figures keeps what a mode without turns measured.
func (rep *report) figures(m mode, figures map[string]map[string]float64) {
	rep.Modes = append(rep.Modes, modeResult{Mode: m.name, Figures: figures})
}

// write puts everything into a file in folder, named for the date.
func (rep *report) write(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(folder, rep.Date+".json")
	fmt.Fprintf(rep.out, "\nwritten to %s\n", file)
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func cpuPerRequest(s sample) float64 { return float64(s.CPU) / 1e3 / float64(s.Requests) }
func cpuPerMB(s sample) float64      { return float64(s.CPU) / 1e3 / s.MB }

func userShare(s sample) float64 {
	if s.User+s.System == 0 {
		return math.NaN()
	}
	return float64(s.User) / float64(s.User+s.System)
}

// proxiesIn returns the names in the order of their turns.
func proxiesIn(samples []sample) (names []string) {
	for _, s := range samples {
		if !slices.Contains(names, s.Proxy) {
			names = append(names, s.Proxy)
		}
	}
	return names
}

// values returns the value of each turn of the proxy called name.
func values(samples []sample, name string, value func(sample) float64) (list []float64) {
	for _, s := range samples {
		if s.Proxy == name {
			list = append(list, value(s))
		}
	}
	return list
}

func firstLine(file string) string {
	text, _ := os.ReadFile(file)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
