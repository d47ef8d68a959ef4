package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// What is sound goes upstream byte for byte.
func TestTargetsUnchanged(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	c := p.dial()
	for _, target := range []string{
		"/", "/a..b/", "/.well-known/x", "/...", "/%2e%2e%2e/x", "/x/.a", "/f.tar.gz", "/a;..", "/group%2Fproject",
		"/queues/%2F/q", "/@scope%2fpkg", "/%25", "/100%25", "/a%2/", "/%c0%ae", "//a//b", "/a?q=/../x", "/?%zz;;&&=%",
		"/?" + strings.Repeat("p=1&", 1500), "/{}|^`\"<>\\", "/a?\\../", "/%7Ex", "/API/x",
	} {
		c.send("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n\r\n")
		c.see(ok(target))
		if seen := e.seen(); len(seen) != 1 || seen[0].line != "GET "+target+" HTTP/1.1" {
			t.Errorf("%s: the upstream saw %q", target, seen)
		}
	}
}

func TestFieldsUnchanged(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	c := p.dial()
	f := func(fields string) {
		t.Helper()
		c.send("GET / HTTP/1.1\r\n" + fields + "\r\n")
		c.see(ok("/"))
		if seen := e.seen(); len(seen) != 1 || seen[0].head != "GET / HTTP/1.1\r\n"+fields+p.forwarding()+"\r\n" {
			t.Errorf("%.300q: the upstream saw %.600q", fields, seen)
		}
	}
	for _, host := range []string{
		"a.example", "a.example:8443", "a:65535", "[::1]", "[::1]:80", "LOCALHOST", "127.0.0.1:1", "a.example.", "a_b", "xn--a-1.example",
	} {
		f("Host: " + host + "\r\n")
	}
	f("Host: a\r\nX:\r\nX: \r\nX: \t\r\n")
	f("Host: a\r\nX: \x80\xff\xa0\r\n")
	f("Host: a\r\n!#$%&'*+-.^_`|~09az: token\r\n")
	f("X: 1\r\nHost: a\r\nX: 2\r\nHOST2: b\r\n")
	f("Host: a\r\nCookie: a=1\r\nCookie: b=2\r\nAuthorization: Basic eDp5\r\nUser-Agent: x\r\nVia: 1.1 y\r\n")
	f("Host: a\r\n" + strings.Repeat("X: y\r\n", 127))
	f("Host: a\r\nX: " + strings.Repeat("z", 30<<10) + "\r\n")
}

func TestConnectionGoesOnOrNot(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{}.run(t, e.upstream)
	f := func(version, fields, want string) {
		t.Helper()
		c := p.dial()
		c.send("GET / HTTP/" + version + "\r\nHost: a\r\n" + fields + "\r\n")
		if head := c.seeHead(); field(head, "Connection") != want {
			t.Errorf("HTTP/%s %q: got Connection: %s, want %s", version, fields, field(head, "Connection"), want)
		}
		c.see("/")
		if want == "close" {
			c.seeEnd()
		} else {
			c.ask("/next", "/next")
		}
	}
	f("1.1", "", "")
	f("1.1", "Connection: keep-alive\r\n", "")
	f("1.1", "Connection: close\r\n", "close")
	f("1.1", "Connection: keep-alive, CLOSE\r\n", "close")
	f("1.1", "Connection: x\r\nConnection: , close ,\r\n", "close")
	f("1.0", "", "close")
	f("1.0", "Connection: keep-alive\r\n", "keep-alive")
	f("1.0", "connection: KEEP-ALIVE\r\n", "keep-alive")
	f("1.0", "Connection: keep-alive, close\r\n", "close")
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	web, api, wild := newEcho(t), newEcho(t), newEcho(t)
	p := setup{routes: `
  - {host: a.example, proxy: "{0}"}
  - {host: a.example, prefix: /api, proxy: "{1}"}
  - {host: "*.a.example", proxy: "{2}"}
  - {host: local.example, local: {status: 418, body: "short and stout\n"}}
  - {host: empty.example, local: {status: 204}}
`}.run(t, web.upstream, api.upstream, wild.upstream)
	c := p.dial()
	f := func(host, target string, to *echo) {
		t.Helper()
		c.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
		c.see(ok(target))
		for _, e := range []*echo{web, api, wild} {
			if seen := e.seen(); (len(seen) == 1) != (e == to) {
				t.Errorf("%s%s: an upstream saw %q", host, target, seen)
			}
		}
	}
	f("a.example", "/", web)
	f("A.EXAMPLE:8080", "/", web)
	f("a.example.", "/", web)
	f("a.example", "/apis", web)
	f("a.example", "/api", api)
	f("a.example", "/api?q", api)
	f("a.example", "/api/x", api)
	f("a.example", "//%61pi//x", api)
	f("x.a.example", "/api", wild)
	f("x.y.a.example:1", "/", wild)
	own := func(status int, head, reason string) {
		t.Helper()
		c.send(head + "\r\n")
		c.seeStatus(status, reason)
	}
	own(404, "GET / HTTP/1.1\r\nHost: b.example\r\n", "no route")
	own(404, "GET / HTTP/1.1\r\nHost: example\r\n", "no route")
	own(400, "GET /api%2Fx HTTP/1.1\r\nHost: a.example\r\n", "bad path")
	own(418, "GET / HTTP/1.1\r\nHost: local.example\r\n", "short and stout")
	own(418, "POST / HTTP/1.1\r\nHost: local.example\r\nContent-Length: 0\r\n", "short and stout")
	c.send("HEAD / HTTP/1.1\r\nHost: local.example\r\n\r\nGET / HTTP/1.1\r\nHost: empty.example\r\n\r\n")
	if head := c.seeHead(); field(head, "Content-Length") != "16" || field(head, "Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("HEAD: got %q", head)
	}
	if head := c.seeHead(); !strings.HasPrefix(head, "HTTP/1.1 204 No Content\r\n") || field(head, "Content-Length")+field(head, "Content-Type") != "" {
		t.Errorf("204: got %q", head)
	}
}

// The body of a request that nobody reads is dropped, if it is there; else the connection
// ends. It is never read as a request.
func TestUnwantedBody(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	p := setup{
		top:    "limits: {body_bytes: 60}",
		routes: "  - {prefix: /up, proxy: \"{0}\"}\n  - {prefix: /local, local: {body: \"here\\n\"}}",
	}.run(t, e.upstream)
	// sent is how many bytes of the content come at all.
	f := func(status int, target, reason, content string, sent int) {
		t.Helper()
		c := p.dial()
		c.send(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", target, len(content), content[:sent]))
		head := c.seeStatus(status, reason)
		if closes := field(head, "Connection") == "close"; closes {
			c.seeEnd()
		} else {
			c.ask("/up", "/up")
		}
		c.close()
	}
	f(404, "/nowhere", "no route", behind, len(behind))
	f(404, "/nowhere", "no route", behind, 20)
	f(404, "/nowhere", "no route", behind, 0)
	f(200, "/local", "here", behind, len(behind))
	f(200, "/local", "here", behind, 0)
	f(400, "/up/..", "bad path", behind, len(behind))
	f(400, "/up/..", "bad path", behind, 1)
	f(413, "/up", "request body too large", behind+behind, 2*len(behind))
	f(413, "/up", "request body too large", behind+behind, 0)
	for _, r := range e.seen() {
		if r.line != "GET /up HTTP/1.1" {
			t.Errorf("the upstream saw %q", r.line)
		}
	}
}
