package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Whoever waits for a connection gets one as soon as there is one, however workers meet:
// nobody waits to the end of its patience.
func TestReviewNobodyIsForgotten(t *testing.T) {
	t.Parallel()
	f := func(top, upstream string, clients int) {
		t.Helper()
		e := newEcho(t)
		p := setup{workers: 4, top: top, upstream: upstream, cluster: "max_retries_per_upstream: 0"}.run(t, e.upstream)
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				c := p.dial()
				_ = c.conn.SetDeadline(time.Now().Add(3 * time.Second))
				for i := range 300 {
					start := time.Now()
					c.get("/x")
					head, err := c.readHead()
					if err == nil {
						_, err = c.readBody(head)
					}
					if err != nil || head != "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" {
						t.Errorf("request %d: %q, %v after %v", i, head, err, time.Since(start))
						return
					}
					_ = c.conn.SetDeadline(time.Now().Add(3 * time.Second))
				}
			})
		}
		all.Wait()
	}
	f("proxy_concurrent_conns: 1", "connection_timeout: 20s", 2)
	f("proxy_concurrent_conns: 1", "connection_timeout: 20s", 6)
	f("proxy_concurrent_conns: 2", "connection_timeout: 20s", 5)
	f("", "limit: 1, connection_timeout: 20s", 2)
	f("", "limit: 1, connection_timeout: 20s", 6)
	f("", "limit: 2, connection_timeout: 20s", 8)
}

// More client connections than there are descriptors would leave none to the operators.
func TestReviewClientLimitBeyondDescriptors(t *testing.T) {
	t.Parallel()
	const most = 10_000_000 // that a file may ask for
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Max) > most {
		t.Skip("there are more descriptors here than a file can ask for")
	}
	p := setup{top: fmt.Sprintf("limits: {connections: %d}", most)}.run(t, newEcho(t).upstream)
	if log := p.log.String(); !strings.Contains(log, "limits.connections lowered to what the descriptor limit allows") {
		t.Errorf("the log is %q", log)
	}
}
