package engine_test

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// ended reports whether the other side has closed w and nothing is left to read.
func ended(w *wire) bool {
	raw, err := w.tcp().SyscallConn()
	if err != nil {
		return true
	}
	over := false
	if raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		over = err == nil && n == 0 || err == syscall.ECONNRESET
	}) != nil {
		return true
	}
	return over
}

// A connection that takes the place of another at the limit is opened when that one is
// closed, as the upstream sees it, and not before.
func TestReview3LimitOnTheWire(t *testing.T) {
	t.Parallel()
	f := func(s setup) {
		t.Helper()
		s.workers = 2
		var over atomic.Int64
		var mu sync.Mutex
		var open []*wire
		total := 0
		u := listen(t).serve(func(w *wire) {
			mu.Lock()
			total++
			n := 1
			for _, before := range open {
				if !ended(before) {
					n++
				}
			}
			open = append(open, w)
			if n > 2 {
				over.Add(1)
			}
			mu.Unlock()
			for {
				if _, err := w.readHead(); err != nil {
					return
				}
				if _, err := w.conn.Write([]byte(ok("x"))); err != nil {
					return
				}
			}
		})
		p := s.run(t, u)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				c := p.dial()
				for range 100 {
					c.ask("/", "x")
				}
				c.close()
			})
		}
		all.Wait()
		if n := over.Load(); n > 0 {
			t.Errorf("%+v: %d of %d connections came while two others were open", s, n, total)
		}
		p.released()
	}
	f(setup{upstream: "limit: 2"})
	f(setup{top: "proxy_concurrent_conns: 2"})
	f(setup{upstream: "limit: 2", cluster: "keepalive: false"})
}
