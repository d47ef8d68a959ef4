package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"millrace/bench/proxy"
	"millrace/bench/upstream"
)

// plenty is what a proxy may be told to expect at least: HAProxy derives its
// descriptor limit from it, and keeps no idle upstream connection when those
// would be a fifth of that.
const plenty = 4000

// uploadBytes is the size of one upload.
const uploadBytes = 100_000_000

// A mode is one kind of work.
type mode struct {
	name    string
	about   string
	load    []string // arguments of the load generator besides -d and the URL
	path    string
	fresh   bool // new connections, on both sides
	upload  bool // the upstream has to read bodies to their end
	perMB   bool // CPU by MB moved, not by request
	splice  bool // HAProxy's splice-auto takes part as well
	measure func(context.Context, *rig) error
}

// modes are the kinds of work by name.
var modes = byName([]mode{
	{name: "small", about: "64 keep-alive connections, 66-byte answers",
		load: []string{"-c", "64"}, path: "/", measure: takeTurns},
	{name: "large", about: "16 keep-alive connections, 10 MB answers",
		load: []string{"-c", "16"}, path: "/large", perMB: true, splice: true, measure: takeTurns},
	{name: "upload", about: "4 keep-alive connections, 100 MB uploads",
		load: []string{"-c", "4", "-upload", strconv.Itoa(uploadBytes)}, path: "/", perMB: true, upload: true, splice: true, measure: takeTurns},
	{name: "newconn", about: "64 clients, a new connection for each request on both sides",
		load: []string{"-c", "64", "-close"}, path: "/", fresh: true, measure: takeTurns},
	{name: "idle", about: "memory with many idle keep-alive connections", path: "/", measure: measureIdle},
	{name: "syscalls", about: "system calls per request (strace)", load: []string{"-c", "64"}, path: "/", measure: countCalls},
	{name: "mallocs", about: "millrace's heap allocations per request", load: []string{"-c", "64"}, path: "/", measure: countMallocs},
	{name: "profile", about: "where millrace's CPU time goes (perf)", load: []string{"-c", "64"}, path: "/", measure: profile},
})

func byName(list []mode) map[string]mode {
	m := map[string]mode{}
	for _, each := range list {
		m[each.name] = each
	}
	return m
}

func describeModes() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, modes[name].about)
	}
	return b.String()
}

// A rig is what one mode works with: an upstream and, once started, proxies.
type rig struct {
	mode
	*options
	report   *report
	out      io.Writer
	upstream *upstream.Upstream
	proxies  []*proxy.Proxy
}

// run prepares the upstream, measures, and takes everything down.
func (m mode) run(ctx context.Context, o *options, rep *report) error {
	dir, err := os.MkdirTemp("", "bench-upstream-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := &rig{mode: m, options: o, report: rep, out: rep.out}
	if r.upstream, err = m.startUpstream(dir); err != nil {
		return err
	}
	defer r.upstream.Stop()
	defer r.stopProxies()
	fmt.Fprintf(r.out, "\n%s: %s\n", m.name, m.about)
	return m.measure(ctx, r)
}

func (m mode) startUpstream(dir string) (*upstream.Upstream, error) {
	if _, err := exec.LookPath("nginx"); err != nil || m.upload {
		return upstream.BuiltIn()
	}
	return upstream.Nginx(dir)
}

// names returns the proxies that take part in the mode.
func (r *rig) names() []string {
	return slices.DeleteFunc(slices.Clone(r.Proxies), func(name string) bool {
		return name == "haproxy-splice" && !r.splice
	})
}

// start runs the proxy called name, for at most so many client connections.
func (r *rig) start(name string, connections int) (*proxy.Proxy, error) {
	p, err := proxy.Start(name, proxy.Options{
		Upstream: r.upstream.Address, Keepalive: !r.fresh, Connections: max(connections+100, plenty), Millrace: r.Millrace,
	})
	if err == nil {
		r.proxies = append(r.proxies, p)
	}
	return p, err
}

func (r *rig) stopProxies() {
	for _, p := range r.proxies {
		p.Stop()
	}
	r.proxies = nil
}

// startMillrace is start for the modes that look at millrace alone.
func (r *rig) startMillrace() (*proxy.Proxy, error) {
	if !slices.Contains(r.Proxies, "millrace") {
		return nil, fmt.Errorf("millrace is not among the proxies")
	}
	return r.start("millrace", 64)
}
