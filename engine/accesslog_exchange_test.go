package engine

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// lineOf is the line that x leaves in a log of that format.
func lineOf(t *testing.T, format config.LogFormat, x *exchange, trail *accessTrail) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "access.log")
	log, _ := quietLog(t, &config.AccessLog{Path: path, Format: format})
	log.buffers[0].ended(x, trail, "/api")
	log.Close(logPatience)
	return textOf(t, path)
}

// fieldsOf is the same as a decoded object.
func fieldsOf(t *testing.T, x *exchange, trail *accessTrail) map[string]any {
	t.Helper()
	var fields map[string]any
	if line := lineOf(t, config.FormatJSON, x, trail); json.Unmarshal([]byte(line), &fields) != nil {
		t.Fatalf("%q is no JSON", line)
	}
	return fields
}

// expect compares some fields; nil = it must be absent.
func expect(t *testing.T, fields map[string]any, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		if fields[name] != value {
			t.Errorf("%s is %v, want %v", name, fields[name], value)
		}
	}
}

func TestAccessLogOfProxiedRequest(t *testing.T) {
	x, trail := finishedExchange(t)
	x.retries, trail.sameTries, x.reqSeen = 3, 1, 4
	x.lastTried.address = netpoll.Addr{Unix: "/run/app.sock"}
	before := time.Now().Add(-time.Second)
	fields := fieldsOf(t, x, trail)
	expect(t, fields, map[string]any{
		"method": "GET", "host": "shop.example.com", "uri": "/api/v1/articles/4711?color=blue&size=XL&page=2", "protocol": "HTTP/1.1",
		"status": 200, "bytes_in": 4, "bytes_out": 5120, "ttfb_ms": 1, "route": "/api", "cluster": "articles", "error_type": nil,
		"backend_url": "http://10.0.0.7:8080", "backend_unix_path": "/run/app.sock", "connection_reused": true,
		"retry_count": 3, "same_upstream_retry_count": 1, "circuit_breaker_state": "closed",
	})
	at, err := time.Parse(time.RFC3339Nano, fields["time"].(string))
	if err != nil || at.Before(before) || at.After(time.Now().Add(time.Second)) {
		t.Errorf("time is %v, %v", fields["time"], err)
	}
	if id, _ := fields["request_id"].(string); !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) {
		t.Errorf("request_id is %v", fields["request_id"])
	}
}

func TestAccessLogOfCombinedRequest(t *testing.T) {
	x, trail := finishedExchange(t)
	line := lineOf(t, config.FormatCombined, x, trail)
	want := regexp.MustCompile(`^- - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] ` + regexp.QuoteMeta(
		`"GET /api/v1/articles/4711?color=blue&size=XL&page=2 HTTP/1.1" 200 5120 "https://shop.example.com/catalogue" `+
			`"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"`) + "\n$")
	if !want.MatchString(line) {
		t.Errorf("%q, want %v", line, want)
	}
}

// A request that no endpoint answered says why.
func TestAccessLogOfFailure(t *testing.T) {
	x, _ := finishedExchange(t)
	trail := &accessTrail{}
	trail.sent(x.began + 1)
	trail.fail(stats.Timeout)
	trail.fail(stats.ClientClosed)
	x.status, x.respSeen = 504, 17
	expect(t, fieldsOf(t, x, trail), map[string]any{
		"status": 504, "error_type": "timeout", "bytes_out": 17, "ttfb_ms": nil, "backend_url": "http://10.0.0.7:8080", "connection_reused": false,
	})
	x.lastTried = nil
	expect(t, fieldsOf(t, x, trail), map[string]any{"backend_url": "", "backend_unix_path": nil, "retry_count": 0, "circuit_breaker_state": "closed"})
}

