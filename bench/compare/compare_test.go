package main

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	f := func(want float64, list ...float64) {
		t.Helper()
		if got := median(list); got != want {
			t.Errorf("median(%v) = %v, want %v", list, got, want)
		}
	}
	f(3, 9, 1, 3)
	f(2.5, 4, 1, 3, 2)
	f(7, 7)
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing is %v", got)
	}
}

// The ratio is that of the pairs, not of the medians.
func TestPairedRatio(t *testing.T) {
	got := pairedRatio([]float64{1, 20, 3}, []float64{2, 10, 4})
	if want := (ratio{Median: .75, Min: .5, Max: 2}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseCalls(t *testing.T) {
	const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.600000           3     20000           recvfrom
 39.00    0.390000           3     10000       120 writev
  1.00    0.010000           1       100           epoll_wait
------ ----------- ----------- --------- --------- ----------------
100.00    1.000000           3     30100       120 total
`
	calls := parseCalls(table)
	for name := range calls {
		calls[name] /= 10000
	}
	if got, want := describeCalls(calls), "3.01: recvfrom 2.00 writev 1.00 epoll_wait 0.01"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseSymbols(t *testing.T) {
	got := parseSymbols("    12.34%  [k] tcp_sendmsg\n     1.50%  [.] main.(*worker).turn      -     -\n\nno symbol\n# 5% comment\n")
	want := []symbol{{12.34, true, "tcp_sendmsg"}, {1.5, false, "main.(*worker).turn"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMetric(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "# TYPE a counter\na_b 7\na 12.5\n")
	}))
	defer s.Close()
	admin := strings.TrimPrefix(s.URL, "http://")
	if got, err := metric(context.Background(), admin, "a"); got != 12.5 || err != nil {
		t.Errorf("got %v, %v, want 12.5", got, err)
	}
	if got, err := metric(context.Background(), admin, "b"); err == nil {
		t.Errorf("got %v for a series that is not there", got)
	}
}

func TestLoadResultsWithErrorsAreRefused(t *testing.T) {
	f := func(l loadResult, good bool) {
		t.Helper()
		if err := l.check(); (err == nil) != good {
			t.Errorf("%+v: %v, want good: %v", l, err, good)
		}
	}
	f(loadResult{Requests: 1, Errors: map[string]int64{"timeout": 3}}, true)
	f(loadResult{Requests: 0}, false)
	f(loadResult{Requests: 9, Non2xx: 1}, false)
	f(loadResult{Requests: 9, Errors: map[string]int64{"read": 1}}, false)
}

func TestReport(t *testing.T) {
	var out strings.Builder
	rep := &report{out: &out, Date: "2026-01-02T030405Z"}
	var samples []sample
	for turn, cpu := range []time.Duration{10, 12, 11} {
		for i, name := range []string{"nginx", "millrace"} {
			samples = append(samples, sample{
				Proxy: name, Turn: turn, Requests: 1000, CPU: cpu * time.Millisecond / time.Duration(1+i),
				User: 2 * time.Millisecond, System: 6 * time.Millisecond, Rate: 5000, P50: 80, P99: 200, Memory: 9e6,
			})
		}
	}
	rep.turns(mode{name: "small"}, samples)
	const want = `  median of turns CPU us/request   user requests/s    p50 us    p99 us memory MB
  nginx                    11.00    25%       5000        80       200       9.0
  millrace                  5.50    25%       5000        80       200       9.0
  CPU of millrace / nginx: 0.500 (0.500 to 0.500)
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	folder := filepath.Join(t.TempDir(), "results")
	if err := rep.write(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "2026-01-02T030405Z.json"))
	if err != nil || !strings.Contains(string(text), `"millrace/nginx": {`) {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestCommandLine(t *testing.T) {
	f := func(want int, wantText string, args ...string) {
		t.Helper()
		var out strings.Builder
		if got := run(context.Background(), args, &out); got != want || !strings.Contains(out.String(), wantText) {
			t.Errorf("compare %q: code %d, want %d, %q in\n%s", args, got, want, wantText, out.String())
		}
	}
	f(2, "want a mode")
	f(2, "no mode is called", "-load", "true", "big")
	f(2, "load generator", "-load", "/nonexistent", "small")
	f(2, "no proxy is left", "-load", "true", "-millrace", "/nonexistent", "-proxies", "millrace", "small")
	f(0, "mallocs", "-h")
}
