package h1

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// decoded is the outcome of decoding a body.
type decoded struct {
	body, trailer, rest string
	done                bool
	err                 *Error
}

// decode feeds raw to a decoder in pieces that end at the cuts, which ascend.
func decode(t *testing.T, raw string, cuts ...int) decoded {
	t.Helper()
	var d Chunked
	var out decoded
	from := 0
	for _, to := range append(cuts, len(raw)) {
		p := []byte(raw[from:to])
		body, n, done, err := d.Decode(p)
		out.body += string(body)
		from += n
		if out.done, out.err = done, err; done || err != nil {
			break
		}
		if n != len(p) {
			t.Fatalf("%q: %d of %d bytes consumed", raw, n, len(p))
		}
	}
	out.trailer, out.rest = string(d.Trailer()), raw[from:]
	return out
}

// everyCut requires that raw is decoded in the same way however it is cut.
func everyCut(t *testing.T, raw string) decoded {
	t.Helper()
	whole := decode(t, raw)
	for i := 0; i <= len(raw); i++ {
		if got := decode(t, raw, i); got != whole {
			t.Fatalf("%.100q cut at %d: %+v, want %+v", raw, i, got, whole)
		}
	}
	var all []int
	for i := range raw {
		all = append(all, i)
	}
	if got := decode(t, raw, all...); got != whole {
		t.Fatalf("%.100q byte by byte: %+v, want %+v", raw, got, whole)
	}
	return whole
}

func TestChunked(t *testing.T) {
	f := func(raw, body, trailer string) {
		t.Helper()
		want := decoded{body: body, trailer: trailer, rest: "5\r\nnext", done: true}
		if got := everyCut(t, raw+"5\r\nnext"); got != want {
			t.Errorf("%q: %+v", raw, got)
		}
	}
	f("0\r\n\r\n", "", "")
	f("5\r\nhello\r\n0\r\n\r\n", "hello", "")
	f("a\r\n0123456789\r\n0\r\n\r\n", "0123456789", "")
	f("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", "")
	f("000a\r\n0123456789\r\n000\r\n\r\n", "0123456789", "")
	f("1\r\n0\r\n9\r\n123456789\r\n0\r\n\r\n", "0123456789", "")
	f("0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n", "hello", "")
	f("5\r\n\r\n\r\n0\r\n0\r\n\r\n", "\r\n\r\n0", "")
	f("5;a=b\r\nhello\r\n0\r\n\r\n", "hello", "")
	f("5;a\r\nhello\r\n0;last\r\n\r\n", "hello", "")
	f("5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n", "hello", "")
	f("5;a=b;c=d\t\xff\r\nhello\r\n0\r\n\r\n", "hello", "")
	f("2\r\nab\r\n0\r\nX-T: 1\r\ny:2\r\n\r\n", "ab", "X-T: 1\r\ny:2\r\n")
	f(strings.Repeat("1\r\nz\r\n", 200)+"0\r\n\r\n", strings.Repeat("z", 200), "")
}

func TestChunkedRefusals(t *testing.T) {
	f := func(raw string, want *Error) {
		t.Helper()
		got := everyCut(t, raw)
		if got.err != want || got.done {
			t.Errorf("%.60q: done %v, %v, want %v", raw, got.done, got.err, want)
		}
	}
	for _, size := range []string{"0x5", "+5", "-5", " 5", "5_", "", "g", "5h", "5 ", "5\t", "5 ;a", "\t5", "5\x00", "5,5", "\xd9\xa5", "'5'", "\r5"} {
		f(size+"\r\nhello\r\n0\r\n\r\n", errChunkSize)
	}
	for _, size := range []string{"10000000000000005", "FFFFFFFFFFFFFFFF5", "100000000000000000000005", "00000000000000000000005g", "00000000000000005", "8000000000000000", "ffffffffffffffff"} {
		f(size+"\r\nhello\r\n0\r\n\r\n", errChunkLong)
	}
	f("5 5\r\nhello\r\n0\r\n\r\n", errChunkSize)
	f("5\nhello\r\n0\r\n\r\n", errChunkSize)
	f("5\rhello\r\n0\r\n\r\n", errChunkSize)
	f("5\r\r\nhello\r\n0\r\n\r\n", errChunkSize)
	f("5;a\nhello\r\n0\r\n\r\n", errChunkExt)
	f("5;a\rb\r\nhello\r\n0\r\n\r\n", errChunkSize)
	f("5;a\x00\r\nhello\r\n0\r\n\r\n", errChunkExt)
	f("5;a\x7f\r\nhello\r\n0\r\n\r\n", errChunkExt)
	f("4\r\nhello\r\n0\r\n\r\n", errChunkEnd)
	f("6\r\nhello\r\n0\r\n\r\n", errChunkEnd)
	f("5\r\nhelloXX0\r\n\r\n", errChunkEnd)
	f("5\r\nhello0\r\n\r\n", errChunkEnd)
	f("5\r\nhello\n0\r\n\r\n", errChunkEnd)
	f("5\r\nhello\rX0\r\n\r\n", errChunkEnd)
	f("5\r\nhello\r\n\r\n0\r\n\r\n", errChunkSize)
	f("0\n\r\n", errChunkSize)
	f("0\r\n\n", errFieldName)
	f("0\r\n\rX", errFieldName)
	f("0\r\nXX\r\n\r\n", errFieldName)
	f("0\r\n X: y\r\n\r\n", errFold)
	f("0\r\nX: y\r\n z\r\n\r\n", errFold)
	f("0\r\nX : y\r\n\r\n", errFieldName)
	f("0\r\nX: y\n\r\n", errBareLF)
	f("0\r\nX: a\rb\r\n\r\n", errFieldValue)
	f("0\r\nX: a\x00b\r\n\r\n", errFieldValue)
}

