package admin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var paths = []string{"/metrics", "/healthz", "/livez", "/readyz", "/version"}

func TestAnswers(t *testing.T) {
	l, _ := serve(t, always)
	f := func(target, contentType, text string) {
		t.Helper()
		a := ask(t, l, "GET", line("GET", target))
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != contentType || !strings.Contains(a.text, text) {
			t.Errorf("%s: %d %q %q, want 200 %q %q", target, a.StatusCode, a.Header.Get("Content-Type"), a.text, contentType, text)
		}
	}
	const plain, prometheus, js = "text/plain; charset=utf-8", "text/plain; version=0.0.4", "application/json"
	f("/healthz", plain, "ok\n")
	f("/livez", plain, "ok\n")
	f("/readyz", plain, "ok\n")
	f("/metrics", prometheus, "\nmillrace_requests_total{route=\"/\",cluster=\"web\",status=\"200\"} 1\n")
	f("/metrics", prometheus, "\n# TYPE go_goroutines gauge\n")
	f("/metrics?name[]=a", prometheus, "# TYPE millrace_requests_total counter\n")
	f("/version", js, `"pid":42`)
	f("/livez?", plain, "ok\n")
	f("http://a/livez", plain, "ok\n")
}

func TestVersion(t *testing.T) {
	l, _ := serve(t, always)
	var got map[string]any
	if err := json.Unmarshal([]byte(ask(t, l, "GET", line("GET", "/version")).text), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"version": "1.2.3", "go": "go1.26", "commit": "abc", "pid": 42.0}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestHead(t *testing.T) {
	l, _ := serve(t, always)
	for _, p := range paths {
		get, head := ask(t, l, "GET", line("GET", p)), ask(t, l, "HEAD", line("HEAD", p))
		if head.StatusCode != 200 || head.text != "" || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d %v %q", p, head.StatusCode, head.Header, head.text)
		}
		if n := head.Header.Get("Content-Length"); n != "" && n != strconv.Itoa(len(get.text)) {
			t.Errorf("HEAD %s: length %s, GET has %d", p, n, len(get.text))
		}
	}
}

func TestPathsAreExact(t *testing.T) {
	l, _ := serve(t, always)
	f := func(target string) {
		t.Helper()
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
			a := ask(t, l, method, line(method, target))
			if a.StatusCode != 404 || a.Header.Get("Allow") != "" || a.Header.Get("Location") != "" {
				t.Errorf("%s %s: %d %v, want 404", method, target, a.StatusCode, a.Header)
			}
		}
	}
	for _, p := range paths {
		f(p + "/")
		f(p + "x")
		f(p + "/x/y")
		f("/x" + p)
		f("/" + p)
		f("/." + p)
		f("/x/.." + p)
		f(strings.ToUpper(p))
		f("/%" + fmt.Sprintf("%02x", p[1]) + p[2:])
		f(p + "%20")
		f(p + "%00")
		f(p + ";a=b")
	}
	f("/")
	f("/api")
	f("/api/v1/clusters")
	f("/debug/pprof/")
	f("/debug/vars")
	f("http://a")
	f("*")
}

func TestConnectIsNotFound(t *testing.T) {
	l, _ := serve(t, always)
	if a := ask(t, l, "CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"); a.StatusCode != 404 {
		t.Errorf("CONNECT: %d, want 404", a.StatusCode)
	}
}

func TestOtherMethods(t *testing.T) {
	l, _ := serve(t, always)
	for _, p := range paths {
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "EVIL"} {
			a := ask(t, l, method, line(method, p))
			if a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" || a.text != "method not allowed\n" {
				t.Errorf("%s %s: %d, Allow %q, %q", method, p, a.StatusCode, a.Header.Get("Allow"), a.text)
			}
		}
	}
}

func TestReadiness(t *testing.T) {
	var why atomic.Pointer[string]
	l, _ := serve(t, func() (bool, string) {
		if w := why.Load(); w != nil {
			return false, *w
		}
		return true, ""
	})
	f := func(reason string, ready int) {
		t.Helper()
		text := "ok\n"
		if why.Store(nil); reason != "" {
			why.Store(&reason)
			text = reason + "\n"
		}
		if a := ask(t, l, "GET", line("GET", "/readyz")); a.StatusCode != ready || a.text != text {
			t.Errorf("/readyz while %q: %d %q, want %d %q", reason, a.StatusCode, a.text, ready, text)
		}
		for _, p := range []string{"/healthz", "/livez"} {
			if a := ask(t, l, "GET", line("GET", p)); a.StatusCode != 200 || a.text != "ok\n" {
				t.Errorf("%s while %q: %d %q", p, reason, a.StatusCode, a.text)
			}
		}
		if a := ask(t, l, "HEAD", line("HEAD", "/readyz")); a.StatusCode != ready {
			t.Errorf("HEAD /readyz while %q: %d", reason, a.StatusCode)
		}
	}
	f("starting", 503)
	f("", 200)
	f("draining", 503)
}

