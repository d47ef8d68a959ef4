package h1

import (
	"bytes"
	"strings"
	"testing"
)

func TestRequestLine(t *testing.T) {
	f := func(line string, want *Error) {
		t.Helper()
		if _, err := parse(head(line, "Host: a.example")); err != want {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
	for _, line := range []string{"GET / HTTP/1.1", "GET / HTTP/1.0", "get /x HTTP/1.1", "BREW / HTTP/1.1", "PROPFIND / HTTP/1.1", "X-Y / HTTP/1.1",
		"M-SEARCH / HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT a.example:443 HTTP/1.1", "CONNECT [::1]:443 HTTP/1.1", "TRACE / HTTP/1.1"} {
		f(line, nil)
	}
	f("GET  /x HTTP/1.1", errTarget)
	f("GET /x  HTTP/1.1", errVersionForm)
	f("GET\t/x HTTP/1.1", errMethod)
	f("GET /x\tHTTP/1.1", errTarget)
	f("GET /x HTTP/1.1 ", errVersionForm)
	f(" GET /x HTTP/1.1", errMethod)
	f("GET /a b HTTP/1.1", errVersionForm)
	f("GE(T / HTTP/1.1", errMethod)
	f("G\"T / HTTP/1.1", errMethod)
	f("G\x7fT / HTTP/1.1", errMethod)
	f(" / HTTP/1.1", errMethod)
	f("GET /", errTarget)
	f("GET", errMethod)
	f("GET ", errTarget)
	f("GET / ", errVersionForm)
	f("", errRequestLine)
	f(strings.Repeat("M", 64)+" / HTTP/1.1", nil)
	f(strings.Repeat("M", 65)+" / HTTP/1.1", errMethodLong)
	for _, v := range []string{"HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/9.9"} {
		f("GET / "+v, errVersion)
	}
	f("PRI * HTTP/2.0", errVersion)
	for _, v := range []string{"HTTP/ 1.1", "http/1.1", "HTTP/1.", "HTTP/11", "HTTQ/1.1", "HTTP/1.1x", "1.1", "HTTP/1.32", "HTTP/1.1\t", "HTTP/1,1", "HTTP/a.1", "HTTP/1.a", "HTTP/01.1"} {
		f("GET / "+v, errVersionForm)
	}
	f("GET /"+strings.Repeat("a", 1023)+" HTTP/1.1", nil)
	f("GET /"+strings.Repeat("a", 1024)+" HTTP/1.1", errTargetLong)
}

// The parser does not depend on being given what FindRequestHead found.
func TestParseBounds(t *testing.T) {
	f := func(raw string, want *Error) {
		t.Helper()
		if err := NewRequestParser().Parse(new(Request), []byte(raw), testLimits); err != want {
			t.Errorf("%.40q: %v, want %v", raw, err, want)
		}
	}
	f("", errHeadEnd)
	f("GET / HTTP/1.1\r\nHost: a\r\n", errHeadEnd)
	f("\r\n\r\n", errMethod)
	f("GET / HTTP/1.1\r\n\r\nHost: a\r\n\r\n", errFieldName)
	f("GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", errFieldName)
	f("\r\n"+least, errMethod)
	f("GET / HTTP/1.1\r\nHost: a\r\nX: "+strings.Repeat("x", 4<<10)+"\r\n\r\n", errHeadLong)
	f("GET / HTTP/1.1\nHost: a\r\n\r\n", errVersionForm)
	f("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", errBareLF)
}

func TestTargets(t *testing.T) {
	f := func(line string, form TargetForm, path, query, host string) {
		t.Helper()
		r, err := parse(head(line+" HTTP/1.1", "Host: a.example"))
		if err != nil {
			t.Errorf("%q: %v", line, err)
			return
		}
		if r.Form != form || string(r.Path) != path || string(r.Query) != query || string(r.Host) != host {
			t.Errorf("%q: form %d, path %q, query %q, host %q", line, r.Form, r.Path, r.Query, r.Host)
		}
		if want := strings.SplitN(line, " ", 2); string(r.Method) != want[0] || string(r.Target) != want[1] {
			t.Errorf("%q: method %q, target %q", line, r.Method, r.Target)
		}
	}
	f("GET /", OriginForm, "/", "", "a.example")
	f("GET /a/b?c=d&e", OriginForm, "/a/b", "?c=d&e", "a.example")
	f("GET /?", OriginForm, "/", "?", "a.example")
	f("GET /a??b?c", OriginForm, "/a", "??b?c", "a.example")
	f("GET //x/../%2e%zz;:@!$&'()*+,=\\|^{}<>\"`", OriginForm, "//x/../%2e%zz;:@!$&'()*+,=\\|^{}<>\"`", "", "a.example")
	f("GET /http://b/", OriginForm, "/http://b/", "", "a.example")
	f("OPTIONS *", AsteriskForm, "*", "", "a.example")
	f("OPTIONS /x", OriginForm, "/x", "", "a.example")
	f("CONNECT b.example:443", AuthorityForm, "", "", "a.example")
	f("GET http://b.example/x?y=1", AbsoluteForm, "/x", "?y=1", "b.example")
	f("GET http://b.example:8080/x", AbsoluteForm, "/x", "", "b.example:8080")
	f("GET http://b.example", AbsoluteForm, "/", "", "b.example")
	f("GET http://b.example?q", AbsoluteForm, "/", "?q", "b.example")
	f("GET http://b.example?/q", AbsoluteForm, "/", "?/q", "b.example")
	f("GET HTTP://b.example/x", AbsoluteForm, "/x", "", "b.example")
	f("POST https://[::1]:1/x", AbsoluteForm, "/x", "", "[::1]:1")

	refuse := func(line string) {
		t.Helper()
		if _, err := parse(head(line+" HTTP/1.1", "Host: a.example")); err != errTarget {
			t.Errorf("%q: %v, want %v", line, err, errTarget)
		}
	}
	for _, target := range []string{"x", "x/y", "*", "**", "#frag", "/#", "/a#b", "?q", "/a\x01b", "/a\x7fb", "/\x80", "/caf\xc3\xa9", "\\x", "http:/x", "http:x", "http:", "http://",
		"http:///x", "http://?q", "://b/", "a.example:80", "http://user:pw@b.example/x", "http://@b.example/", "ftp://b.example/", "ws://b.example/", "http://b.example:/",
		"http://b.example:99999/", "http://b,c/", "http://b.example\\x", "http://b.example/#f", "httpx://b/"} {
		refuse("GET " + target)
	}
	for _, target := range []string{"/", "*", "b.example", "b.example:", "b.example:0", "http://b.example/", "http://b.example:80", "user@b.example:80", ":80"} {
		refuse("CONNECT " + target)
	}
	refuse("options *")
}

func TestEveryByteInATarget(t *testing.T) {
	for c := range 256 {
		for _, target := range []string{"/" + string([]byte{byte(c)}), "/abcdefgh" + string([]byte{byte(c)}) + "abcdefgh", "/?" + string([]byte{byte(c)})} {
			_, err := parse(head("GET "+target+" HTTP/1.1", "Host: a.example"))
			if legal := c > ' ' && c < 0x7f && c != '#'; (err == nil) != legal {
				t.Errorf("%q: %v", target, err)
			}
		}
	}
}

func TestEveryByteInAMethod(t *testing.T) {
	for c := range 256 {
		_, err := parse(head("G"+string([]byte{byte(c)})+"T / HTTP/1.1", "Host: a.example"))
		if legal := class[c]&classToken != 0; (err == nil) != legal {
			t.Errorf("byte %#x: %v", c, err)
		}
	}
}

func TestMethods(t *testing.T) {
	f := func(method string, want MethodID) {
		t.Helper()
		target := "/"
		if method == "CONNECT" {
			target = "a.example:1"
		}
		if r, err := parse(head(method+" "+target+" HTTP/1.1", "Host: a.example")); err != nil || r.MethodID != want {
			t.Errorf("%s: %d, %v, want %d", method, r.MethodID, err, want)
		}
	}
	for i, m := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"} {
		f(m, MethodGet+MethodID(i))
	}
	f("get", MethodOther)
	f("GETS", MethodOther)
	f("Q", MethodOther)
}

func TestHost(t *testing.T) {
	f := func(want *Error, host string, lines ...string) {
		t.Helper()
		r, err := parse(head(lines...))
		if err != want || err == nil && string(r.Host) != host {
			t.Errorf("%q: host %q, %v, want %q, %v", lines, r.Host, err, host, want)
		}
	}
	f(nil, "a.example", "GET / HTTP/1.1", "host: \ta.example ")
	f(nil, "a.example", "GET / HTTP/1.1", "X: y", "HOST:a.example")
	f(errHostMissing, "", "GET / HTTP/1.1")
	f(errHostMissing, "", "GET / HTTP/1.1", "X-Host: a.example")
	f(errHostMissing, "", "GET http://a.example/ HTTP/1.1")
	f(errHostRepeated, "", "GET / HTTP/1.1", "Host: a.example", "Host: b.example")
	f(errHostRepeated, "", "GET / HTTP/1.1", "Host: a.example", "X: y", "host: a.example")
	f(errHostRepeated, "", "GET http://a.example/ HTTP/1.1", "Host: a.example", "Host: a.example")
	f(errHostRepeated, "", "GET / HTTP/1.0", "Host: a.example", "Host: a.example")
	f(errHost, "", "GET / HTTP/1.1", "Host:")
	f(errHost, "", "GET / HTTP/1.1", "Host: *")
	f(errHost, "", "GET / HTTP/1.0", "Host: a,b")
	f(errHost, "", "GET / HTTP/1.0", "Host:")
	f(nil, "b.example", "GET http://b.example/ HTTP/1.1", "Host: a.example")
	f(nil, "b.example", "GET http://b.example/ HTTP/1.1", "Host: a b")
	f(nil, "b.example", "GET http://b.example/ HTTP/1.1", "X: y", "Host:", "Z: z")
	f(nil, "b.example", "GET http://b.example/ HTTP/1.0")

	r, err := parse("GET /old HTTP/1.0\r\n\r\n")
	if err != nil || r.Host != nil {
		t.Errorf("HTTP/1.0 without Host: %q, %v", r.Host, err)
	}
}

func TestConnectionFacts(t *testing.T) {
	type facts struct{ close, keep10, expect, websocket, trailers bool }
	f := func(version string, want facts, lines ...string) {
		t.Helper()
		r, err := parse(head(append([]string{"GET / HTTP/" + version, "Host: a.example"}, lines...)...))
		if err != nil {
			t.Errorf("%q: %v", lines, err)
			return
		}
		if got := (facts{r.Close, r.KeepAlive10, r.Expect, r.Websocket, r.TrailersOK}); got != want {
			t.Errorf("%s %q: %+v, want %+v", version, lines, got, want)
		}
	}
	f("1.1", facts{})
	f("1.1", facts{}, "Connection: keep-alive")
	f("1.1", facts{close: true}, "Connection: close")
	f("1.1", facts{close: true}, "connection: CLOSE")
	f("1.1", facts{close: true}, "Connection: x, close")
	f("1.1", facts{close: true}, "Connection: x", "Connection: close")
	f("1.1", facts{close: true}, "Connection:", "connection: , close ,")
	f("1.1", facts{close: true}, "Connection: keep-alive, close")
	f("1.1", facts{}, "Connection: closed")
	f("1.1", facts{}, "Connection: \"close\"")
	f("1.0", facts{close: true})
	f("1.0", facts{keep10: true}, "Connection: keep-alive")
	f("1.0", facts{keep10: true}, "connection: Keep-Alive")
	f("1.0", facts{keep10: true}, "CONNECTION: x, keep-alive")
	f("1.0", facts{close: true}, "Connection: keep-alive, close")
	f("1.0", facts{close: true}, "Connection: close", "Connection: keep-alive")
	f("1.0", facts{close: true}, "Connection: x")
	f("1.0", facts{close: true}, "Connection: x", "Connection: keep-alive") // the second reading closes

	f("1.1", facts{expect: true}, "Expect: 100-continue")
	f("1.1", facts{expect: true}, "expect: 100-Continue")
	f("1.1", facts{}, "Expect: 200-ok")
	f("1.0", facts{close: true}, "Expect: 100-continue")

	f("1.1", facts{trailers: true}, "TE: trailers")
	f("1.1", facts{trailers: true}, "TE: gzip;q=0.5", "te: deflate , Trailers")
	f("1.1", facts{}, "TE: gzip")

	f("1.1", facts{websocket: true}, "Connection: Upgrade", "Upgrade: websocket")
	f("1.1", facts{websocket: true}, "connection: keep-alive, upgrade", "upgrade: WebSocket")
	f("1.1", facts{websocket: true}, "Upgrade: foo", "Upgrade: h2c, websocket", "Connection: Upgrade")
	f("1.1", facts{websocket: true}, "Upgrade: websocket", "Connection: Upgrade", "Content-Length: 0")
	f("1.1", facts{}, "Upgrade: websocket")
	f("1.1", facts{}, "Connection: Upgrade")
	f("1.1", facts{}, "Connection: Upgrade", "Upgrade: h2c")
	f("1.1", facts{}, "Connection: Upgrade", "Upgrade: websocket/13")
	f("1.1", facts{}, "Connection: Upgrade", "Upgrade: websocket", "Content-Length: 5")
	f("1.1", facts{}, "Connection: Upgrade", "Upgrade: websocket", "Transfer-Encoding: chunked")
	f("1.0", facts{keep10: true}, "Connection: Upgrade, keep-alive", "Upgrade: websocket")
}

// A Request that is filled again keeps nothing of its last head.
func TestRequestIsReused(t *testing.T) {
	p := NewRequestParser()
	var r, fresh Request
	first := []byte(head("POST http://b.example/x?y HTTP/1.1", "Host: a", "Connection: close, Upgrade", "TE: trailers", "Expect: 100-continue", "Content-Length: 5"))
	if err := p.Parse(&r, first, testLimits); err != nil {
		t.Fatal(err)
	}
	if err := p.Parse(&r, []byte(least), testLimits); err != nil {
		t.Fatal(err)
	}
	if err := NewRequestParser().Parse(&fresh, []byte(least), testLimits); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.Host, fresh.Host) || r.Scheme != nil || r.Query != nil || len(r.Fields) != 1 || r.Body != BodyNone || r.Length != -1 ||
		r.Close || r.Expect || r.TrailersOK || r.Form != OriginForm {
		t.Errorf("%+v", r)
	}
}

// Heads larger than any buffer so far are read whole.
func TestLargeHead(t *testing.T) {
	p := NewRequestParser()
	lim := &Limits{HeadBytes: 1 << 20, FieldCount: 4, TargetBytes: 100}
	for _, n := range []int{10, 5_000, 100_000, 1_000_000, 10} {
		var r Request
		if err := p.Parse(&r, []byte(head("GET / HTTP/1.1", "Host: a", "X: "+strings.Repeat("x", n))), lim); err != nil || len(r.Value(1)) != n {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
