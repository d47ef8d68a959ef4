package h1

import (
	"strings"
	"testing"
)

var testLimits = &Limits{HeadBytes: 4 << 10, FieldCount: 128, TargetBytes: 1 << 10}

// head joins lines to a head.
func head(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }

func TestSkipEmptyLines(t *testing.T) {
	f := func(buf string, want int) {
		t.Helper()
		if got := SkipEmptyLines([]byte(buf)); got != want {
			t.Errorf("SkipEmptyLines(%q) = %d, want %d", buf, got, want)
		}
	}
	f("", 0)
	f("GET", 0)
	f("\r", 0)
	f("\r\n", 2)
	f("\r\nGET", 2)
	f("\r\n\r\n\r", 4)
	f("\n", 0)
	f("\r\r\n", 0)
	f("\n\r\n", 0)
}

func TestFindRequestHead(t *testing.T) {
	f := func(buf string, end int, want *Error) {
		t.Helper()
		got, scanned, err := FindRequestHead([]byte(buf), 0, testLimits)
		if got != end || err != want {
			t.Errorf("FindRequestHead(%.60q) = %d, %v, want %d, %v", buf, got, err, end, want)
		}
		if err == nil && end == 0 && len(buf) > 1 && scanned != len(buf) {
			t.Errorf("FindRequestHead(%.60q) has scanned %d, want %d", buf, scanned, len(buf))
		}
	}
	long := strings.Repeat("a", 10_000)
	some := head("GET / HTTP/1.1", "Host: a")
	f("", 0, nil)
	f("\r", 0, nil)
	f("G", 0, nil)
	f("GET / HTTP/1.1\r", 0, nil)
	f("GET / HTTP/1.1\r\nHost: a\r\n\r", 0, nil)
	f(some, len(some), nil)
	f(some+"next", len(some), nil)
	f(some+some, len(some), nil)
	f(head("GET /"), 9, nil)

	f("GET / HTTP/1.1\n", 0, errBareLF)
	f("GET / HTTP/1.1\r\nHost: a\n", 0, errBareLF)
	f("GET / HTTP/1.1\r\nHost: a\r\n\n", 0, errBareLF)
	f("GET / HTTP/1.1\n\n", 0, errBareLF)
	f("\n", 0, errRequestLine)
	f("\r\n", 0, errRequestLine)
	f("\r\n\r\n", 0, errRequestLine)
	f("GET / HTTP/1.1\r\nA\x00", 0, errNUL)
	f("\x16\x03\x01\x02\x00", 0, errRequestLine) // a TLS ClientHello
	f(" GET", 0, errRequestLine)
	f("GET /"+long, 0, errTargetLong)
	f("GET /"+long[:1023], 0, nil)
	f("GET /"+long[:1024], 0, errTargetLong)
	f("GET /"+long[:1024]+" HTTP/1.1\r\n", 0, errTargetLong)
	f("GET /"+long[:1023]+" HTTP/1.1\r\n", 0, nil)
	f("GET / "+long, 0, errRequestLine)
	f("GET /"+long[:1022]+" HTTP/1.1", 0, nil)
	f("GET /"+long[:1023]+" HTTP/1.1\r", 0, nil)
	f("GET /"+long[:1023]+" HTTP/1.1\rx", 0, errRequestLine)
	f(long[:64], 0, nil)
	f(long[:65], 0, errMethodLong)
	f(long, 0, errMethodLong)
	f(long[:64]+" /", 0, nil)
	f("GET / HTTP/1.1\r\nA: "+long, 0, errHeadLong)
	f("GET / HTTP/1.1\r\n"+long, 0, errHeadLong)
	f(head("GET / HTTP/1.1", "A: "+long), 0, errHeadLong)
	f(head("GET /"+long+" HTTP/1.1", "A: b"), 0, errTargetLong)
	fits := head("GET / HTTP/1.1", "A: "+long[:4<<10-23])
	f(fits, 4<<10, nil)
	f(fits[:4<<10-1], 0, nil)
	f(head("GET / HTTP/1.1", "A: "+long[:4<<10-22]), 0, errHeadLong)
}

// A line end after the limit is not the one that was looked for.
func TestFindHeadStopsAtLimit(t *testing.T) {
	buf := "GET / HTTP/1.1\r\nA: " + strings.Repeat("a", 4<<10) + "\n"
	if _, _, err := FindRequestHead([]byte(buf), 0, testLimits); err != errHeadLong {
		t.Errorf("got %v, want %v", err, errHeadLong)
	}
}

func TestFindResponseHead(t *testing.T) {
	f := func(buf string, end int, want *Error) {
		t.Helper()
		if got, _, err := FindResponseHead([]byte(buf), 0, testLimits); got != end || err != want {
			t.Errorf("FindResponseHead(%.60q) = %d, %v, want %d, %v", buf, got, err, end, want)
		}
	}
	some := head("HTTP/1.1 200 OK", "A: b")
	f("", 0, nil)
	f("HTTP", 0, nil)
	f("HTTP/1.1 200 OK\r\nX-A: 1\r\n", 0, nil)
	f(some+"body", len(some), nil)
	f("garbage\r\n\r\n", 0, errStatusLine)
	f("ICY 200 OK\r\n\r\n", 0, errStatusLine)
	f("HTTP/2.0 200 OK\r\n\r\n", 0, errStatusLine)
	f("\r\n", 0, errStatusLine)
	f("HTTP/1.1 200 OK\n", 0, errBareLF)
	f("HTTP/1.1 200 OK\r\nA\x00", 0, errNUL)
	f("HTTP/1.1 200 OK\r\nA: "+strings.Repeat("a", 4<<10), 0, errHeadLong)
}

// However a head arrives, the outcome is the same.
func TestFindHeadInPieces(t *testing.T) {
	f := func(name string, find func([]byte, int, *Limits) (int, int, *Error), buf string) {
		t.Helper()
		whole, _, wholeErr := find([]byte(buf), 0, testLimits)
		for step := 1; step < len(buf); step++ {
			end, from := 0, 0
			var err *Error
			for n := step; end == 0 && err == nil && from < len(buf); n += step {
				end, from, err = find([]byte(buf[:min(n, len(buf))]), from, testLimits)
			}
			if end != whole || (err == nil) != (wholeErr == nil) {
				t.Fatalf("%s: %q by %d: %d, %v, want %d, %v", name, buf, step, end, err, whole, wholeErr)
			}
		}
	}
	for _, buf := range []string{typical, least + least, head("GET /") + "\n", "GET / HTTP/1.1\r\nA: b\n\r\n", "GET / HTTP/1.1\r\nA: \x00b"} {
		f("request", FindRequestHead, buf)
	}
	f("response", FindResponseHead, head("HTTP/1.1 200 OK", "A: b", "C: d")+"\n")
}
