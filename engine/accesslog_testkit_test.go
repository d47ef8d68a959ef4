package engine

import (
	"bytes"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/netpoll"
)

// logPatience is how long a test of the access log waits for what must come.
const logPatience = 10 * time.Second

// soon fails the test when cond stays false.
func soon(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for limit := time.Now().Add(logPatience); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("in vain waited until %s", what)
		}
	}
}

// quietLog starts a log for c with one worker. It is closed at the end of the test.
func quietLog(t testing.TB, c *config.AccessLog) (*accessLog, *stats.Registry) {
	t.Helper()
	return startLog(t, c, stats.New(1), slog.New(slog.DiscardHandler))
}

func startLog(t testing.TB, c *config.AccessLog, registry *stats.Registry, events *slog.Logger) (*accessLog, *stats.Registry) {
	t.Helper()
	log, err := newAccessLog(c, registry, events)
	if err != nil {
		t.Fatal(err)
	}
	log.start()
	t.Cleanup(func() { log.Close(0) })
	return log, registry
}

// droppedLines is what a scrape says of lost lines.
func droppedLines(t testing.TB, r *stats.Registry) int {
	t.Helper()
	var text strings.Builder
	if err := r.WritePrometheus(&text); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text.String(), "\nmillrace_access_log_dropped_total ")
	value, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("no count of dropped lines: %v", err)
	}
	return n
}

// put adds a finished line, without its line feed.
func (b *accessBuffer) put(line string) {
	if room := b.room(); room != nil {
		b.add(append(append(room, line...), '\n'))
	}
}

// takeAll is what the goroutine would write.
func (b *accessBuffer) takeAll() (all []byte) {
	for {
		lines := b.next()
		if len(lines) == 0 {
			return all
		}
		all = append(all, lines...)
		b.wrote(len(lines))
	}
}

// A sharedText is what several goroutines write.
type sharedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sharedText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sharedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// finishedExchange is one that an endpoint has answered.
func finishedExchange(t testing.TB) (*exchange, *accessTrail) {
	t.Helper()
	loop, err := netpoll.NewLoop(netpoll.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loop.Close)
	x := &exchange{
		w:       &worker{loop: loop},
		d:       &downstream{conn: &netpoll.Conn{}},
		snap:    &snapshot{},
		target:  &target{},
		cluster: &cluster{name: "articles"},
		status:  200, respSeen: 5120,
	}
	balance := lb.NewCluster(lb.Options{Endpoints: []lb.EndpointOptions{
		{ID: "a", URL: "http://10.0.0.7:8080", Address: "10.0.0.7:8080", Weight: 1},
	}}, nil)
	x.lastTried = &endpoint{balance: balance.Endpoints()[0]}
	x.raw = []byte("GET /api/v1/articles/4711?color=blue&size=XL&page=2 HTTP/1.1\r\nHost: shop.example.com\r\n" +
		"Referer: https://shop.example.com/catalogue\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n\r\n")
	limits := &h1.Limits{HeadBytes: 8 << 10, FieldCount: 100, TargetBytes: 4 << 10}
	if err := h1.NewRequestParser().Parse(&x.req, x.raw, limits); err != nil {
		t.Fatal(err)
	}
	x.began = loop.Now()
	trail := &accessTrail{reused: true}
	trail.sent(x.began + 100_000)
	trail.heard(x.began + 1_100_000)
	return x, trail
}
