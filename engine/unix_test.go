package engine_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestUnixUpstream(t *testing.T) {
	t.Parallel()
	u := listenUnix(t)
	p := setup{route: "rewrite_host: true", top: "proxy_concurrent_conns: 1"}.run(t, u)
	var ends []*wire
	for range 3 { // more than the limit, which is for TCP
		c := p.dial()
		c.get("/x")
		w := u.accept()
		w.see("GET /x HTTP/1.1\r\nHost: app.example\r\n" + p.forwarding() + "\r\n")
		ends = append(ends, w)
		w.send(ok("unix"))
		c.see(ok("unix"))
		c.get("/y")
		w.seeHead()
	}
	if _, n := p.engine.Held(); n != 0 {
		t.Errorf("%d upstream connections are counted", n)
	}
	ends[0].close()
}

func TestUnixUpstreamIsGone(t *testing.T) {
	t.Parallel()
	u := listenUnix(t)
	p := setup{}.run(t, u)
	_ = u.l.Close()
	c := p.dial()
	c.get("/")
	c.seeStatus(502, "bad gateway")
}

// A client on a unix socket has no address; its file goes with the listener.
func TestUnixListener(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "in.sock")
	u := listen(t)
	p := setup{
		workers:   2,
		listeners: `["unix:` + path + `"]`,
		top:       "client_ip_from_header: x-forwarded-for\ntrusted_proxies: [0.0.0.0/0, \"::/0\"]",
		cluster:   "request_header: [\"X-Server: {{server.ip}}:{{server.port}}\", \"X-Remote: {{remote.ip}}:{{remote.port}}\"]",
	}.run(t, u)
	for range 8 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		c := newWire(t, "client", conn)
		c.send("GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n")
		w := u.accept()
		w.see("GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: unknown\r\nX-Real-IP: unknown\r\nX-Forwarded-Proto: http\r\n" +
			"X-Server: unknown:0\r\nX-Remote: unknown:0\r\n\r\n")
		w.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		c.see("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		c.seeEnd()
		c.close()
	}
	p.engine.Stop()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}
