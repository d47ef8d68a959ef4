package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// visitLimit bounds everything that one visit does. What takes longer hangs.
const visitLimit = time.Minute

// A place is where clients go.
type place struct {
	Address string
	Extra   string // a listener that is there in one form of the configuration; "" = none
	Forms   bool   // answers say by which form of the configuration they came
	marks   atomic.Uint64
	whole   atomic.Int64 // answers that were read to their end and compared
}

// A visit is what one client does from its first connection to its last.
type visit struct {
	*place
	rng *rand.Rand
}

// A client is one connection of a visit.
type client struct {
	*net.TCPConn
	v *visit
	r *bufio.Reader
}

func (v *visit) dial() (*client, error) { return v.dialTo(v.Address) }

func (v *visit) dialTo(address string) (*client, error) {
	c, err := net.DialTimeout("tcp", address, visitLimit)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(visitLimit))
	return &client{c.(*net.TCPConn), v, bufio.NewReader(c)}, nil
}

// A call is one request and what its answer must be.
type call struct {
	Method  string
	Path    string
	Query   string // more of it
	Framing string // of the answer
	Size    int64  // of the answer
	Upload  int64
	Chunked bool // the upload
	Expect  bool // 100-continue
	Mark    uint64
}

// newCall is a GET of the path with an answer of up to size bytes.
func (v *visit) newCall(path string, size int64) call {
	framings := [...]string{byLength, byLength, byChunks, byChunks, byClose}
	return call{Method: http.MethodGet, Path: path, Framing: framings[v.rng.IntN(len(framings))],
		Size: v.rng.Int64N(size + 1), Mark: v.marks.Add(1)}
}

// head renders the head of the request.
func (k *call) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s?size=%d&framing=%s&upload=%d%s HTTP/1.1\r\nHost: soak.example\r\nX-Mark: %d\r\n",
		k.Method, k.Path, k.Size, k.Framing, k.Upload, k.Query, k.Mark)
	switch {
	case k.Chunked:
		b.WriteString("Transfer-Encoding: chunked\r\n")
	case k.Upload > 0:
		fmt.Fprintf(&b, "Content-Length: %d\r\n", k.Upload)
	}
	if k.Expect {
		b.WriteString("Expect: 100-continue\r\n")
	}
	return b.String() + "\r\n"
}

// send writes a request without an upload.
func (c *client) send(k call) error {
	_, err := io.WriteString(c, k.head())
	return err
}

// do sends a request without an upload and reads its answer.
func (c *client) do(k call) (goesOn bool, err error) {
	if err := c.send(k); err != nil {
		return false, err
	}
	return c.receive(k, nil)
}

// receive reads the answer to k and compares it. through, if not nil, sets the pace of
// the body. goesOn reports whether the connection may be used again.
func (c *client) receive(k call, through func(io.Reader) io.Reader) (goesOn bool, err error) {
	r, err := c.final(k.Method)
	if err != nil {
		return false, err
	}
	if r.StatusCode != http.StatusOK {
		return false, fault("%s %s: status %d %s", k.Method, k.Path, r.StatusCode, r.Header.Get("X-Fault"))
	}
	return !r.Close, c.compare(k, r, through)
}

// final reads the head of the answer behind interim ones.
func (c *client) final(method string) (*http.Response, error) {
	for {
		r, err := http.ReadResponse(c.r, &http.Request{Method: method})
		if err != nil || r.StatusCode >= 200 || r.StatusCode == http.StatusSwitchingProtocols {
			return r, err
		}
	}
}

// compare reads the body of r and fails unless all of it is what k asked for.
func (c *client) compare(k call, r *http.Response, through func(io.Reader) io.Reader) error {
	if got := r.Header.Get("X-Mark"); got != strconv.FormatUint(k.Mark, 10) {
		return fault("%s %s %d: the answer is that of %q", k.Method, k.Path, k.Mark, got)
	}
	form := r.Header.Get("X-Form")
	if seen := r.Header.Get("X-Seen-Form"); c.v.Forms && (form != seen || form != formA && form != formB) {
		return fault("%s %s %d: by form %q there and %q back", k.Method, k.Path, k.Mark, seen, form)
	}
	size := k.Size
	if k.Method == http.MethodHead {
		size = 0
	}
	var body io.Reader = r.Body
	if through != nil {
		body = through(body)
	}
	text := &matched{body: matcher{pattern{seed: k.Mark}}}
	n, err := io.Copy(text, body)
	switch {
	case text.err != nil:
		return fault("%s %s %d: %v", k.Method, k.Path, k.Mark, text.err)
	case err != nil:
		return err
	case n != size:
		return fault("%s %s %d: %d bytes, want %d", k.Method, k.Path, k.Mark, n, size)
	}
	c.v.whole.Add(1)
	return nil
}

// A matched writer remembers what was wrong, apart from errors of the reader.
type matched struct {
	body matcher
	err  error
}

func (m *matched) Write(b []byte) (int, error) {
	n, err := m.body.Write(b)
	m.err = err
	return n, err
}

// refused reads an answer that tells of a failure, whole, or a broken connection.
func (c *client) refused() error {
	r, err := c.final(http.MethodGet)
	if err != nil {
		return excused(err)
	}
	if r.StatusCode < 500 || r.StatusCode > 504 {
		return fault("status %d where the upstream failed", r.StatusCode)
	}
	_, err = io.Copy(io.Discard, r.Body)
	return excused(err)
}

// ends fails unless the connection ends here.
func (c *client) ends() error {
	b, err := c.r.ReadByte()
	if err == nil {
		return fault("byte %#02x where the connection should have ended", b)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return excused(err)
}
