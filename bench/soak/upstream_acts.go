package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"
)

// acts are what an upstream can do, by the last word of the path. Each reports whether the
// connection goes on.
var acts = map[string]func(*service) bool{
	"answer":  (*service).answer,
	"hold":    (*service).hold,
	"socket":  (*service).socket,
	"cut":     (*service).cut,
	"refuse":  (*service).refuse,
	"garbage": (*service).garbage,
	"early":   (*service).early,
	"surplus": (*service).surplus,
	"stall":   (*service).stall,
}

// Ways to tell where an answer ends.
const (
	byLength = "length"
	byChunks = "chunked"
	byClose  = "close"
)

// uploadSeed is the seed of what is sent with the request of a mark.
func uploadSeed(mark uint64) uint64 { return ^mark }

// answer reads the upload and answers in full. On a fickle path it may close the
// connection behind that, as upstreams do: without a word.
func (s *service) answer() bool {
	if wrong := s.receive(); wrong != nil {
		fmt.Fprintf(s.conn, "HTTP/1.1 500 Corrupt\r\nContent-Length: 0\r\nConnection: close\r\nX-Fault: %s\r\n\r\n",
			strings.ReplaceAll(wrong.Error(), "\n", " "))
		return false
	}
	if !s.send(s.number("size")) || s.query.Get("framing") == byClose {
		return false
	}
	if !strings.HasPrefix(s.request.URL.Path, "/fickle/") {
		return true
	}
	switch s.draw(6) {
	case 0:
		return false
	case 1:
		time.Sleep(time.Duration(s.draw(20)) * time.Millisecond)
		return false
	case 2:
		time.Sleep(time.Duration(5+s.draw(20)) * time.Millisecond)
		reset(s.conn)
		return false
	}
	return true
}

// receive reads the upload at the pace that is asked for. The error says what is wrong
// with it.
func (s *service) receive() error {
	if strings.EqualFold(s.request.Header.Get("Expect"), "100-continue") {
		io.WriteString(s.conn, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	m := &matcher{pattern{seed: uploadSeed(s.mark)}}
	var from io.Reader = s.request.Body
	if pause := s.number("slow"); pause > 0 {
		from = &slowly{from, time.Duration(pause) * time.Millisecond, 20}
	}
	n, err := io.Copy(m, from)
	if err == nil && n != s.number("upload") {
		err = fmt.Errorf("%d bytes were uploaded, want %d", n, s.number("upload"))
	}
	return err
}

// head begins an answer of size bytes.
func (s *service) head(size int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 200 OK\r\nX-Mark: %d\r\nX-Seen-Form: %s\r\n", s.mark, s.request.Header.Get("X-Form"))
	switch s.query.Get("framing") {
	case byChunks:
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	case byClose:
		b.WriteString("Connection: close\r\n\r\n")
	default:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", size)
	}
	return b.String()
}

// send answers with a body of size bytes, at the pace that is asked for.
func (s *service) send(size int64) bool {
	if _, err := io.WriteString(s.to, s.head(size)); err != nil {
		return false
	}
	if s.request.Method == http.MethodHead {
		return true
	}
	if !s.body(size) {
		return false
	}
	if s.query.Get("framing") == byChunks {
		_, err := io.WriteString(s.to, "0\r\n\r\n")
		return err == nil
	}
	return true
}

// body sends size bytes of a body, without its end.
func (s *service) body(size int64) bool {
	to := s.to
	if s.query.Get("framing") == byChunks {
		to = httputil.NewChunkedWriter(s.to)
	}
	var from io.Reader = io.LimitReader(&pattern{seed: s.mark}, size)
	if pause := s.number("pause"); pause > 0 {
		from = &slowly{from, time.Duration(pause) * time.Millisecond, 20}
	}
	n, err := io.Copy(struct{ io.Writer }{to}, from)
	return err == nil && n == size
}

// hold begins an answer and waits until the other side has gone.
func (s *service) hold() bool {
	io.WriteString(s.conn, s.head(2)+"h")
	s.r.WriteTo(io.Discard)
	return false
}

// stall is hold after any number of bytes.
func (s *service) stall() bool {
	io.WriteString(s.conn, s.head(s.number("size")))
	s.body(s.number("at"))
	s.r.WriteTo(io.Discard)
	return false
}

// cut breaks off inside the body.
func (s *service) cut() bool {
	io.WriteString(s.conn, s.head(s.number("size")))
	s.body(s.number("at"))
	s.end()
	return false
}

// refuse takes the request and says nothing.
func (s *service) refuse() bool {
	s.end()
	return false
}

func (s *service) end() {
	if s.query.Get("end") == "reset" {
		reset(s.conn)
	}
}

// garbage answers with what is no answer, or with a head that does not end.
func (s *service) garbage() bool {
	texts := [...]string{
		"HTTP/1.1 2OO OK\r\n\r\n",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-Endless: ",
	}
	which := s.draw(len(texts))
	_, err := io.WriteString(s.conn, texts[which])
	for n := 0; which == len(texts)-1 && err == nil && n < 1000; n++ {
		_, err = io.WriteString(s.conn, strings.Repeat("x", 20_000))
	}
	leave(s.conn)
	return false
}

// early answers without a look at the upload.
func (s *service) early() bool {
	s.send(s.number("size"))
	leave(s.conn)
	return false
}

// surplus says more than its answer, in one piece: what came later could be the answer
// to the next request as well.
func (s *service) surplus() bool {
	all := &bytes.Buffer{}
	s.to = all
	s.send(s.number("size"))
	all.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Mark: 0\r\n\r\nbad")
	_, err := s.conn.Write(all.Bytes())
	return err == nil
}

// slowly reads in up to pieces pieces of varied size, with a pause before each; what is
// left then comes at once.
type slowly struct {
	io.Reader
	pause  time.Duration
	pieces int
}

func (s *slowly) Read(b []byte) (int, error) {
	if s.pieces > 0 {
		time.Sleep(s.pause)
		b = b[:min(len(b), 1+s.pieces*977)]
		s.pieces--
	}
	return s.Reader.Read(b)
}
