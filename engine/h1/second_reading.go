package h1

import (
	"bufio"
	"bytes"

	"github.com/valyala/fasthttp"
)

// A secondReading reads request heads with fasthttp, to find those that can be
// read in two ways.
//
// The header is used with special headers on: without them it does not see a
// Host line in lower case. Names are normalised for HTTP/1.0 alone: there it
// would not see a connection: keep-alive in lower case, elsewhere that only
// takes time (BenchmarkParseRequest).
type secondReading struct {
	header fasthttp.RequestHeader
	source bytes.Reader
	reader *bufio.Reader // as large as the largest head so far
	copied []byte        // cleaned head, if one was needed
}

// confirm requires that fasthttp finds in the head of r what r says.
func (s *secondReading) confirm(r *Request, found *scan) *Error {
	if r.Minor == 0 {
		s.header.EnableNormalizing()
	} else {
		s.header.DisableNormalizing()
	}
	if s.read(s.acceptable(r, found)) != nil {
		return errReadings
	}
	h := &s.header
	length := int64(h.ContentLength()) // -1 chunked, -2 none
	switch {
	case string(h.Method()) != string(r.Method),
		string(h.RequestURI()) != string(r.Target),
		h.IsHTTP11() != (r.Minor == 1),
		(length == -1) != (r.Body == BodyChunked),
		(length >= 0) != (r.Body == BodyLength),
		length >= 0 && length != r.Length:
		return errReadings
	}
	if i := r.Find(FieldHost); r.Form != AbsoluteForm && i >= 0 && !bytes.Equal(h.Host(), r.Value(i)) {
		return errReadings
	}
	return confirmClose(r, h.ConnectionClose())
}

// confirmClose compares what both readings say about the connection. fasthttp
// sees only the first Connection line of an HTTP/1.0 request; closing a
// connection that could go on harms nobody.
func confirmClose(r *Request, closes bool) *Error {
	switch {
	case closes == r.Close:
		return nil
	case closes && r.Minor == 0:
		r.Close, r.KeepAlive10 = true, false
		return nil
	}
	return errReadings
}

// read lets fasthttp parse head.
func (s *secondReading) read(head []byte) error {
	if s.reader == nil || s.reader.Size() < len(head) {
		s.reader = bufio.NewReaderSize(&s.source, readerSize(len(head)))
	}
	s.source.Reset(head)
	s.reader.Reset(&s.source)
	return s.header.Read(s.reader)
}

// readerSize rounds n up, so that the buffer seldom grows.
func readerSize(n int) int {
	size := 4 << 10
	for size < n {
		size *= 2
	}
	return size
}

// acceptable returns the head of r, or a copy without what fasthttp refuses
// though the RFC allows it: Trailer, if it names a framing field, and a Host
// without a value that does not count beside an absolute-form target.
func (s *secondReading) acceptable(r *Request, found *scan) []byte {
	emptyHost := r.Form == AbsoluteForm && found.seen.has(FieldHost) && len(r.Value(r.Find(FieldHost))) == 0
	if !emptyHost && !found.seen.has(FieldTrailer) {
		return r.Raw
	}
	lines := len(r.Raw) - 2
	if len(r.Fields) > 0 {
		lines = int(r.Fields[0].Start)
	}
	b := append(s.copied[:0], r.Raw[:lines]...)
	for i := range r.Fields {
		switch id := r.Fields[i].ID; {
		case id == FieldTrailer:
		case id == FieldHost && emptyHost:
			b = append(b, "Host: "...)
			b = append(b, r.Host...)
			b = append(b, '\r', '\n')
		default:
			b = append(b, r.Line(i)...)
		}
	}
	s.copied = append(b, '\r', '\n')
	return s.copied
}
