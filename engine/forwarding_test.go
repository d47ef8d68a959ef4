package engine_test

import (
	"net"
	"strings"
	"testing"
)

// clientFrom is a setup whose upstreams are told the client's address as X-Client.
func clientFrom(from, trusted string) setup {
	return setup{
		top:     "client_ip_from_header: " + from + "\ntrusted_proxies: [" + trusted + "]",
		cluster: "request_header: [\"X-Client: {{remote.ip}}\"]",
	}
}

// believes runs s, and returns a function that fails the test unless a request with fields
// (lines without their CRLF, joined by a bar) comes from the address want, in X-Real-IP
// as well.
func believes(t *testing.T, s setup) func(fields, want string) {
	e := newEcho(t)
	p := s.run(t, e.upstream)
	c := p.dial()
	return func(fields, want string) {
		t.Helper()
		c.send("GET / HTTP/1.1\r\nHost: a\r\n" + strings.ReplaceAll(fields, "|", "\r\n") + "\r\n\r\n")
		c.see(ok("/"))
		seen := e.seen()
		if len(seen) != 1 || field(seen[0].head, "X-Client") != want || field(seen[0].head, "X-Real-IP") != want {
			t.Errorf("%q: the upstream saw %q, want %s", fields, seen, want)
		}
	}
}

const loopback = "127.0.0.1"

func TestClientFromXForwardedFor(t *testing.T) {
	t.Parallel()
	f := believes(t, clientFrom("x-forwarded-for", "127.0.0.0/8, 10.0.0.0/8, \"fd00::/8\""))
	f("X: y", loopback)
	f("X-Forwarded-For: 1.2.3.4", "1.2.3.4")
	f("X-Forwarded-For: 6.6.6.6, 1.2.3.4", "1.2.3.4")
	f("X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.0.0.1, 10.0.0.2", "1.2.3.4")
	f("X-Forwarded-For: 6.6.6.6, 1.2.3.4|x-forwarded-for: 10.0.0.1|X-FORWARDED-FOR: fd00::1", "1.2.3.4")
	f("X-Forwarded-For: 10.0.0.1, 10.0.0.2", "10.0.0.1")
	f("X-Forwarded-For: 1.2.3.4:567", "1.2.3.4")
	f("X-Forwarded-For: 2001:db8::1", "2001:db8::1")
	f("X-Forwarded-For: [2001:db8::1]", "2001:db8::1")
	f("X-Forwarded-For: [2001:DB8:0::1]:567", "2001:db8::1")
	f("X-Forwarded-For: ::ffff:1.2.3.4", "1.2.3.4")
	f("X-Forwarded-For: ::ffff:10.0.0.1, ::ffff:127.0.0.2", "10.0.0.1")
	f("X-Forwarded-For: , 1.2.3.4 ,, ,", "1.2.3.4")
	f("X-Forwarded-For:|X-Forwarded-For: 1.2.3.4|X-Forwarded-For:", "1.2.3.4")
	f("X-Forwarded-For: 1.2.3.4|X-Real-IP: 6.6.6.6|Forwarded: for=6.6.6.6", "1.2.3.4")
	for _, odd := range []string{
		"evil", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "[::1", "::1]", "fe80::1%eth0",
		"[fe80::1%25eth0]", "1.2.3.4 5", "\"1.2.3.4\"", "for=1.2.3.4", strings.Repeat("1", 300), "\xff",
	} {
		f("X-Forwarded-For: 6.6.6.6, "+odd, loopback)
		f("X-Forwarded-For: 6.6.6.6, "+odd+", 10.0.0.7", "10.0.0.7")
	}
	f("X-Forwarded-For: "+strings.Repeat("10.1.1.1, ", 2000)+"10.0.0.1", "10.1.1.1")
}

func TestClientFromForwarded(t *testing.T) {
	t.Parallel()
	f := believes(t, clientFrom("forwarded", "127.0.0.1, 10.0.0.0/8"))
	f("X: y", loopback)
	f("X-Forwarded-For: 6.6.6.6", loopback)
	f("Forwarded: for=1.2.3.4", "1.2.3.4")
	f("Forwarded: FOR=1.2.3.4", "1.2.3.4")
	f("Forwarded: for=6.6.6.6, for=1.2.3.4;proto=https, by=x; for=10.0.0.1", "1.2.3.4")
	f("Forwarded: for=6.6.6.6, for=1.2.3.4|Forwarded: for=10.0.0.1", "1.2.3.4")
	f("Forwarded: for=\"1.2.3.4:567\"", "1.2.3.4")
	f("Forwarded: for=\"[2001:db8::1]\"", "2001:db8::1")
	f("Forwarded: for=\"[2001:db8::1]:567\";host=\"a,b;c\"", "2001:db8::1")
	f("Forwarded: for=\"\\1.\\2.3.4\"", "1.2.3.4")
	f("Forwarded: for=6.6.6.6;host=\"x, for=7.7.7.7\", for=1.2.3.4", "1.2.3.4")
	f("Forwarded: host=\"\\\", for=7.7.7.7\";for=1.2.3.4", "1.2.3.4")
	f("Forwarded: ;for=1.2.3.4;", "1.2.3.4")
	f("Forwarded: ,for=1.2.3.4,,", "1.2.3.4")
	for _, odd := range []string{
		"for=unknown", "for=_hidden", "for=\"_hidden\"", "for=\"\"", "for=", "for", "proto=https", "for=1.2.3.4;for=1.2.3.4", "for=2001:db8::1",
		"for=\"2001:db8::1\"", "for=[2001:db8::1]", "for=1.2.3.4:567", "for=\"1.2.3.4", "for=1.2.3.4\"", "for = 1.2.3.4", "1.2.3.4", "for=\"1.2.3.4\"x",
	} {
		f("Forwarded: for=6.6.6.6, "+odd, loopback)
	}
	f("Forwarded: for=6.6.6.6, for=unknown, for=10.0.0.1", "10.0.0.1")
}

