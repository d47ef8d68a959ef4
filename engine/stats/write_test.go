package stats

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", file, got)
	}
	if _, err := parse(got); err != nil {
		t.Error(err)
	}
}

func TestGoldenEmpty(t *testing.T) { golden(t, "empty.prom", own(New(2))) }

// configured is a registry as it is before the first request.
func configured() *Registry {
	r := New(2)
	r.SetBuild("1.2.3", "go1.26", "abc")
	r.SetGlobalLimit(16384)
	r.ConfigLoaded(time.UnixMilli(1_700_000_000_250))
	r.Listener("127.0.0.1:8080")
	r.Route(None, None)
	r.Route("/", "web")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://app:80"})
	e.Watch(ActiveConnections, func() float64 { return 0 })
	return r
}

func TestGoldenConfigured(t *testing.T) { golden(t, "configured.prom", own(configured())) }

func TestGoldenBusy(t *testing.T) {
	r := configured()
	busy(r)
	golden(t, "busy.prom", own(r))
}

// busy lets one of everything happen, on both workers.
func busy(r *Registry) {
	l, rt := r.Listener("127.0.0.1:8080"), r.Route("/", "web")
	e := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://app:80"})
	u := r.Endpoint(EndpointLabels{Cluster: "web", URL: "http://app:80", UnixPath: "/run/app.sock"})
	l.Open(0)
	l.Open(1)
	l.Closed(0)
	r.Route(None, None).Observe(0, 404, -1)
	rt.Observe(0, 200, int64(400*time.Microsecond))
	rt.Observe(1, 200, int64(20*time.Millisecond))
	rt.Observe(1, 502, int64(time.Minute))
	rt.Observe(0, 777, -1)
	e.Inc(0, Selected)
	e.Inc(1, Selected)
	e.Opened(0, int64(3*time.Millisecond))
	e.Inc(0, Parked)
	e.Inc(0, Reused)
	e.Answered(0, Answer{Status: 200, TTFB: int64(time.Millisecond)})
	e.Answered(0, Answer{Status: 200, Reused: true, TTFB: -1})
	e.Answered(1, Answer{Status: 404, Reused: true, TTFB: int64(2 * time.Millisecond)})
	for _, c := range []EndpointCounter{StaleRetries, UpstreamTruncated, TLSHandshakeFailures, PoolWaits, CheckPassed, CheckFailed, MarkedUnhealthy, RetriesRefused} {
		u.Inc(1, c)
	}
	u.Checked(true, int64(3*time.Millisecond))
	for g := CircuitOpened; g <= ExcludedOverloaded; g++ {
		u.Watch(g, func() float64 { return 2 })
	}
	for g := EWMALatency; g < endpointGaugeCount; g++ {
		u.Watch(g, func() float64 { return 1 })
	}
	u.Waited(1, int64(30*time.Millisecond))
	u.Watch(Score, func() float64 { return 1.5 })
	u.Watch(LocalLimit, func() float64 { return 5 })
	e.Retry(0, GET, true)
	e.Retry(1, GET, false)
	e.RetryFinal(0, GET, false)
	e.RetryFinal(1, GET, true)
	u.Retry(0, POST, false)
	u.RetryFinal(0, POST, false)
	r.Sheet(0).Inc(AcceptErrors)
	r.Sheet(1).Add(AccessLogDropped, 3)
	r.Sheet(1).Inc(TraceSpansDropped)
	r.Sheet(0).Failure(ConnectionRefused, 502)
	r.Sheet(1).Failure(ConnectionRefused, 502)
	r.Sheet(1).Failure(Timeout, 504)
	r.SetDNS(func() DNS {
		return DNS{Entries: 2, Stale: 1, TTLMax: time.Minute, TTLAvg: 30 * time.Second, Hits: 3, Misses: 4, NXDomain: 1, Failed: 2}
	})
	r.ConfigReloaded(ReloadApplied, time.UnixMilli(1_700_000_100_000))
	r.ConfigReloaded(ReloadRejected, time.UnixMilli(1_700_000_200_000))
}

func TestWholeTextIsValid(t *testing.T) {
	r := configured()
	busy(r)
	var b strings.Builder
	if err := r.WritePrometheus(&b); err != nil {
		t.Fatal(err)
	}
	x, err := parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if x.kinds["go_goroutines"] != gaugeKind || x.kinds["millrace_requests_total"] != counter {
		t.Errorf("families are missing: %v", x.families)
	}
	if last := x.families[len(x.families)-1]; strings.HasPrefix(last, "millrace_") {
		t.Errorf("%s comes after the families of the process", last)
	}
	promtool(t, b.String())
}

// promtool lints the text where the program is installed.
func promtool(t *testing.T, text string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not installed")
		return
	}
	c := exec.Command(path, "check", "metrics")
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// brokenPipe fails after some writes.
type brokenPipe struct{ left, writes, largest int }

var errBroken = errors.New("broken")

func (p *brokenPipe) Write(b []byte) (int, error) {
	p.writes++
	p.largest = max(p.largest, len(b))
	if p.left--; p.left < 0 {
		return 0, errBroken
	}
	return len(b), nil
}

func TestWriterErrorEndsTheText(t *testing.T) {
	r := New(1)
	for i := range 2000 {
		r.Route(fmt.Sprintf("/%d", i), "web")
	}
	p := &brokenPipe{left: 2}
	if err := r.WritePrometheus(p); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
	if p.writes != 3 {
		t.Errorf("%d writes, want none after the one that failed", p.writes)
	}
}

func TestTextIsWrittenInPieces(t *testing.T) {
	r := New(1)
	for i := range 2000 {
		r.Route(fmt.Sprintf("/%d", i), "web")
	}
	p := &brokenPipe{left: 1 << 30}
	if err := r.WritePrometheus(p); err != nil {
		t.Fatal(err)
	}
	if p.writes < 50 || p.largest > 2*flushSize {
		t.Errorf("%d writes of up to %d bytes, want pieces of about %d", p.writes, p.largest, flushSize)
	}
}
