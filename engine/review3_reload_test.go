package engine_test

import (
	"fmt"
	"testing"
	"time"
)

// A reload that fails changes nothing: neither limits, nor circuits, nor what is counted.
func TestReview3FailedReload(t *testing.T) {
	t.Parallel()
	u := listen(t)
	const other = `
  - {prefix: /other, proxy: {upstreams: ["http://127.0.0.1:1"], affinity: {cookie: {%s}}}}`
	before := setup{workers: 2, routes: `  - proxy: {upstreams: [{url: "{0}", limit: 1, connection_timeout: 20s}], circuit_breaker: {max_fails: 1}}` + fmt.Sprintf(other, "")}
	p := before.run(t, u)
	first := p.dial()
	first.get("/")
	w := u.accept()
	w.seeHead()
	after := setup{workers: 2, routes: `  - proxy: {upstreams: [{url: "{0}", limit: 3, weight: 7}], circuit_breaker: {max_fails: 9}}` + fmt.Sprintf(other, "secret_file: /nowhere/at/all")}
	c, err := parse(after.text([]*upstream{u}))
	if err != nil {
		t.Fatal(err)
	}
	if err = p.engine.Reload(c); err == nil {
		t.Fatal("a file that is not there was read")
	}
	if n := p.metric("millrace_proxy_lb_active_connections"); n != 1 {
		t.Errorf("%v attempts are counted, want 1", n)
	}
	if n := p.engine.Clusters()[0].Endpoints[0].Weight; n != 1 {
		t.Errorf("the weight is %v, want 1", n)
	}
	second := p.dial()
	second.get("/")
	time.Sleep(50 * time.Millisecond)
	u.unasked()
	w.send(ok(""))
	go func() {
		for {
			if _, err := w.readHead(); err != nil {
				if w, err = u.acceptOne(); err != nil {
					return
				}
				continue
			}
			_, _ = w.conn.Write([]byte(ok("")))
		}
	}()
	first.seesSoon(200)
	second.seesSoon(200)
	for range 10 { // on either worker
		c := p.dial()
		c.get("/")
		c.seesSoon(200)
		if n := p.metric("millrace_proxy_pool_idle") + p.metric("millrace_proxy_pool_outstanding"); n > 1 {
			t.Fatalf("%v connections, the limit is 1", n)
		}
	}
}