func TestClientFromXRealIP(t *testing.T) {
	t.Parallel()
	f := believes(t, clientFrom("x-real-ip", loopback))
	f("X: y", loopback)
	f("X-Forwarded-For: 6.6.6.6", loopback)
	f("X-Real-IP: 1.2.3.4", "1.2.3.4")
	f("x-real-ip: [2001:db8::1]:567", "2001:db8::1")
	f("X-Real-IP: 1.2.3.4, 5.6.7.8", loopback)
	f("X-Real-IP: 1.2.3.4|X-Real-IP: 1.2.3.4", loopback)
	f("X-Real-IP: evil", loopback)
	f("X_Real_IP: 6.6.6.6", loopback)
}

// A peer that is not trusted is the client, whatever it says.
func TestClientIsThePeer(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"x-forwarded-for", "forwarded", "x-real-ip"} {
		f := believes(t, clientFrom(from, "10.0.0.0/8"))
		f("X-Forwarded-For: 1.2.3.4|Forwarded: for=1.2.3.4|X-Real-IP: 1.2.3.4", loopback)
		f("X-Forwarded-For: 10.0.0.1|Forwarded: for=10.0.0.1|X-Real-IP: 10.0.0.1", loopback)
	}
	f := believes(t, setup{top: "trusted_proxies: [127.0.0.1]", cluster: "request_header: [\"X-Client: {{remote.ip}}\"]"})
	f("X-Forwarded-For: 1.2.3.4|Forwarded: for=1.2.3.4|X-Real-IP: 1.2.3.4", loopback)
}

// Every variable, in rules for the request and for the answer.
func TestVariables(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	const rule = "X-All: {{request.method}}|{{request.uri}}|{{request.uri.path}}|{{request.uri.query}}|{{request.host}}|{{request.scheme}}|" +
		"{{request.version}}|{{request.header.x-in}}|{{remote.ip}}|{{remote.port}}|{{server.ip}}|{{server.port}}|{{request.id}}"
	p := setup{
		top:     "trusted_proxies: [127.0.0.1]\nclient_ip_from_header: x-forwarded-for",
		route:   "prefix: /p\nstrip_prefix: true",
		cluster: "request_header: [\"" + rule + "\"]\nresponse_header: [\"" + rule + "\", \"X-Id: {{request.id}}\"]",
	}.run(t, e.upstream)
	c := p.dial()
	_, port, _ := net.SplitHostPort(c.conn.LocalAddr().String())
	f := func(request, want string) {
		t.Helper()
		want = strings.NewReplacer("{port}", port, "{listener}", p.port).Replace(want)
		c.send(request)
		answer := c.seeHead()
		body, err := c.readBody(answer)
		if err != nil {
			t.Fatal(err)
		}
		seen := e.seen()
		if len(seen) != 1 {
			t.Fatalf("the upstream saw %q and answered %q", seen, body)
		}
		up, down := field(seen[0].head, "X-All"), field(answer, "X-All")
		id := field(answer, "X-Id")
		want = strings.ReplaceAll(want, "{id}", id)
		if up != want || down != want {
			t.Errorf("%q: got %q upstream and %q downstream, want %q", request, up, down, want)
		}
		if !strings.Contains(request, "X-Request-Id: mine") && len(id) != 16 {
			t.Errorf("%q: the id is %q", request, id)
		}
	}
	f("GET /p/x?a=1&b HTTP/1.1\r\nHost: A.example:81\r\nX-In: one\r\nx-in: two\r\n\r\n",
		"GET|/p/x?a=1&b|/p/x|a=1&b|A.example:81|http|HTTP/1.1|one|127.0.0.1|{port}|127.0.0.1|{listener}|{id}")
	f("GET http://b.example/p HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\r\nX-Request-Id: mine-1\r\n\r\n",
		"GET|/p|/p||b.example|http|HTTP/1.1||1.2.3.4|{port}|127.0.0.1|{listener}|mine-1")
	f("DELETE /%70? HTTP/1.0\r\nConnection: keep-alive\r\nX-Request-Id: \xff\r\n\r\n",
		"DELETE|/%70?|/%70|||http|HTTP/1.0||127.0.0.1|{port}|127.0.0.1|{listener}|{id}")
}