// A request that was refused before it reached a route has what can be told of it.
func TestAccessLogOfRefusal(t *testing.T) {
	x, _ := finishedExchange(t)
	f := func(raw, waiting string, want map[string]any) {
		t.Helper()
		trail := &accessTrail{}
		trail.fail(stats.BadRequest)
		x.target, x.cluster, x.lastTried, x.status = nil, nil, nil, 400
		x.req, x.raw, x.d.in.bytes = h1.Request{}, []byte(raw), []byte(waiting)
		expect(t, fieldsOf(t, x, trail), map[string]any{"status": 400, "error_type": "bad_request", "cluster": "none", "host": "",
			"backend_url": nil, "connection_reused": nil, "retry_count": nil, "same_upstream_retry_count": nil, "circuit_breaker_state": nil})
		expect(t, fieldsOf(t, x, trail), want)
	}
	f("GET / HTTP/1.1\r\n\r\n", "", map[string]any{"method": "GET", "uri": "/", "protocol": "HTTP/1.1"})
	f("GET /\xff HTTP/2.0\r\n\r\n", "GET /next HTTP/1.1\r\n", map[string]any{"method": "GET", "uri": "/\ufffd", "protocol": ""})
	f("", "POST /long", map[string]any{"method": "POST", "uri": "/long", "protocol": ""})
	f("", "", map[string]any{"method": "", "uri": "", "protocol": ""})
}

// A client that left before its answer has its own status, and got what was not queued.
func TestAccessLogOfClientThatLeft(t *testing.T) {
	x, _ := finishedExchange(t)
	trail := &accessTrail{}
	trail.fail(stats.ClientClosed)
	x.status, x.respSeen = statusClientGone, 0
	expect(t, fieldsOf(t, x, trail), map[string]any{"status": 499, "error_type": "client_closed", "bytes_out": 0})
}

func TestAccessLogIsOff(t *testing.T) {
	log, registry := quietLog(t, nil)
	x, trail := finishedExchange(t)
	log.buffers[0].ended(x, trail, "/")
	if log.buffers[0].begun.Load() != 0 || droppedLines(t, registry) != 0 {
		t.Error("a line was made")
	}
}

func TestLooseRequestLine(t *testing.T) {
	f := func(head, method, target, protocol string) {
		t.Helper()
		m, u, p := looseRequestLine([]byte(head))
		if string(m) != method || string(u) != target || p != protocol {
			t.Errorf("%q is %q, %q, %q, want %q, %q, %q", head, m, u, p, method, target, protocol)
		}
	}
	f("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET", "/a", "HTTP/1.1")
	f("GET /a HTTP/1.0\n\n", "GET", "/a", "HTTP/1.0")
	f("GET /a HTTP/1.2\r\n\r\n", "GET", "/a", "")
	f("GET /a b HTTP/1.1\r\n", "GET", "/a", "")
	f("GET  /a HTTP/1.1\r\n", "GET", "", "")
	f("GET /a\r\nHost: a\r\n", "GET", "/a", "")
	f("\x16\x03\x01", "\x16\x03\x01", "", "")
	f("", "", "", "")
	if m, _, _ := looseRequestLine([]byte(strings.Repeat("x", 9000))); len(m) != 9000 {
		t.Errorf("a method of %d bytes", len(m))
	}
}

func TestAccessTrail(t *testing.T) {
	f := func(want int64, steps ...func(*accessTrail)) {
		t.Helper()
		var trail accessTrail
		for _, step := range steps {
			step(&trail)
		}
		if got := trail.ttfb(); got != want {
			t.Errorf("ttfb is %d, want %d", got, want)
		}
	}
	sent := func(at int64) func(*accessTrail) { return func(t *accessTrail) { t.sent(at) } }
	heard := func(at int64) func(*accessTrail) { return func(t *accessTrail) { t.heard(at) } }
	f(-1)
	f(-1, sent(10))
	f(-1, heard(10))
	f(5, sent(10), heard(15))
	f(0, sent(10), heard(10))
	f(2, sent(10), sent(13), heard(15))            // a body in pieces
	f(5, sent(10), heard(15), sent(20), heard(30)) // an answer before the body was complete
}
