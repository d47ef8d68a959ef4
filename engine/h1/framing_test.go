package h1

import (
	"strings"
	"testing"
)

func TestRequestFraming(t *testing.T) {
	f := func(want *Error, body BodyKind, length int64, lines ...string) {
		t.Helper()
		r, err := parse(head(append([]string{"POST / HTTP/1.1", "Host: a.example"}, lines...)...))
		if err != want || err == nil && (r.Body != body || r.Length != length) {
			t.Errorf("%q: body %d, length %d, %v, want %d, %d, %v", lines, r.Body, r.Length, err, body, length, want)
		}
	}
	ok := func(body BodyKind, length int64, lines ...string) { t.Helper(); f(nil, body, length, lines...) }
	ok(BodyNone, -1)
	ok(BodyLength, 0, "Content-Length: 0")
	ok(BodyLength, 5, "content-length:5")
	ok(BodyLength, 5, "Content-Length: \t5 \t")
	ok(BodyLength, 5, "Content-Length: 0005")
	ok(BodyLength, 5, "Content-Length: "+strings.Repeat("0", 60)+"5")
	ok(BodyLength, 9223372036854775807, "Content-Length: 9223372036854775807")
	for _, v := range []string{"Chunked", "CHUNKED", "  chunked  ", " \tchunked\t ", "chunked"} {
		ok(BodyChunked, -1, "Transfer-Encoding:"+v)
	}

	refuse := func(want *Error, lines ...string) { t.Helper(); f(want, BodyNone, -1, lines...) }
	for _, v := range []string{"+5", "-5", "0x5", "5_0", "5 5", "5a", "", "5,", ",5", "5;", "five", "5.0", "1e1", "\"5\"", "\xd9\xa5", "5, 6", "5, 5", "5,5,5", "a5",
		"9223372036854775808", "18446744073709551616", "18446744073709551621", "21000000000000000000", "4" + strings.Repeat("0", 40)} {
		refuse(errLength, "Content-Length: "+v)
	}
	refuse(errFieldValue, "Content-Length: 5\x0b")
	refuse(errLengths, "Content-Length: 5", "Content-Length: 6")
	refuse(errLengths, "Content-Length: 6", "X: y", "Content-Length: 5")
	refuse(errLengths, "Content-Length: 5", "content-length: 0")
	refuse(errLengths, "Content-Length: 5", "Content-Length: 5")
	refuse(errLengths, "Content-Length:", "Content-Length: 5")

	refuse(errBothFramings, "Content-Length: 3", "Transfer-Encoding: chunked")
	refuse(errBothFramings, "transfer-encoding: Chunked", "content-length: 3")
	refuse(errBothFramings, "Content-Length: 0", "Transfer-Encoding: identity")
	refuse(errBothFramings, "Content-Length: 3", "Content-Length: 3", "Transfer-Encoding: chunked")

	for _, v := range []string{"identity", "gzip", "xchunked", "chunkedx", "gzip, deflate", "gzip, chunked", "identity, chunked"} {
		refuse(errCodingOther, "Transfer-Encoding: "+v)
	}
	for _, v := range []string{"chunked, identity", "chunked, chunked", "chunked;x=y", "chunked, gzip", "\"chunked\"", "chun ked", "", ",chunked", "chunked,", "gzip,,chunked",
		"gzip, chunked, chunked", "chunked\xa0", "\xa0chunked", "chunked;", "gzip;q=1", ","} {
		refuse(errCoding, "Transfer-Encoding: "+v)
	}
	refuse(errFieldValue, "Transfer-Encoding: chunked\x0c")
	refuse(errFieldValue, "Transfer-Encoding: chunked\x00")
	refuse(errCodings, "Transfer-Encoding: chunked", "Transfer-Encoding: identity")
	refuse(errCodings, "Transfer-Encoding: identity", "Transfer-Encoding: chunked")
	refuse(errCodings, "Transfer-Encoding: chunked", "X: y", "transfer-encoding: chunked")
	refuse(errFieldName, "Transfer-Encoding : chunked", "Content-Length: 5")
	refuse(errFieldName, "Content-Length : 5")
}

func TestFramingInHTTP10(t *testing.T) {
	f := func(want *Error, lines ...string) {
		t.Helper()
		if _, err := parse(head(append([]string{"POST / HTTP/1.0", "Host: a.example"}, lines...)...)); err != want {
			t.Errorf("%q: %v, want %v", lines, err, want)
		}
	}
	f(nil)
	f(nil, "Content-Length: 5")
	f(errCodingOld, "Transfer-Encoding: chunked", "Connection: keep-alive")
	f(errCodingOld, "Transfer-Encoding: identity")
	f(errBothFramings, "Transfer-Encoding: chunked", "Content-Length: 11")
}

// Other names and values never change the framing.
func TestFramingAliases(t *testing.T) {
	for _, line := range []string{"Content_Length: 5", "Transfer_Encoding: chunked", "X-Content-Length: 5", "Content-Lengths: 5", "Trailer: Content-Length"} {
		if r, err := get(line); err != nil || r.Body != BodyNone {
			t.Errorf("%s: body %d, %v", line, r.Body, err)
		}
	}
}
