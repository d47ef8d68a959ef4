package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gauges are the families whose sum must be at the end what it was before.
var gauges = []string{
	"go_goroutines",
	"millrace_connections",
	"millrace_proxy_lb_active_connections",
	"millrace_proxy_pool_outstanding",
	"millrace_proxy_pool_idle",
}

// A state is what a proxy holds at a moment, by name.
type state map[string]float64

// measure reads the state of the proxy. The request for it is in no number, or in each.
func (r *rig) measure() (state, error) {
	s := state{}
	families, err := r.scrape()
	if err != nil {
		return nil, err
	}
	for _, name := range gauges {
		n, ok := families[name]
		if !ok {
			return nil, fmt.Errorf("no family %s in the metrics", name)
		}
		s[name] = n
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.proxy.Pid))
	if err != nil {
		return nil, err
	}
	s["descriptors"] = float64(len(open))
	for _, u := range r.upstreams {
		s["connections at the upstreams"] += float64(u.Open.Load())
	}
	return s, nil
}

// unlike lists what is not as before, in order of the name.
func (s state) unlike(before state) []string {
	var differences []string
	for name, was := range before {
		if s[name] != was {
			differences = append(differences, fmt.Sprintf("%s: %v, before %v", name, s[name], was))
		}
	}
	slices.Sort(differences)
	return differences
}

// scrape returns the sum of each metric family of the proxy.
func (r *rig) scrape() (map[string]float64, error) {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + r.admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return sums(response.Body)
}

// sums adds up the samples of each family in the Prometheus text format.
func sums(text io.Reader) (map[string]float64, error) {
	families := map[string]float64{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := lines.Text()
		blank := strings.LastIndexByte(line, ' ')
		if blank < 0 || line[0] == '#' {
			continue
		}
		n, err := strconv.ParseFloat(line[blank+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("metrics: %q: %w", line, err)
		}
		name, _, _ := strings.Cut(line[:blank], "{")
		families[name] += n
	}
	return families, lines.Err()
}

// resident returns how many bytes of the process are in memory.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("process %d: no VmRSS", pid)
}