// An unfinished body is neither complete nor an error.
func TestChunkedUnfinished(t *testing.T) {
	raw := "5;x=y\r\nhello\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n"
	for i := range raw {
		if got := decode(t, raw[:i]); got.done || got.err != nil {
			t.Errorf("%q: done %v, %v", raw[:i], got.done, got.err)
		}
	}
}

func TestChunkedBounds(t *testing.T) {
	f := func(name, raw string, want *Error) {
		t.Helper()
		for _, got := range []decoded{decode(t, raw), decode(t, raw, len(raw)/3, len(raw)/2)} {
			if got.err != want || got.done != (want == nil) {
				t.Errorf("%s: done %v, %v, want %v", name, got.done, got.err, want)
			}
		}
	}
	a := strings.Repeat("a", 256<<10)
	f("an extension", "5;"+a[:maxExtLine]+"\r\nhello\r\n0\r\n\r\n", nil)
	f("a long extension", "5;"+a[:maxExtLine+1]+"\r\nhello\r\n0\r\n\r\n", errChunkExtLong)
	f("an endless extension", "5;a="+a, errChunkExtLong)
	f("extensions", strings.Repeat("1;"+a[:4000]+"\r\nZ\r\n", 4)+"0\r\n\r\n", nil)
	f("many extensions", strings.Repeat("1;"+a[:4000]+"\r\nZ\r\n", 5)+"0\r\n\r\n", errChunkExtLong)
	f("trailers", "0\r\n"+strings.Repeat("A: b\r\n", 64)+"\r\n", nil)
	f("many trailers", "0\r\n"+strings.Repeat("A: b\r\n", 65)+"\r\n", errTrailerCount)
	f("a trailer", "0\r\nA: "+a[:maxTrailerBytes-5]+"\r\n\r\n", nil)
	f("a long trailer", "0\r\nA: "+a[:maxTrailerBytes-4]+"\r\n\r\n", errTrailerLong)
	f("an endless trailer", "0\r\nA: "+a, errTrailerLong)
	f("an endless size", strings.Repeat("0", 100), errChunkLong)
	if got := decode(t, "7fffffffffffffff\r\n"+a[:10]); got.err != nil || got.body != a[:10] {
		t.Errorf("the largest chunk: %+v", got)
	}
}

// The end of a body, as that of an error, stays the end.
func TestChunkedStaysEnded(t *testing.T) {
	f := func(raw string) {
		t.Helper()
		var d Chunked
		_, _, done, err := d.Decode([]byte(raw))
		body, n, again, err2 := d.Decode([]byte("5\r\nhello\r\n"))
		if len(body) != 0 || n != 0 || again != done || err2 != err || !done && err == nil {
			t.Errorf("%q: %q, %d, %v, %v", raw, body, n, again, err2)
		}
		d.Reset()
		if body, _, _, err := d.Decode([]byte("5\r\nhello\r\n")); string(body) != "hello" || err != nil || len(d.Trailer()) != 0 {
			t.Errorf("%q: after Reset %q, %v", raw, body, err)
		}
	}
	f("0\r\n\r\n")
	f("0\r\nX: y\r\n\r\n")
	f("0\r\nX: " + strings.Repeat("y", 5000) + "\r\n\r\n")
	f("zz")
	f("0\r\nX : y\r\n")
}

// The first piece of payload is not moved.
func TestChunkedInPlace(t *testing.T) {
	var d Chunked
	p := []byte("5\r\nhello\r\n3\r\nabc\r\n0\r\n\r\n")
	body, _, _, _ := d.Decode(p)
	if &body[0] != &p[3] || string(p[3:11]) != "helloabc" {
		t.Errorf("payload %q stands in %q", body, p)
	}
}

// What AppendChunkSize writes is decoded to what was sent.
func TestChunkedRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var raw []byte
		var want strings.Builder
		for range rnd.IntN(8) {
			part := strings.Repeat(string(rune('a'+rnd.IntN(26))), 1+rnd.IntN(300))
			raw = append(append(AppendChunkSize(raw, len(part)), part...), '\r', '\n')
			want.WriteString(part)
		}
		raw = append(raw, "0\r\n\r\n"...)
		a := rnd.IntN(len(raw))
		if got := decode(t, string(raw), a, a+rnd.IntN(len(raw)-a)); got.body != want.String() || !got.done {
			t.Fatalf("%q: %+v", raw, got)
		}
	}
}

func TestAppendChunkSize(t *testing.T) {
	f := func(n int, want string) {
		t.Helper()
		if got := AppendChunkSize([]byte("x"), n); string(got) != "x"+want {
			t.Errorf("%d: %q", n, got)
		}
	}
	f(1, "1\r\n")
	f(16384, "4000\r\n")
	f(0xabcdef, "abcdef\r\n")
}
