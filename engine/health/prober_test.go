package health

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// note is an observer that keeps what it is told.
type note struct {
	mu      sync.Mutex
	results []Result
	judged  []Verdict
	reasons []string
	told    chan struct{}
}

func newNote() *note { return &note{told: make(chan struct{}, 1000)} }

func (n *note) Probed(r Result) {
	n.mu.Lock()
	n.results = append(n.results, r)
	n.mu.Unlock()
	n.told <- struct{}{}
}

func (n *note) Judged(v Verdict, reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.judged, n.reasons = append(n.judged, v), append(n.reasons, reason)
}

// first is the first result.
func (n *note) first(t *testing.T) Result {
	t.Helper()
	select {
	case <-n.told:
	case <-time.After(10 * time.Second):
		t.Fatal("no probe ended within 10 s")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.results[0]
}

func passing(status int) bool { return status >= 200 && status < 400 }

func check() Check {
	return Check{URI: "/health", Method: "GET", Interval: time.Hour, Timeout: 10 * time.Second, Expect: passing, Fails: 1, Passes: 1}
}

// at is the target of a test server.
func at(s *httptest.Server) Target {
	u, _ := url.Parse(s.URL)
	t := Target{Network: "tcp", Address: u.Host, Scheme: u.Scheme, Authority: "app.example"}
	if s.TLS != nil {
		t.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		t.TLS.ServerName = "example.com"
	}
	return t
}

func probeOnce(t *testing.T, to Target, c Check) Result {
	t.Helper()
	n := newNote()
	p := Start(to, c, Unknown, n)
	defer p.Stop()
	return n.first(t)
}

func TestProbe(t *testing.T) {
	f := func(name string, change func(*Check), answer http.HandlerFunc, want string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(answer)
			defer s.Close()
			c := check()
			change(&c)
			if r := probeOnce(t, at(s), c); r.Reason != want || r.Passed != (want == "") {
				t.Errorf("%+v, want reason %q", r, want)
			}
		})
	}
	as := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	none := func(*Check) {}
	text := func(c *Check) { c.Body = "all good" }
	f("200", none, as(200, ""), "")
	f("redirect is judged", none, as(302, ""), "")
	f("404", none, as(404, ""), "status 404")
	f("503", none, as(503, "all good"), "status 503")
	f("text", text, as(200, strings.Repeat("x", 100_000)+"all good"), "")
	f("other text", text, as(200, "ALL GOOD"), "body without the expected text")
	f("text too far", text, as(200, strings.Repeat("x", bodyBytes)+"all good"), "body without the expected text")
	f("slow", func(c *Check) { c.Slow = time.Nanosecond }, as(200, ""), "slower than 1ns")
	f("timeout", func(c *Check) { c.Timeout = 30 * time.Millisecond }, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout")
	f("dropped", none, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection reset")
}

func TestProbeShape(t *testing.T) {
	seen := make(chan *http.Request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r }))
	defer s.Close()
	c := check()
	c.Method, c.URI = "HEAD", "/deep?full=1"
	probeOnce(t, at(s), c)
	r := <-seen
	if r.Method != "HEAD" || r.RequestURI != "/deep?full=1" || r.Host != "app.example" || r.UserAgent() != userAgent || !r.Close {
		t.Errorf("probe %s %s, Host %s, User-Agent %s, close %v", r.Method, r.RequestURI, r.Host, r.UserAgent(), r.Close)
	}
}

func TestProbeOverTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	if r := probeOnce(t, at(s), check()); !r.Passed {
		t.Errorf("with the right roots: %s", r.Reason)
	}
	to := at(s)
	to.TLS.RootCAs = nil
	if r := probeOnce(t, to, check()); r.Passed {
		t.Error("a certificate of an unknown authority passed")
	}
}

func TestProbeUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Listener = l
	s.Start()
	defer s.Close()
	to := Target{Network: "unix", Address: path, Scheme: "http", Authority: "app.example"}
	if r := probeOnce(t, to, check()); !r.Passed {
		t.Error(r.Reason)
	}
}

func TestProbeRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	to := Target{Network: "tcp", Address: l.Addr().String(), Scheme: "http", Authority: "app.example"}
	if r := probeOnce(t, to, check()); r.Reason != "connection refused" {
		t.Errorf("%+v", r)
	}
}

// The verdict follows the probes, and changes are told once.
func TestVerdictIsTold(t *testing.T) {
	var count int // of probes, which come one at a time
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if count++; count <= 3 {
			w.WriteHeader(500)
		}
	}))
	defer s.Close()
	n := newNote()
	c := check()
	c.Interval, c.Fails, c.Passes = time.Millisecond, 2, 2
	p := Start(at(s), c, Unknown, n)
	for range 8 {
		<-n.told
	}
	p.Stop()
	if len(n.judged) != 2 || n.judged[0] != Unhealthy || n.judged[1] != Healthy || n.reasons[0] != "status 500" {
		t.Errorf("judged %v for %q, want unhealthy for status 500, then healthy", n.judged, n.reasons)
	}
}

// A verdict from before a reload holds until probes say otherwise.
func TestVerdictIsCarriedOver(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	defer s.Close()
	n := newNote()
	p := Start(at(s), check(), Unhealthy, n)
	n.first(t)
	p.Stop()
	if len(n.judged) != 0 {
		t.Errorf("judged %v although nothing changed", n.judged)
	}
}

func TestStopCutsAProbeOff(t *testing.T) {
	began := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	}))
	defer s.Close()
	n := newNote()
	p := Start(at(s), check(), Unknown, n)
	<-began
	p.Stop()
	if len(n.results) != 0 {
		t.Errorf("a probe that was cut off counted: %+v", n.results)
	}
}

func TestSpread(t *testing.T) {
	for range 1000 {
		if d := spread(time.Second); d < 900*time.Millisecond || d > 1100*time.Millisecond {
			t.Fatalf("%v is not within 10 %% of 1s", d)
		}
	}
}
