package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// An otherProxy stands between clients and an upstream. It is not the one under test: it
// shows what the clients find.
type otherProxy func(t *testing.T, upstream string) (address string)

// none has clients talk to the upstream itself.
func none(_ *testing.T, upstream string) string { return upstream }

// reverse is the proxy of the standard library, which may spoil answers.
func reverse(spoil func(*http.Response) error) otherProxy {
	return func(t *testing.T, upstream string) string {
		p := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: upstream})
		p.ModifyResponse = spoil
		p.ErrorLog = log.New(io.Discard, "", 0)
		s := httptest.NewUnstartedServer(p)
		s.Config.ErrorLog = p.ErrorLog
		s.Start()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
}

// visitTimes has clients of one behaviour visit a proxy, and returns the first violation.
func visitTimes(t *testing.T, name string, through otherProxy, times int) (whole int64, err error) {
	t.Helper()
	u, err := startUpstream(1)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Stop()
	p := &place{Address: through(t, u.Address)}
	p.Extra = p.Address
	i := slices.IndexFunc(behaviours, func(b behaviour) bool { return b.name == name })
	rng := rand.New(rand.NewPCG(1, 2))
	for range times {
		if err := behaviours[i].visit(&visit{p, rng}); err != nil {
			return p.whole.Load(), err
		}
	}
	return p.whole.Load(), nil
}

func TestBehavioursAgreeWithUpstreams(t *testing.T) {
	quiet(t)
	f := func(through otherProxy, wantWhole bool, names ...string) {
		t.Helper()
		for _, name := range names {
			whole, err := visitTimes(t, name, through, 4)
			if err != nil || (whole > 0) != wantWhole {
				t.Errorf("%s: %d answers compared, %v", name, whole, err)
			}
		}
	}
	f(none, true, "half-closing", "leaving with the request", "answered early", "tunnelling")
	f(none, false, "aborting", "cut short")
	f(reverse(nil), true, "plain", "fickle", "pipelining", "slow reading", "slow sending", "uploading", "tunnelling", "extra listener")
	f(reverse(nil), false, "aborting", "cut short", "refused")
}

// quiet silences what the standard library's client says about odd upstreams.
func quiet(t *testing.T) {
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
}

func TestBehavioursFindUpstreamsThemselves(t *testing.T) {
	if _, err := visitTimes(t, "surplus", none, 4); err == nil || !strings.Contains(err.Error(), `the answer is that of "0"`) {
		t.Errorf("surplus that comes through: got %v", err)
	}
	if _, err := visitTimes(t, "pipelining", none, 20); err == nil || !strings.Contains(err.Error(), "ends inside a pipeline") {
		t.Errorf("a pipeline that ends: got %v", err)
	}
}

func TestBehavioursFindFailuresThatAreHidden(t *testing.T) {
	hides := func(t *testing.T, _ string) string {
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	if _, err := visitTimes(t, "refused", hides, 1); err == nil || !strings.Contains(err.Error(), "status 200 where the upstream failed") {
		t.Errorf("got %v", err)
	}
}

func TestBehavioursFindSpoiledAnswers(t *testing.T) {
	quiet(t)
	f := func(name, want string, spoil func(*http.Response) error) {
		t.Helper()
		if _, err := visitTimes(t, name, reverse(spoil), 20); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	rewrite := func(change func([]byte) []byte) func(*http.Response) error {
		return func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil && len(body) == 0 || r.StatusCode != 200 {
				return err
			}
			body = change(body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", fmt.Sprint(len(body)))
			return nil
		}
	}
	flip := rewrite(func(b []byte) []byte {
		if len(b) > 100 {
			b[len(b)/2] ^= 1
		}
		return b
	})
	shorten := rewrite(func(b []byte) []byte { return b[:len(b)/2] })
	extend := rewrite(func(b []byte) []byte { return append(b, 'x') })
	f("plain", "want 0x", flip)
	f("fickle", "want 0x", flip)
	f("extra listener", "want 0x", flip)
	f("plain", "bytes, want", shorten)
	f("plain", "want 0x", extend)
	f("answered early", "want 0x", flip)
	f("plain", `the answer is that of "9999"`, func(r *http.Response) error {
		r.Header.Set("X-Mark", "9999")
		return nil
	})
	f("cut short", "bytes, want", rewrite(func(b []byte) []byte { return b }))
	f("cut short", "passed on as whole", func(r *http.Response) error {
		mark, size := r.Header.Get("X-Mark"), r.Request.URL.Query().Get("size")
		var p pattern
		var n int64
		fmt.Sscan(mark, &p.seed)
		fmt.Sscan(size, &n)
		r.Body, r.ContentLength = io.NopCloser(io.LimitReader(&p, n)), n
		r.Header.Set("Content-Length", size)
		return nil
	})
}

func TestFormsAreCompared(t *testing.T) {
	f := func(seen, back, want string) {
		t.Helper()
		c := &client{v: &visit{place: &place{Forms: true}}}
		r := &http.Response{Header: http.Header{"X-Mark": {"1"}, "X-Seen-Form": {seen}, "X-Form": {back}}, Body: http.NoBody}
		err := c.compare(call{Mark: 1}, r, nil)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("form %q there, %q back: got %v, want %q", seen, back, err, want)
		}
	}
	f(formA, formA, "")
	f(formB, formB, "")
	f(formA, formB, "by form")
	f("", "", "by form")
}

func TestFullHouse(t *testing.T) {
	u, err := startUpstream(1)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Stop()
	if err := fullHouse(&place{Address: u.Address}, 5); err == nil || !strings.Contains(err.Error(), "client 6 of 5") {
		t.Errorf("got %v, want that one too many is served", err)
	}
	for range 2 { // whoever takes four only cannot serve five; what the first four held is given back
		if err := fullHouse(&place{Address: doorman(t, u.Address, 4)}, 4); err != nil {
			t.Errorf("exactly as many as there may be: %v", err)
		}
	}
}

// doorman relays as many connections as there may be at a time; others wait.
func doorman(t *testing.T, upstream string, permits int) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	places := make(chan struct{}, permits)
	go func() {
		for {
			places <- struct{}{}
			down, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", upstream)
			if err != nil {
				down.Close()
				continue
			}
			go io.Copy(down, up)
			go func() {
				io.Copy(up, down)
				up.Close()
				down.Close()
				<-places
			}()
		}
	}()
	return l.Addr().String()
}

func TestDrawBehaviour(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := make([]int, len(behaviours))
	for range 10_000 {
		seen[drawBehaviour(rng)]++
	}
	for i, n := range seen {
		if n == 0 {
			t.Errorf("%s is never drawn", behaviours[i].name)
		}
	}
}
