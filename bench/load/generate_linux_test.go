package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// load runs the command with args and the server's URL and returns its result.
func load(t *testing.T, s *httptest.Server, args ...string) *result {
	t.Helper()
	var out strings.Builder
	o, err := parseOptions(append(args, s.URL), &out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := generate(&o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func serve(t *testing.T, f http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s
}

func TestLoadSendsTheAskedNumber(t *testing.T) {
	var served, received atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		n, _ := io.Copy(io.Discard, r.Body)
		received.Add(n)
		w.WriteHeader(418)
	})
	r := load(t, s, "-c", "3", "-t", "2", "-n", "101", "-upload", "100000")
	if r.requests != 101 || served.Load() != 101 || received.Load() != 101*100_000 {
		t.Errorf("%d answers, %d served with %d bytes, want 101", r.requests, served.Load(), received.Load())
	}
	if r.sent < 101*100_000 || r.sent > 101*100_200 {
		t.Errorf("%d bytes sent", r.sent)
	}
	if r.non2xx != 101 || r.connect+r.read+r.write+r.timeout != 0 || r.latency.total != 101 {
		t.Errorf("%d of 101 not 2xx; errors %d %d %d %d", r.non2xx, r.connect, r.read, r.write, r.timeout)
	}
}

func TestLoadOpensFreshConnections(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	if r := load(t, s, "-c", "2", "-n", "20", "-close"); r.requests != 20 || r.read != 0 || opened.Load() < 20 {
		t.Errorf("%d answers over %d connections, %d read errors", r.requests, opened.Load(), r.read)
	}
	opened.Store(0)
	if r := load(t, s, "-c", "2", "-n", "20"); r.requests != 20 || opened.Load() != 2 {
		t.Errorf("%d answers over %d connections, want 20 over 2", r.requests, opened.Load())
	}
}

func TestLoadCountsErrors(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
		conn.Close()
	})
	r := load(t, s, "-c", "2", "-d", "100ms")
	if r.requests != 0 || r.read == 0 {
		t.Errorf("%d answers, %d read errors, want none and some", r.requests, r.read)
	}
	s.Close()
	if r = load(t, s, "-c", "2", "-d", "100ms"); r.requests != 0 || r.connect == 0 || r.connect > 2*20 {
		t.Errorf("%d answers, %d connect errors, want none and a few", r.requests, r.connect)
	}
}

func TestLoadHoldsTheRate(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	r := load(t, s, "-c", "10", "-R", "500", "-d", "1s")
	// A busy machine may lose answers at the end, never make more of them due.
	if r.requests < 250 || r.requests > 501 {
		t.Errorf("%d answers in %v at 500 a second", r.requests, r.elapsed)
	}
}

// A server that stalls must be charged for every request that was due
// meanwhile, though a closed loop would have sent only one a connection.
func TestLoadCorrectsForStalls(t *testing.T) {
	const every, stall = 500 * time.Millisecond, 100 * time.Millisecond
	start := time.Now()
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		if at := time.Since(start) % every; at < stall {
			time.Sleep(stall - at)
		}
	})
	r := load(t, s, "-c", "4", "-R", "1000", "-d", "2s")
	// A fifth of the requests wait, from nothing to the whole stall: the share
	// above x is (stall-x)/every. Noise of the machine can only add to that.
	for _, q := range []float64{.90, .95, .99} {
		want := time.Duration(float64(stall) - (1-q)*float64(every))
		if got := time.Duration(r.latency.quantile(q)); got < want-stall/10 {
			t.Errorf("p%v is %v, want %v at least", 100*q, got, want-stall/10)
		}
	}
	if got := time.Duration(r.latency.quantile(.5)); got > stall/2 {
		t.Errorf("the median is %v, though four fifths did not wait", got)
	}
}

func TestLoadPrints(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(strings.Repeat("x", 5000))) })
	var out, errs strings.Builder
	if code := run([]string{"-n", "10", "-json", s.URL}, &out, &errs); code != 0 {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	var got struct {
		Requests  int64
		LatencyUS map[string]float64 `json:"latency_us"`
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil || got.Requests != 10 || got.LatencyUS["p99.9"] <= 0 {
		t.Errorf("got %s, %v", out.String(), err)
	}
	out.Reset()
	if code := run([]string{"-n", "10", s.URL}, &out, &errs); code != 0 || !strings.Contains(out.String(), "10 requests in ") {
		t.Errorf("code %d: %s", code, out.String())
	}
	if code := run([]string{"-c", "x", s.URL}, &out, &errs); code != 2 {
		t.Errorf("code %d after a bad flag, want 2", code)
	}
	port := strconv.Itoa(s.Listener.Addr().(*net.TCPAddr).Port)
	s.Close()
	if code := run([]string{"-d", "50ms", "http://127.0.0.1:" + port}, &out, &errs); code != 1 {
		t.Errorf("code %d without a server, want 1", code)
	}
}
