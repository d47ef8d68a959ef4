package engine

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendJSON(t *testing.T) {
	f := func(r accessRecord, want string) {
		t.Helper()
		if got := string(appendJSON([]byte("before"), &r)); got != "before"+want+"\n" {
			t.Errorf("got  %swant before%s", got, want)
		}
	}
	full := typicalRecord()
	f(full, `{"time":"2026-02-03T04:05:06.007Z","remote_ip":"192.0.2.17","method":"GET","host":"shop.example.com",`+
		`"uri":"/api/v1/articles/4711?color=blue&size=XL&page=2","protocol":"HTTP/1.1","status":200,"bytes_in":0,"bytes_out":5120,`+
		`"duration_ms":1.234,"ttfb_ms":1.000,"route":"shop.example.com/api","cluster":"articles","request_id":"0123456789abcdef",`+
		`"backend_url":"http://10.0.0.7:8080","connection_reused":true,"retry_count":0,"same_upstream_retry_count":0,"circuit_breaker_state":"closed"}`)

	failed := full
	failed.ttfb, failed.errorType, failed.status = -1, "timeout", 504
	failed.retries, failed.sameTries, failed.reused = 3, 2, false
	failed.resolvedIP, failed.unixPath = netip.MustParseAddr("2001:db8::1"), `/run/a"b.sock`
	failed.traceID = []byte("0af7651916cd43dd8448eb211c80319c")
	failed.duration, failed.fraction = 61_000_000_999, 0
	f(failed, `{"time":"2026-02-03T04:05:06.000Z","remote_ip":"192.0.2.17","method":"GET","host":"shop.example.com",`+
		`"uri":"/api/v1/articles/4711?color=blue&size=XL&page=2","protocol":"HTTP/1.1","status":504,"bytes_in":0,"bytes_out":5120,`+
		`"duration_ms":61000.000,"route":"shop.example.com/api","cluster":"articles","error_type":"timeout","request_id":"0123456789abcdef",`+
		`"trace_id":"0af7651916cd43dd8448eb211c80319c","backend_url":"http://10.0.0.7:8080","backend_resolved_ip":"2001:db8::1",`+
		`"backend_unix_path":"/run/a\"b.sock","connection_reused":false,"retry_count":3,"same_upstream_retry_count":2,"circuit_breaker_state":"closed"}`)

	refused := accessRecord{second: full.second, ttfb: -1, status: 408, route: "none", cluster: "none", errorType: "bad_request", requestID: []byte("1")}
	f(refused, `{"time":"2026-02-03T04:05:06.000Z","remote_ip":"","method":"","host":"","uri":"","protocol":"","status":408,"bytes_in":0,"bytes_out":0,`+
		`"duration_ms":0.000,"route":"none","cluster":"none","error_type":"bad_request","request_id":"1"}`)
}

func TestJSONText(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := string(appendJSONText(nil, []byte(in), textLimit)); got != want {
			t.Errorf("%q as bytes gives %s, want %s", in, got, want)
		}
		if got := string(appendJSONText(nil, in, unlimited)); got != want {
			t.Errorf("%q as text gives %s, want %s", in, got, want)
		}
	}
	f("", "")
	f("/plain?a=b", "/plain?a=b")
	f(`"},{"status":1`, `\"},{\"status\":1`)
	f(`\"\\`, `\\\"\\\\`)
	f("a\r\n\t\x00\x1b[31m\x7f", `a\u000d\u000a\u0009\u0000\u001b[31m\u007f`)
	f("\u0080\u009b\u00a0", `\u0080\u009b`+"\u00a0")
	f("\u2028x\u2029", `\u2028x\u2029`)
	f("grün\u20ac\U0001F600", "grün\u20ac\U0001F600")
	f("\ufffd", "\ufffd")
	f("\xff\xfe", "\ufffd\ufffd")
	f("a\xe2\x82", "a\ufffd\ufffd")
	f("\xed\xa0\x80", "\ufffd\ufffd\ufffd") // half of a surrogate pair
	f("\xc0\xaf", "\ufffd\ufffd")           // too long a form of /
}

func TestJSONTextIsCut(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := string(appendJSONText(nil, []byte(in), 4)); got != want {
			t.Errorf("%q is cut to %q, want %q", in, got, want)
		}
	}
	f("abcd", "abcd")
	f("abcde", "abcd")
	f("abc\u00e4", "abc")
	f("ab\u00e4", "ab\u00e4")
	f("a\u20acb", "a\u20ac")
	f("ab\u20ac", "ab")
	f("\U0001F600x", "\U0001F600")
	f("a\U0001F600", "a")
	f("a\xff", "a\ufffd")
	f("a\xffb", "a\ufffd")
	f("ab\xff", "ab")
	f("\xff\xff", "\ufffd")
	f("abc\n\n", `abc\u000a`) // escapes do not count
}

// cutText is what a reader gets of a client text, said another way.
func cutText(s string, limit int) string {
	var b strings.Builder
	for _, r := range s {
		if b.Len()+utf8.RuneLen(r) > limit {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// jsonKeys are the keys of the object that the line holds, in order.
func jsonKeys(t testing.TB, line []byte) (keys []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		keys = append(keys, key.(string))
		if _, err := d.Token(); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	return keys
}

// strictLine fails the test unless line is visible text and one line feed.
func strictLine(t *testing.T, line []byte) {
	t.Helper()
	text, ok := bytes.CutSuffix(line, lineFeed)
	if !ok || !utf8.Valid(text) {
		t.Fatalf("%q is no line of text", line)
	}
	for _, r := range string(text) {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			t.Fatalf("%q has %q in it", line, r)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	f.Add("GET", "a.example", "/a?b=c", "id")
	f.Add(`"},{"status":1`, "\\", "/\xff\xfe\r\n\x00", "\u2028\u009b")
	f.Add(strings.Repeat("\xff", 3000), strings.Repeat("\u20ac", 800), strings.Repeat(`"`, 3000), strings.Repeat("x", 2047)+"\u00e4")
	plain := typicalRecord()
	want := jsonKeys(f, appendJSON(nil, &plain))
	f.Fuzz(func(t *testing.T, method, host, target, id string) {
		r := plain
		r.method, r.host, r.target, r.requestID = []byte(method), []byte(host), []byte(target), []byte(id)
		r.route = id
		line := appendJSON(nil, &r)
		strictLine(t, line)
		if len(line) > lineLimit+6*len(id) { // the route is not the client's
			t.Fatalf("a line of %d bytes", len(line))
		}
		if got := jsonKeys(t, line); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("keys %q", got)
		}
		var got struct {
			Method, Host, URI, Route string
			ID                       string `json:"request_id"`
		}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		same := func(what, got, sent string, limit int) {
			if want := cutText(sent, limit); got != want {
				t.Errorf("%s is %q, want %q", what, got, want)
			}
		}
		same("method", got.Method, method, textLimit)
		same("host", got.Host, host, textLimit)
		same("uri", got.URI, target, textLimit)
		same("request_id", got.ID, id, textLimit)
		same("route", got.Route, id, unlimited)
	})
}
