package engine_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// With two of three endpoints broken, attempts on the wire are no more than requests, what
// the bucket held, and a tenth of the successes; the metrics tell the same.
func TestReview3BudgetOnTheWire(t *testing.T) {
	t.Parallel()
	var attempts, successes, refused, failed atomic.Int64
	broken := func() *upstream {
		return listen(t).serve(func(w *wire) {
			if _, err := w.readHead(); err == nil {
				attempts.Add(1)
			}
		})
	}
	good := listen(t).serve(func(w *wire) {
		for {
			if _, err := w.readHead(); err != nil {
				return
			}
			attempts.Add(1)
			if _, err := w.conn.Write([]byte(ok("x"))); err != nil {
				return
			}
		}
	})
	p := setup{workers: 2, cluster: "retry_budget: {max_tokens: 10, max_retry_rate: 0.1, refill_rate: 0}\nmax_retries_per_upstream: 2"}.run(t, broken(), good, broken())
	const clients, each = 32, 60
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			c := p.dial()
			defer c.close()
			for range each {
				c.get("/")
				head, err := c.readHead()
				if err == nil {
					_, err = c.readBody(head)
				}
				switch {
				case err != nil:
					t.Error(err)
					return
				case strings.HasPrefix(head, "HTTP/1.1 200 "):
					successes.Add(1)
				case strings.HasPrefix(head, "HTTP/1.1 503 ") && strings.Contains(head, "\r\nRetry-After: 1\r\n"):
					refused.Add(1)
				default:
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	stale := int64(p.metric("millrace_proxy_stale_retries_total"))
	retries := attempts.Load() - stale - clients*each
	most := 10 + successes.Load()/10
	if retries > most || retries < most-8 {
		t.Errorf("%d retries on the wire, want about %d", retries, most)
	}
	if n := int64(p.metric("millrace_proxy_retry_count_total")); n != retries {
		t.Errorf("%d retries are counted, %d were on the wire", n, retries)
	}
	if n := int64(p.metric("millrace_proxy_retry_budget_exhausted_total")); n != refused.Load() {
		t.Errorf("%d refusals are counted, clients saw %d", n, refused.Load())
	}
	p.released()
}
