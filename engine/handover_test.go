package engine_test

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"millrace/engine"
	"millrace/engine/config"
)

// follow starts an engine that takes over from p's, as another process would: with the sockets
// and the state. Both serve.
func (p *proxy) follow(s setup, upstreams ...*upstream) *proxy {
	p.t.Helper()
	return p.followWith(p.passes(s, upstreams...))
}

// passes is what an engine begins with that takes over from p's.
func (p *proxy) passes(s setup, upstreams ...*upstream) (o engine.Options) {
	p.t.Helper()
	o.Config = s.parse(p.t, upstreams...)
	var err error
	if o.Inherited, err = p.engine.PassSockets(); err != nil {
		p.t.Fatal(err)
	}
	if o.State, err = p.engine.ExportState(); err != nil {
		p.t.Fatal(err)
	}
	return o
}

func (p *proxy) followWith(o engine.Options) *proxy {
	p.t.Helper()
	next := &proxy{t: p.t, address: p.address, port: p.port, log: &journal{}}
	o.Log = slog.New(slog.NewTextHandler(next.log, nil))
	var err error
	if next.engine, err = engine.New(o); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(next.engine.Stop)
	if err := next.engine.Start(); err != nil {
		p.t.Fatal(err)
	}
	return next
}

// leave ends the engine of p behind one that follows.
func (p *proxy) leave(next *proxy) {
	p.t.Helper()
	p.engine.HandOver()
	next.engine.TakeOver()
	p.drain()
	p.engine.Stop()
}

// A visitor asks all the time, on one connection or on new ones.
type visitor struct {
	network, address string
	keep             bool
	answers          atomic.Int64
}

func (v *visitor) visit(t *testing.T, stop *atomic.Bool) {
	var c *wire
	defer func() {
		if c != nil {
			c.close()
		}
	}()
	for !stop.Load() {
		if c == nil {
			conn, err := net.Dial(v.network, v.address)
			if err != nil {
				t.Error(err)
				return
			}
			c = &wire{t: t, name: "visitor", conn: conn}
		}
		if _, err := c.conn.Write([]byte("GET /v HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
			t.Error(err)
			return
		}
		head, err := c.readHead()
		if err != nil || !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			t.Errorf("%q, %v after %d answers", head, err, v.answers.Load())
			return
		}
		if _, err := io.ReadFull(c.conn, make([]byte, len("/v"))); err != nil {
			t.Error(err)
			return
		}
		v.answers.Add(1)
		if !v.keep || strings.Contains(head, "Connection: close") {
			c.close()
			c = nil
		}
	}
}

// Nobody is refused and no request fails while engines follow each other, with more and with
// less workers than before.
func TestHandOverUnderLoad(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	path := filepath.Join(t.TempDir(), "in.sock")
	s := setup{workers: 2, listeners: `["127.0.0.1:1", "unix:` + path + `"]`}
	p := s.run(t, e.upstream)
	visitors := []*visitor{
		{network: "tcp", address: p.address, keep: true}, {network: "tcp", address: p.address},
		{network: "unix", address: path, keep: true}, {network: "unix", address: path},
	}
	var stop atomic.Bool
	var visits sync.WaitGroup
	for _, v := range visitors {
		visits.Go(func() { v.visit(t, &stop) })
	}
	for _, workers := range []int{1, 4, 2, 3} {
		s.workers = workers
		next := p.follow(s, e.upstream)
		p.leave(next)
		p = next
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("the file of the unix listener: %v", err)
		}
		for _, v := range visitors {
			before := v.answers.Load()
			eventually(t, "everybody gets answers", func() bool { return v.answers.Load() > before+20 || t.Failed() })
		}
	}
	stop.Store(true)
	visits.Wait()
	p.engine.Stop()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the file of the unix listener is left behind by the last engine")
	}
}

