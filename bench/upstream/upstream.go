package upstream

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
)

// largeBytes is the size of the answer to /large.
const largeBytes = 10_000_000

// small is the answer to everything else: 66 bytes.
var small = strings.Repeat("0123456789", 6) + "abcde\n"

// An Upstream listens on Address, on loopback, until Stop.
type Upstream struct {
	Address string
	Stop    func()
}

// BuiltIn serves from this very process, with net/http. It reads uploads to
// their end before it answers.
func BuiltIn() (*Upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: handler()}
	go s.Serve(l)
	return &Upstream{l.Addr().String(), func() { s.Close() }}, nil
}

func handler() http.Handler {
	large := bytes.Repeat([]byte(small), largeBytes/len(small)+1)[:largeBytes]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/large" {
			w.Write(large)
			return
		}
		io.WriteString(w, small)
	})
}
