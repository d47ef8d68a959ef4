package beacon

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// start is when tests begin.
var start = time.UnixMicro(1_750_000_000_000_000)

// A fakeCluster remembers what it was told.
type fakeCluster struct {
	mu        sync.Mutex
	changes   []string        // as "add http://a"
	members   map[string]bool // ours: enabled or not
	foreign   map[string]bool // not ours
	fails     error           // answer to everything
	forgetful bool            // says yes and does nothing
}

func (c *fakeCluster) Apply(change Change, m Member) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes = append(c.changes, change.String()+" "+m.URL)
	switch {
	case c.fails != nil:
		return c.fails
	case c.foreign[m.URL]:
		return fmt.Errorf("configured: %w", ErrNotManaged)
	case c.forgetful:
	case change == Remove:
		delete(c.members, m.URL)
	default:
		c.members[m.URL] = change == Add || change == Enable
	}
	return nil
}

func (c *fakeCluster) Owns(url string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.members[url]
	return ok
}

// wants compares the changes since the last call.
func (c *fakeCluster) wants(t *testing.T, changes ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.changes, changes) {
		t.Errorf("changes %q, want %q", c.changes, changes)
	}
	c.changes = nil
}

// receiving returns a receiver of "web" and its cluster.
func receiving(t testing.TB, s Settings) (*Receiver, *fakeCluster) {
	t.Helper()
	c := &fakeCluster{members: map[string]bool{}, foreign: map[string]bool{}}
	s.Secret = secret
	r, err := NewReceiver(ReceiverOptions{Listen: "127.0.0.1:0", ClusterName: "web", Cluster: c, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	return r, c
}

// A logBook is a log for tests: a line an event, "LEVEL text".
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

// logging makes r log into the book that it returns.
func logging(r *Receiver) *logBook {
	b := &logBook{}
	r.log = b.logger()
	return b
}

func (b *logBook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns what was logged since the last call.
func (b *logBook) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// said returns the datagram of an announcement of url made at a time.
func said(t testing.TB, url string, at time.Time) []byte {
	t.Helper()
	return Announcement{URL: url, Host: "h", PID: 1, TS: at.UnixMicro()}.Append(nil, keyOf(t, secret))
}

// lastReason returns why the last datagram was dropped, accepted if none was.
func lastReason(r *Receiver) Reason {
	return r.last
}