// Whoever waits on a socket of any worker is served by the one that follows, as long as the one
// before stands still.
func TestHandOverServesWhoWaits(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	f := func(before, after int) {
		t.Helper()
		s := setup{workers: before}
		p := s.run(t, e.upstream)
		s.workers = after
		o := p.passes(s, e.upstream)
		resume := sync.OnceFunc(p.engine.Stall())
		t.Cleanup(resume)
		var clients []*wire
		for range 32 { // so that some wait on each socket
			clients = append(clients, p.dial())
		}
		next := p.followWith(o)
		for _, c := range clients {
			c.ask("/x", "/x")
			c.close()
		}
		resume()
		p.leave(next)
	}
	f(1, 1)
	f(3, 3)
	f(3, 2)
	f(3, 1)
	f(1, 3)
}

// A listener that the successor has under another name, or not at all.
func TestHandOverToOtherListeners(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	s := setup{listeners: `["127.0.0.1:1", "127.0.0.2:1"]`}
	p := s.run(t, e.upstream)
	address := p.engine.Addresses()
	next := p.follow(setup{listeners: `["127.0.0.2:1"]`}, e.upstream)
	p.leave(next)
	if got := next.engine.Addresses(); len(got) != 1 || got[0] != address[1] {
		t.Errorf("it listens on %q, there were %q", got, address)
	}
	if c, err := net.Dial("tcp", address[0]); err == nil {
		c.Close()
		t.Errorf("somebody listens on %s", address[0])
	}
	if !strings.Contains(next.log.String(), "inherited socket not used") {
		t.Errorf("logged %s", next.log)
	}
	named := setup{listeners: `["127.0.0.2:1"]`}.parse(t, e.upstream)
	named.Listeners[0].Address.Text, named.Listeners[0].Address.Port = "known by its number", portOf(t, address[1])
	passed, err := next.engine.PassSockets()
	if err != nil {
		t.Fatal(err)
	}
	other, err := engine.New(engine.Options{Config: named, Log: slog.New(slog.DiscardHandler), Inherited: passed})
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Addresses(); len(got) != 1 || got[0] != address[1] {
		t.Errorf("it listens on %q, want %q", got, address[1])
	}
	if err := other.Start(); err != nil {
		t.Error(err)
	}
	other.Stop()
}

func portOf(t *testing.T, address string) uint16 {
	t.Helper()
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port()
}

func (s setup) parse(t *testing.T, upstreams ...*upstream) *config.Config {
	t.Helper()
	c, err := parse(s.text(upstreams))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A successor that does not come to serve leaves everything as it was.
func TestHandOverThatFails(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	path := filepath.Join(t.TempDir(), "in.sock")
	s := setup{workers: 2, listeners: `["127.0.0.1:1", "unix:` + path + `"]`}
	p := s.run(t, e.upstream)
	f := func(change func(o *engine.Options), want string) {
		t.Helper()
		o := engine.Options{Config: s.parse(t, e.upstream), Log: slog.New(slog.DiscardHandler)}
		var err error
		if o.Inherited, err = p.engine.PassSockets(); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if next, err := engine.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
			if err == nil {
				next.Stop()
			}
		}
		c := p.dial()
		c.ask("/1", "/1")
		c.close()
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	taken := listen(t)
	f(func(o *engine.Options) { o.State = []byte("{") }, "state of the process before")
	f(func(o *engine.Options) { o.State = []byte(`{"version": 99}`) }, "version is 99")
	f(func(o *engine.Options) { o.State = []byte(`{"version": 1, "cookie_secret": "YWJj"}`) }, "32 bytes")
	f(func(o *engine.Options) {
		o.Config.Listeners = append(o.Config.Listeners, o.Config.Listeners[0])
		l := &o.Config.Listeners[2]
		l.Name, l.Address.Text, l.Address.Port = "third", taken.authority(), portOf(t, taken.address)
		o.State = []byte(`{"version": 1}`)
	}, "address already in use")
}
