package engine_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// erratic is an upstream that answers late, cuts connections and forgets to answer.
func erratic(t *testing.T) *upstream {
	return listen(t).serve(func(w *wire) {
		for {
			head, err := w.readHead()
			if err != nil {
				return
			}
			time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
			switch n := rand.IntN(20); {
			case strings.Contains(head, "/sane"):
			case n == 0:
				w.reset()
				return
			case n == 1:
				return
			case n == 2:
				_, _ = io.WriteString(w.conn, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
				continue
			case n == 3:
				_, _ = io.WriteString(w.conn, "HTTP/1.1 200 OK\r\nContent-Le")
				return
			case n == 4:
				_, _ = io.WriteString(w.conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
				return
			case n == 5:
				_, _ = io.WriteString(w.conn, ok("x"))
				time.Sleep(300 * time.Microsecond)
				return
			}
			if _, err := io.WriteString(w.conn, ok("x")); err != nil {
				return
			}
		}
	})
}

// Clients that leave at every moment, endpoints that fail in every way, and reloads that
// change limits, circuits and membership meanwhile: at the end all that was held is back,
// and requests are served at once.
func TestReview3Chaos(t *testing.T) {
	t.Parallel()
	ups := []*upstream{erratic(t), erratic(t), erratic(t)}
	conf := func(i int) setup {
		limit := []int{1, 2, 0, 3}[i%4]
		breaker := []string{"{max_fails: 3, open_duration: 10ms}", "false", "{max_fails: 2, open_duration: 5ms, record_5xx: true, slow_start: 20ms, consecutive_passes: 2}", "{max_fails: 3, open_duration: 10ms, latency_threshold: 1ms}"}[i/2%4]
		algorithm := []string{"two_random", "round_robin", "least_conn", "p2c_ewma", "random"}[i%5]
		affinity := []string{"ip", "{cookie: {}}", "{header: {name: X-A}}"}[i%3]
		var list []string
		for n := range ups {
			if i%7 == n {
				continue
			}
			list = append(list, fmt.Sprintf(`{url: "{%d}", limit: %d, priority: %d, active_check: {uri: /%s, interval: %dms, timeout: 10ms, consecutive_fails: 1, consecutive_passes: 1}}`, n, limit, n*(i%2), []string{"sane", "x"}[i%2], 15+i%3))
		}
		return setup{workers: 2, top: fmt.Sprintf("proxy_concurrent_conns: %d", []int{100, 2, 4}[i%3]), routes: fmt.Sprintf(
			`  - {prefix: /, proxy: {algorithm: %s, affinity: %s, circuit_breaker: %s, retry_budget: %v, upstreams: [%s]}}`,
			algorithm, affinity, breaker, i%4 == 1, strings.Join(list, ", "))}
	}
	p := conf(0).run(t, ups...)
	stop := make(chan bool)
	var all sync.WaitGroup
	statuses := map[string]int{}
	var mu sync.Mutex
	for range 16 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := p.dial()
				for range 1 + rand.IntN(4) {
					method := []string{"GET", "PUT", "POST"}[rand.IntN(3)]
					if _, err := fmt.Fprintf(c.conn, "%s / HTTP/1.1\r\nHost: a\r\nX-A: %d\r\nContent-Length: 3\r\n\r\nabc", method, rand.IntN(9)); err != nil {
						break
					}
					switch rand.IntN(6) {
					case 0:
						time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
						c.reset()
					case 1:
						time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
						c.close()
					}
					_ = c.conn.SetDeadline(time.Now().Add(10 * time.Second))
					head, err := c.readHead()
					if err == nil {
						_, err = c.readBody(head)
					}
					mu.Lock()
					if err != nil {
						statuses[err.Error()[max(0, len(err.Error())-20):]]++
					} else {
						statuses[head[:min(len(head), 15)]]++
					}
					mu.Unlock()
					if err != nil {
						break
					}
				}
				c.close()
			}
		})
	}
	for i := range 30 {
		time.Sleep(30 * time.Millisecond)
		p.reload(conf(i), ups...)
	}
	close(stop)
	all.Wait()
	t.Log(statuses)
	p.released()
	if n := p.engine.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
	p.reload(setup{workers: 2, cluster: "", upstream: "limit: 1"}, ups...)
	time.Sleep(50 * time.Millisecond)
	for range 20 {
		c := p.dial()
		c.get("/sane")
		c.seesSoon(200)
		c.close()
	}
	p.released()
}
