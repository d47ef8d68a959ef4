package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// An echo is an upstream that answers every request with its target, and keeps what it
// saw. It reads as strictly as it can: what it cannot read fails the test.
type echo struct {
	*upstream
	mu       sync.Mutex
	requests []received
}

// A received request is as an upstream read it.
type received struct{ line, head, body string }

// newEcho starts an echo.
func newEcho(t *testing.T) *echo {
	e := &echo{upstream: listen(t)}
	e.serve(func(w *wire) {
		for e.answer(w) {
			continue
		}
	})
	return e
}

// answer reads one request and answers it. It returns false at the end.
func (e *echo) answer(w *wire) bool {
	head, err := w.readHead()
	if err != nil {
		return false // requests that break off are told apart by what was kept
	}
	line, _, _ := strings.Cut(head, "\r\n")
	body, err := w.readBody(head)
	if err != nil {
		return false
	}
	e.mu.Lock()
	e.requests = append(e.requests, received{line, head, body})
	e.mu.Unlock()
	target := strings.Fields(line)[1]
	if strings.HasPrefix(line, "HEAD ") {
		_, err = fmt.Fprintf(w.conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(target))
	} else {
		_, err = io.WriteString(w.conn, ok(target))
	}
	return err == nil
}

// seen returns what was received since it was called last.
func (e *echo) seen() []received {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.requests
	e.requests = nil
	return all
}

// field is the value of a field of a head, all of its lines joined by a bar.
func field(head, name string) string {
	var values []string
	for line := range strings.SplitSeq(head, "\r\n") {
		if n, v, ok := strings.Cut(line, ":"); ok && strings.EqualFold(n, name) {
			values = append(values, strings.Trim(v, " \t"))
		}
	}
	return strings.Join(values, "|")
}

// readBody reads the body that head announces. For any goroutine.
func (w *wire) readBody(head string) (string, error) {
	length, coding := field(head, "Content-Length"), field(head, "Transfer-Encoding")
	switch {
	case length == "" && coding == "":
		return "", nil
	case coding == "chunked" && length == "":
		return w.readChunks()
	case coding != "":
		err := fmt.Errorf("%s: framed by %q and %q", w.name, length, coding)
		w.t.Error(err)
		return "", err
	}
	n, err := strconv.Atoi(length)
	if err != nil {
		w.t.Errorf("%s: Content-Length %q", w.name, length)
		return "", err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(w.conn, b)
	return string(b), err
}

// readChunks reads a chunked body without trailers. For any goroutine.
func (w *wire) readChunks() (string, error) {
	var body bytes.Buffer
	for {
		line, err := w.readLine()
		if err != nil {
			return "", err
		}
		n, err := strconv.ParseUint(line, 16, 31)
		if err != nil {
			w.t.Errorf("%s: chunk size %q", w.name, line)
			return "", err
		}
		if _, err := io.CopyN(&body, w.conn, int64(n)); err != nil {
			return "", err
		}
		if end, err := w.readLine(); err != nil || end != "" {
			w.t.Errorf("%s: %q behind a chunk, %v", w.name, end, err)
			return "", io.ErrUnexpectedEOF
		}
		if n == 0 {
			return body.String(), nil
		}
	}
}

// readLine reads a line that ends in CRLF. For any goroutine.
func (w *wire) readLine() (string, error) {
	var line []byte
	for b := make([]byte, 1); !bytes.HasSuffix(line, []byte("\r\n")); {
		n, err := w.conn.Read(b)
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), err
		}
	}
	return string(line[:len(line)-2]), nil
}
