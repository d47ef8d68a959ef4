package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// echoing starts an echo upstream for the test and returns its URL.
func echoing(t *testing.T, o echoOptions) string {
	t.Helper()
	addr, stop, err := startEcho("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return "http://" + addr
}

func TestEchoDescribesTheRequest(t *testing.T) {
	url := echoing(t, echoOptions{})
	f := func(accept, wantKind string, want ...string) {
		t.Helper()
		r, err := http.NewRequest("POST", url+"/a%2fb?x=1", strings.NewReader("12345"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		r.Header["X-Twice"] = []string{"one", "two"}
		status, kind, body := fetch(t, r)
		if status != 200 || kind != wantKind {
			t.Errorf("Accept %q: got %d %q, want 200 %q", accept, status, kind, wantKind)
		}
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("Accept %q: no %q in\n%s", accept, w, body)
			}
		}
	}
	f("", "text/plain; charset=utf-8", "POST /a%2fb?x=1 HTTP/1.1\n", "X-Twice: one\nX-Twice: two\n", "body: 5 bytes\n")
	f("application/json", "application/json", `"path": "/a%2fb?x=1"`, `"body_bytes": 5`)
}

func TestEchoJSONIsComplete(t *testing.T) {
	r, _ := http.NewRequest("PUT", echoing(t, echoOptions{}), nil)
	r.Header.Set("Accept", "application/json")
	r.Host = "a.example"
	_, _, body := fetch(t, r)
	var e echo
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	if e.Method != "PUT" || e.Host != "a.example" || e.Protocol != "HTTP/1.1" || !strings.HasPrefix(e.Upstream, "127.0.0.1:") {
		t.Errorf("got %+v", e)
	}
}

func TestEchoFixedAnswers(t *testing.T) {
	f := func(o echoOptions, method string, wantStatus, wantBytes int) {
		t.Helper()
		r, _ := http.NewRequest(method, echoing(t, o), nil)
		status, _, body := fetch(t, r)
		if status != wantStatus || len(body) != wantBytes {
			t.Errorf("%s with %d bytes, status %d: got %d with %d bytes", method, len(o.Body), o.Status, status, len(body))
		}
	}
	f(echoOptions{Body: fill(0)}, "GET", 200, 0)
	f(echoOptions{Body: fill(66)}, "GET", 200, 66)
	f(echoOptions{Body: fill(66)}, "HEAD", 200, 0)
	f(echoOptions{Body: fill(1 << 20), Status: 503}, "GET", 503, 1<<20)
	f(echoOptions{Status: 204}, "GET", 204, 0)
}

func TestEchoWaits(t *testing.T) {
	const latency = 30 * time.Millisecond
	r, _ := http.NewRequest("GET", echoing(t, echoOptions{Latency: latency}), nil)
	begin := time.Now()
	if fetch(t, r); time.Since(begin) < latency {
		t.Errorf("answered after %v, want %v at least", time.Since(begin), latency)
	}
}

func TestEchoKeepsTheConnection(t *testing.T) {
	url := echoing(t, echoOptions{})
	var first string
	for i := range 3 {
		r, _ := http.NewRequest("POST", url, strings.NewReader(strings.Repeat("x", 100_000)))
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if response.Close {
			t.Errorf("request %d: the connection ends", i)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if i == 0 {
			first = string(body)
		} else if string(body) != first {
			t.Errorf("request %d: got %q, want %q", i, body, first)
		}
	}
}

func TestEchoDoesNotAnswerBrokenUploads(t *testing.T) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(echoing(t, echoOptions{}), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\nhalf")
	conn.(*net.TCPConn).CloseWrite()
	if got, _ := io.ReadAll(conn); len(got) != 0 {
		t.Errorf("got %q for half an upload, want nothing", got)
	}
}

func TestParseSize(t *testing.T) {
	f := func(s string, want int) {
		t.Helper()
		got, err := parseSize(s)
		if want < 0 {
			if err == nil {
				t.Errorf("parseSize(%q) = %d, want an error", s, got)
			}
			return
		}
		if err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	f("0", 0)
	f("66", 66)
	f("1KiB", 1024)
	f("10MiB", 10<<20)
	f("1024MiB", 1<<30)
	for _, bad := range []string{"", "-1", "+1", "1 KiB", "KiB", "1kb", "1025MiB", "2000000KiB", "9999999999", "1.5MiB"} {
		f(bad, -1)
	}
}

func TestEchoRefusesBadFlags(t *testing.T) {
	f := func(want int, wantText string, args ...string) {
		t.Helper()
		var out, errs strings.Builder
		if got := runEcho(args, &out, &errs); got != want || !strings.Contains(errs.String(), wantText) {
			t.Errorf("echo %q: code %d, %q, want %d, %q", args, got, errs.String(), want, wantText)
		}
	}
	f(2, "want bytes", "-size", "1GB")
	f(2, "-status must be 200 to 599", "-status", "199")
	f(2, "-latency not negative", "-latency", "-1s")
	f(2, `takes no argument "x"`, "x")
	f(0, "-listen", "-h")
	f(1, "listen", "-listen", "127.0.0.1:99999")
}

func TestVersion(t *testing.T) {
	f := func(want int, wantText string, args ...string) {
		t.Helper()
		var out, errs strings.Builder
		if got := runVersion(args, &out, &errs); got != want || !strings.HasPrefix(out.String(), wantText) {
			t.Errorf("version %q: code %d, %q, want %d, %q", args, got, out.String(), want, wantText)
		}
	}
	f(0, "millrace devel (go1.")
	f(0, `{"version":"devel","go":"go1.`, "-json")
	f(2, "", "-x")
}

// fetch sends r on a connection of its own.
func fetch(t *testing.T, r *http.Request) (status int, kind, body string) {
	t.Helper()
	r.Close = true
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(b)
}
