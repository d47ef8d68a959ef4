package engine_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// A body of unknown length is cut off as soon as it is over the limit, and its upstream
// never takes it for whole.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	u := listen(t)
	p := setup{top: "limits: {body_bytes: 10}", cluster: "keepalive: false"}.run(t, u)
	begin := func(framing, content string) *wire {
		t.Helper()
		c := p.dial()
		c.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n" + content)
		return c
	}
	fits := func(framing, content string) {
		t.Helper()
		c := begin(framing, content)
		w := u.accept()
		if got, err := w.readBody(w.seeHead()); err != nil || len(got) != 10 {
			t.Errorf("%s, %q: the upstream got %q, %v", framing, content, got, err)
		}
		w.send(ok("x"))
		c.see(ok("x"))
		c.close()
	}
	refused := func(framing, content string) {
		t.Helper()
		c := begin(framing, content)
		c.seeStatus(413, "request body too large")
		c.close()
	}
	cut := func(sent, more string) {
		t.Helper()
		c := begin("Transfer-Encoding: chunked", sent)
		w := u.accept()
		w.seeHead()
		c.send(more)
		if head := c.seeStatus(413, "request body too large"); field(head, "Connection") != "close" {
			t.Errorf("%q, %q: got %q", sent, more, head)
		}
		if got := w.seeAll(); strings.Contains(got, "0\r\n\r\n") {
			t.Errorf("%q, %q: the upstream saw %q", sent, more, got)
		}
		c.close()
	}
	bytewise := func(n int) string { return strings.Repeat("1\r\nx\r\n", n) }
	const last = "0\r\n\r\n"
	fits("Content-Length: 10", "0123456789")
	fits("Transfer-Encoding: chunked", "a\r\n0123456789\r\n"+last)
	fits("Transfer-Encoding: chunked", bytewise(10)+last)
	refused("Content-Length: 11", "0123456789x")
	refused("Content-Length: 11", "")
	refused("Content-Length: 9223372036854775807", "0123456789")
	cut(bytewise(4), "7\r\n0123456\r\n"+last)
	cut(bytewise(10), bytewise(1)+last)
	cut(bytewise(10), bytewise(1))
	cut("fffffff\r\n0", "0123456789x")
	p.released()
	u.unasked()
}

// A listener on every address of IPv6 and IPv4 takes its IPv4 clients for what they are.
func TestDualStackListener(t *testing.T) {
	t.Parallel()
	if l, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here: ", err)
	} else {
		_ = l.Close()
	}
	u := listen(t)
	p := setup{
		listeners: `["[::]:1"]`,
		top:       "trusted_proxies: [127.0.0.1]\nclient_ip_from_header: x-forwarded-for",
	}.run(t, u)
	p.address = "127.0.0.1:" + p.port
	c := p.dial()
	c.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n")
	w := u.accept()
	w.see(fmt.Sprintf("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4, 127.0.0.1\r\nX-Real-IP: 1.2.3.4\r\n"+
		"X-Forwarded-Proto: http\r\nX-Forwarded-Port: %s\r\n\r\n", p.port))
	w.send(ok("x"))
	c.see(ok("x"))
}