func TestFieldsOfEveryAnswer(t *testing.T) {
	l, _ := serve(t, always)
	for _, request := range []string{line("GET", "/metrics"), line("GET", "/version"), line("GET", "/nothing"), line("PUT", "/livez")} {
		a := ask(t, l, "GET", request)
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Content-Type") == "" {
			t.Errorf("%q: %v", request, a.Header)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "" || a.Header.Get("Server") != "" {
			t.Errorf("%q: %v", request, a.Header)
		}
	}
}

func TestBodies(t *testing.T) {
	l, _ := serve(t, always)
	f := func(name, fields, body string, status int) {
		t.Helper()
		a := ask(t, l, "GET", "GET /livez HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n"+body)
		if a.StatusCode != status {
			t.Errorf("%s: %d %q, want %d", name, a.StatusCode, a.text, status)
		}
	}
	whole, over := strings.Repeat("x", 64<<10), strings.Repeat("x", 64<<10+1)
	f("none", "", "", 200)
	f("small", "Content-Length: 3\r\n", "abc", 200)
	f("64 KiB", "Content-Length: 65536\r\n", whole, 200)
	f("64 KiB and a byte", "Content-Length: 65537\r\n", over, 413)
	f("announced only", "Content-Length: 1000000000000\r\nExpect: 100-continue\r\n", "", 413)
	f("chunked", "Transfer-Encoding: chunked\r\n", "10000\r\n"+whole+"\r\n0\r\n\r\n", 200)
	f("chunked and a byte", "Transfer-Encoding: chunked\r\n", "10001\r\n"+over+"\r\n0\r\n\r\n", 413)
	f("not chunked after all", "Transfer-Encoding: chunked\r\n", "zz\r\n", 400)
}

func TestSlowBodyIsCut(t *testing.T) {
	l := listen(t, always)
	l.http.ReadTimeout = 500 * time.Millisecond
	start(l)
	a := ask(t, l, "GET", "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
	if a.StatusCode != 408 {
		t.Errorf("%d %q, want 408", a.StatusCode, a.text)
	}
}

func TestOneConnectionManyRequests(t *testing.T) {
	l, _ := serve(t, always)
	c := dial(t, l)
	for range 3 {
		for _, p := range paths {
			io.WriteString(c, line("GET", p))
			if a, err := read(c, "GET"); err != nil || a.StatusCode != 200 {
				t.Fatalf("%s: %v %v", p, a, err)
			}
		}
	}
}

func TestClientThatLeavesDuringAScrape(t *testing.T) {
	l, _ := serve(t, always)
	for range 20 {
		c := dial(t, l)
		io.WriteString(c, line("GET", "/metrics"))
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	if a := ask(t, l, "GET", line("GET", "/metrics")); a.StatusCode != 200 {
		t.Errorf("%d afterwards", a.StatusCode)
	}
}

func TestNotHTTP1(t *testing.T) {
	l, _ := serve(t, always)
	f := func(bytes string) {
		t.Helper()
		c := dial(t, l)
		io.WriteString(c, bytes)
		if a, err := read(c, "GET"); err == nil && a.StatusCode < 400 {
			t.Errorf("%q is answered %d", bytes, a.StatusCode)
		}
	}
	f("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	f("GET /livez HTTP/3.0\r\nHost: a\r\n\r\n")
	f("GET /livez HTTP/1.1\r\n\r\n")
	f("\x16\x03\x01\x00\x05hello\r\n\r\n")
	f("GET /livez HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n")
}

// Who sends too much and wants no more of the connection still gets to read why: what is on
// its way then must not reset it.
func TestAnswerBeforeTheEndOfABody(t *testing.T) {
	l, _ := serve(t, always)
	body := strings.Repeat("x", 70<<10)
	for range mostVisitors - 2 { // each is there for a moment longer
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 71680\r\n\r\n")
		for rest := body; err == nil && rest != ""; rest = rest[2<<10:] {
			_, err = io.WriteString(c, rest[:2<<10])
		}
		if err != nil {
			t.Errorf("the body is cut off: %v", err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 413 ") {
			t.Errorf("got %q, %v, want a 413", line, err)
		}
		c.Close()
	}
}
