package engine

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"millrace/engine/config"
)

// The values of a template that says nothing of addresses.
func TestTemplate(t *testing.T) {
	x := parsed(t, "GET /p?q HTTP/1.1\r\nHost: a\r\nX-In:  v \r\nX-In: w\r\nX-Empty:\r\n\r\n")
	f := func(text, want string) {
		t.Helper()
		tpl, err := config.ParseTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(x.appendParts([]byte("<"), tpl.Parts)); got != "<"+want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("", "")
	f("plain", "plain")
	f("a{{request.method}}b{{request.uri.query}}c", "aGETbqc")
	f("{{request.header.X-IN}}", "v")
	f("[{{request.header.x-empty}}{{request.header.x-none}}]", "[]")
}

func TestPlainText(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := printable([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	f("a", true)
	f("!~", true)
	f(strings.Repeat("a", maxRequestID), true)
	f(strings.Repeat("a", maxRequestID+1), false)
	f("", false)
	f("a b", false)
	f("a\t", false)
	f("\x7f", false)
	f("\x80", false)
}

// An id of our own stays the same for the life of an exchange, and is another's never.
func TestRequestID(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		x := parsed(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		x.snap = &snapshot{}
		id := string(x.appendRequestID(nil))
		if len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" || string(x.appendRequestID(nil)) != id || seen[id] {
			t.Fatalf("got %q", id)
		}
		seen[id] = true
	}
}

func TestDateClock(t *testing.T) {
	var c dateClock
	text := func(now int64) string { return string(c.append(nil, now)) }
	first := text(1)
	if d, err := http.ParseTime(first); err != nil || time.Since(d) > time.Minute || time.Since(d) < 0 {
		t.Errorf("got %q, %v", first, err)
	}
	c.text = []byte("kept")
	if got := text(c.until - 1); got != "kept" {
		t.Errorf("within the second: got %q", got)
	}
	if got := text(c.until); got == "kept" {
		t.Error("the second is over and the date stays")
	}
}

func TestHasBody(t *testing.T) {
	for status, want := range map[int]bool{101: false, 200: true, 204: false, 304: false, 400: true, 404: true, 502: true} {
		if got := hasBody(status); got != want {
			t.Errorf("%d: got %v", status, got)
		}
	}
}
