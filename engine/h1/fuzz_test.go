package h1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"
)

// FuzzRequest compares accepted requests with net/http, requires that fasthttp
// agrees with the package's own reading, and that a head made of the lines
// that may be forwarded means the same.
func FuzzRequest(f *testing.F) {
	for _, raw := range []string{typical, least, head("GET / HTTP/1.0"), head("GET / HTTP/1.0", "connection: keep-alive", "Connection: x"),
		head("POST http://b:1?x HTTP/1.1", "Host:", "Content-Length: 005"), head("POST / HTTP/1.1", "host: a", "Transfer-Encoding:\tChunked ", "Trailer: Content-Length"),
		head("OPTIONS * HTTP/1.1", "Host: [::1]", "Connection: X, close", "X: y", "x_real_ip: 1"), head("CONNECT a:1 HTTP/1.1", "Host: a:1"),
		head("GET / HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: upgrade", "TE: trailers", "Expect: 100-continue"),
		head("GET / HTTP/1.1", "Host: a", "X: y", " z"), head("GET / HTTP/1.1", "Host : a"), "GET / HTTP/1.1\nHost: a\n\n"} {
		f.Add([]byte(raw))
	}
	p := NewRequestParser()
	f.Fuzz(func(t *testing.T, raw []byte) {
		end, _, err := FindRequestHead(raw, 0, testLimits)
		if err != nil || end == 0 {
			return
		}
		var r Request
		if err := p.Parse(&r, raw[:end], testLimits); err != nil {
			if err == errReadings {
				t.Fatalf("%q: fasthttp differs", raw[:end])
			}
			return
		}
		compareRequest(t, &r)
		forwardAgain(t, p, &r)
	})
}

// compareRequest compares r with net/http's reading, if that accepts it: it
// refuses broken escapes in targets, among others.
func compareRequest(t *testing.T, r *Request) {
	q, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r.Raw)))
	if err != nil {
		return
	}
	if q.Method != string(r.Method) || q.RequestURI != string(r.Target) || q.ProtoMinor != int(r.Minor) {
		t.Errorf("%q: net/http reads %s %s", r.Raw, q.Method, q.RequestURI)
	}
	if q.Host != string(r.Host) && r.Form != AuthorityForm {
		t.Errorf("%q: host %q, net/http %q", r.Raw, r.Host, q.Host)
	}
	if chunked := len(q.TransferEncoding) > 0; chunked != (r.Body == BodyChunked) || !chunked && q.ContentLength != max(r.Length, 0) {
		t.Errorf("%q: body %d of %d, net/http %v of %d", r.Raw, r.Body, r.Length, q.TransferEncoding, q.ContentLength)
	}
	if q.Close && !r.Close {
		t.Errorf("%q: net/http closes", r.Raw)
	}
	for i := range r.Fields {
		switch r.Fields[i].ID {
		case FieldHost, FieldTransferEncoding, FieldTrailer: // net/http takes them out
		default:
			if !slices.Contains(q.Header[http.CanonicalHeaderKey(string(r.Name(i)))], string(r.Value(i))) {
				t.Errorf("%q: net/http lacks %q", r.Raw, r.Line(i))
			}
		}
	}
}

// forwardAgain parses the lines that may be forwarded as the next hop would.
func forwardAgain(t *testing.T, p *RequestParser, r *Request) {
	raw := append([]byte(nil), r.Raw[:bytes.IndexByte(r.Raw, '\n')+1]...)
	names := 0
	for i := range r.Fields {
		if !r.Fields[i].Drop {
			raw = append(raw, r.Line(i)...)
			names++
		}
	}
	raw = append(raw, "\r\n"...)
	var next Request
	if err := p.Parse(&next, raw, testLimits); err != nil {
		t.Fatalf("%q: forwarded %q: %v", r.Raw, raw, err)
	}
	if string(next.Host) != string(r.Host) || next.Length != r.Length || len(next.Fields) != names || next.Body == BodyChunked {
		t.Errorf("%q: forwarded %q is another request", r.Raw, raw)
	}
	for i := range next.Fields {
		if next.Fields[i].Drop {
			t.Errorf("%q: forwarded %q drops line %d", r.Raw, raw, i)
		}
	}
}

// FuzzResponse compares accepted responses with net/http.
func FuzzResponse(f *testing.F) {
	for _, raw := range []string{head("HTTP/1.1 200 OK", "Content-Length: 5"), head("HTTP/1.0 404 ", "Connection: keep-alive"), head("HTTP/1.1 200 OK", "transfer-encoding: chunked"),
		head("HTTP/1.1 304 X", "Content-Length: 1"), head("HTTP/1.1 101 X", "Upgrade: websocket", "Connection: upgrade"), head("HTTP/1.1 200 OK", "A: b", " c")} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end, _, err := FindResponseHead(raw, 0, testLimits)
		if err != nil || end == 0 {
			return
		}
		var r Response
		if ParseResponse(&r, raw[:end], testLimits) != nil {
			return
		}
		for i := range r.Fields {
			if line := r.Line(i); bytes.Count(line, []byte("\n")) != 1 || bytes.Count(line, []byte("\r")) != 1 || bytes.IndexByte(line, 0) >= 0 {
				t.Errorf("%q: line %q", raw, line)
			}
		}
		q, stdErr := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.Raw)), &http.Request{Method: "GET"})
		if stdErr != nil {
			return
		}
		if q.StatusCode != r.Status || q.ProtoMinor != int(r.Minor) {
			t.Errorf("%q: %d, net/http %d", raw, r.Status, q.StatusCode)
		}
		switch r.Body(MethodGet) {
		case BodyLength:
			if q.ContentLength != r.Length {
				t.Errorf("%q: %d bytes, net/http %d", raw, r.Length, q.ContentLength)
			}
		case BodyChunked:
			if len(q.TransferEncoding) == 0 {
				t.Errorf("%q: not chunked in net/http", raw)
			}
		case BodyClose:
			if q.ContentLength != -1 || len(q.TransferEncoding) > 0 {
				t.Errorf("%q: net/http %d %v", raw, q.ContentLength, q.TransferEncoding)
			}
		}
	})
}

// FuzzChunked requires that a body is decoded in the same way wherever it is
// cut, and, if it is complete, to what net/http makes of it.
func FuzzChunked(f *testing.F) {
	for _, raw := range []string{"0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5;a=b\r\nhello\r\na\r\n0123456789\r\n0\r\nX: y\r\n\r\nrest", "5\nhello\n0\n\n", "1\r\na\r\n\r\n",
		strings.Repeat("1\r\nz\r\n", 10) + "0\r\n\r\n", "0\r\nX: y\r\n z\r\n\r\n", "10000000000000000\r\n", "7fffffffffffffff\r\nx"} {
		f.Add(raw, 1, 3)
	}
	f.Fuzz(func(t *testing.T, raw string, a, b int) {
		a, b = min(max(a, 0), len(raw)), min(max(b, 0), len(raw))
		whole := decode(t, raw)
		if got := decode(t, raw, min(a, b), max(a, b)); got != whole {
			t.Errorf("%q cut at %d and %d: %+v, want %+v", raw, a, b, got, whole)
		}
		if !whole.done {
			return
		}
		std, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(raw)))
		if err == nil && string(std) != whole.body {
			t.Errorf("%q: %q, net/http %q", raw, whole.body, std)
		}
		if relayed := AppendTrailers(nil, []byte(whole.trailer)); len(relayed) > len(whole.trailer) {
			t.Errorf("%q: relayed %q", whole.trailer, relayed)
		}
	})
}
