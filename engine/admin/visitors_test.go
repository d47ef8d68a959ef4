package admin

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Clients that say nothing, or not all, keep nobody out, and take a bounded number of
// descriptors.
func TestVisitorsAreBounded(t *testing.T) {
	l, _ := serve(t, always)
	var silent []net.Conn
	for i := range 3 * mostVisitors {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost:")
		}
		silent = append(silent, c)
	}
	response, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", response, err)
	}
	response.Body.Close()
	for _, c := range silent[:2*mostVisitors] {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if n, err := c.Read(make([]byte, 1)); n != 0 || isTimeout(err) {
			t.Fatalf("an old connection is open: %d, %v", n, err)
		}
	}
	_ = silent[len(silent)-1].SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := silent[len(silent)-1].Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("the newest connection is closed: %v", err)
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

// A connection that is served is spared.
func TestVisitorsSpareWhoIsServed(t *testing.T) {
	v := &visitors{open: make(map[net.Conn]uint64)}
	conns := make([]net.Conn, mostVisitors+2)
	for i := range conns {
		mine, theirs := net.Pipe()
		defer theirs.Close()
		conns[i] = mine
	}
	for _, c := range conns[:mostVisitors] {
		v.follow(c, http.StateNew)
	}
	v.spare(conns[0])
	v.spare(conns[1])
	v.follow(conns[1], http.StateIdle) // it has had its answer: the last to go
	v.follow(conns[mostVisitors], http.StateNew)
	gone := func(c net.Conn) bool { _, found := v.open[c]; return !found }
	if gone(conns[0]) || gone(conns[1]) || !gone(conns[2]) {
		t.Errorf("gone: %v, %v, %v", gone(conns[0]), gone(conns[1]), gone(conns[2]))
	}
	v.follow(conns[2], http.StateIdle) // too late
	v.follow(conns[2], http.StateClosed)
	v.spare(conns[2])
	v.follow(conns[3], http.StateClosed)
	if v.follow(conns[mostVisitors+1], http.StateNew); len(v.open) != mostVisitors || gone(conns[4]) {
		t.Errorf("%d are open", len(v.open))
	}
}
