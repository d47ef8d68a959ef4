package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"millrace/engine"
	"millrace/engine/config"
)

// patience is for what must come about sooner or later. No test that passes waits so long.
const patience = 20 * time.Second

// A setup is a configuration with one listener, one route and one cluster, unless it says
// otherwise. Keys are YAML lines.
type setup struct {
	workers   int    // 0 = 1
	top       string // keys of the whole
	route     string // keys of the route
	cluster   string // keys of the cluster
	upstream  string // keys of each upstream, as "limit: 1, weight: 2"
	routes    string // all routes, instead of the one; {0}, {1} are the upstreams' URLs
	listeners string // all listeners, instead of the one
}

// A proxy is a running engine.
type proxy struct {
	t       *testing.T
	engine  *engine.Engine
	address string // of the TCP listener
	port    string
	log     *journal
	before  []byte // the state of a process before
}

// run starts an engine in front of the upstreams. It is stopped when the test ends.
func (s setup) run(t *testing.T, upstreams ...*upstream) *proxy {
	t.Helper()
	p := &proxy{t: t, log: &journal{}}
	text := s.text(upstreams)
	for tries := 0; ; tries++ {
		err := p.start(text)
		if err == nil {
			break
		}
		// Somebody else got the port between the engine's two binds.
		if !errors.Is(err, syscall.EADDRINUSE) || tries == 10 {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	t.Cleanup(func() {
		p.engine.Stop()
		if t.Failed() {
			t.Logf("the engine's log:\n%s", p.log)
		}
	})
	return p
}

func (p *proxy) start(text string) error {
	c, err := parse(text)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if p.engine, err = engine.New(engine.Options{Config: c, Log: log, State: p.before}); err != nil {
		return err
	}
	if err := p.engine.Start(); err != nil {
		return err
	}
	for _, a := range p.engine.Addresses() {
		if _, port, err := net.SplitHostPort(a); err == nil && !strings.HasPrefix(a, "unix:") {
			p.address, p.port = a, port
		}
	}
	return nil
}

// parse reads a configuration. Its TCP listeners get ports that are free.
func parse(text string) (*config.Config, error) {
	c, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	if faults := config.Unbuilt(c); len(faults) > 0 {
		return nil, faults[0]
	}
	for i := range c.Listeners {
		c.Listeners[i].Address.Port = 0
	}
	return c, nil
}

// text is the configuration.
func (s setup) text(upstreams []*upstream) string {
	var b strings.Builder
	listeners := s.listeners
	if listeners == "" {
		listeners = `["127.0.0.1:1"]`
	}
	fmt.Fprintf(&b, "workers: %d\nadmin: false\nlisteners: %s\n%s\n", max(1, s.workers), listeners, s.top)
	if s.routes != "" {
		routes := s.routes
		for i, u := range upstreams {
			routes = strings.ReplaceAll(routes, fmt.Sprintf("{%d}", i), u.url())
		}
		return b.String() + "routes:\n" + routes + "\n"
	}
	fmt.Fprintf(&b, "routes:\n  - cluster: web\n%s", indent("    ", s.route))
	fmt.Fprintf(&b, "clusters:\n  web:\n    circuit_breaker: false\n%s    upstreams:\n", indent("    ", s.cluster))
	for _, u := range upstreams {
		keys := "url: " + u.url()
		if u.path != "" {
			keys += ", unix: " + u.path
		}
		if s.upstream != "" {
			keys += ", " + s.upstream
		}
		fmt.Fprintf(&b, "      - {%s}\n", keys)
	}
	return b.String()
}

func indent(by, lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(by + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// forwarding is what the proxy tells upstreams of a client that is not trusted.
func (p *proxy) forwarding() string {
	return "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Port: " + p.port + "\r\n"
}

// metric is the sum of the samples whose line begins with one of the names.
func (p *proxy) metric(name string) (sum float64) {
	var b bytes.Buffer
	if err := p.engine.Stats().WritePrometheus(&b); err != nil {
		p.t.Error(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, name) {
			var v float64
			_, _ = fmt.Sscan(line[strings.LastIndexByte(line, ' '):], &v)
			sum += v
		}
	}
	return sum
}

// drain has the engine drain, and waits for it.
func (p *proxy) drain() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.engine.Drain(ctx); err != nil {
		p.t.Errorf("drain: %v", err)
	}
}

// released fails the test unless all that connections held comes back once they are closed.
func (p *proxy) released() {
	p.t.Helper()
	eventually(p.t, "no client connection is counted", func() bool {
		clients, _ := p.engine.Held()
		return clients == 0 && p.metric("millrace_connections") == 0
	})
	eventually(p.t, "no upstream connection is in use", func() bool {
		_, upstreams := p.engine.Held()
		return p.metric("millrace_proxy_pool_outstanding") == 0 && p.metric("millrace_proxy_lb_active_connections") == 0 &&
			upstreams == int64(p.metric("millrace_proxy_pool_idle"))
	})
}

// A journal is a log that is shown when a test fails.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
