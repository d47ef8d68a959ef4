package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/signal"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// echoOptions says how the echo upstream answers. The zero value describes
// each request back to its sender, at once, with status 200.
type echoOptions struct {
	Latency time.Duration // waited after the request was read
	Body    []byte        // answered instead of the description; nil = describe
	Status  int           // 200 to 599; 0 = 200
}

// runEcho is the verb "echo": it serves an echo upstream until SIGINT or
// SIGTERM and returns the exit code.
func runEcho(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("echo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", ":8001", "`address` to listen on")
	var o echoOptions
	flags.DurationVar(&o.Latency, "latency", 0, "wait this long before each answer")
	flags.IntVar(&o.Status, "status", http.StatusOK, "answer with this status")
	flags.Func("size", "answer with a body of this many bytes (\"512\", \"1KiB\") instead of the request's description", func(s string) error {
		n, err := parseSize(s)
		o.Body = fill(n)
		return err
	})
	if code, done := parseFlags(flags, args); done {
		return code
	}
	if o.Status < 200 || o.Status > 599 || o.Latency < 0 {
		fmt.Fprintln(stderr, "echo: -status must be 200 to 599 and -latency not negative")
		return 2
	}
	addr, stop, err := startEcho(*listen, o)
	if err != nil {
		fmt.Fprintf(stderr, "echo: %v\n", err)
		return 1
	}
	defer stop()
	fmt.Fprintf(stdout, "echo upstream on http://%s\n", addr)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	<-ctx.Done()
	return 0
}

// startEcho serves an echo upstream in the background. addr is where it
// listens, with the port chosen if listen ends in ":0". stop ends it: requests
// in flight get a second to finish.
func startEcho(listen string, o echoOptions) (addr string, stop func(), err error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", nil, err
	}
	addr = l.Addr().String()
	s := &http.Server{
		Handler:           echoHandler{o, addr},
		ReadHeaderTimeout: 10 * time.Second,
	}
	go s.Serve(l)
	return addr, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
	}, nil
}

// An echoHandler answers every request. It holds nothing that changes.
type echoHandler struct {
	echoOptions
	addr string
}

// An echo describes one request.
type echo struct {
	Method    string              `json:"method"`
	Path      string              `json:"path"` // the target as it came, with the query
	Protocol  string              `json:"protocol"`
	Host      string              `json:"host"`
	Headers   map[string][]string `json:"headers"`
	BodyBytes int64               `json:"body_bytes"`
	Upstream  string              `json:"upstream"` // where this echo listens
}

func (h echoHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the upload is broken: no answer would be true
	}
	if !pause(r.Context(), h.Latency) {
		return
	}
	body, kind := h.Body, "application/octet-stream"
	if body == nil {
		body, kind = describe(r, n, h.addr)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if h.Status != 0 {
		w.WriteHeader(h.Status)
	}
	w.Write(body) // refused for HEAD and 204, which is right
}

// pause waits for d and reports whether the client is still there.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// describe renders r, whose body had n bytes: as JSON if the client asks for
// it, else as text.
func describe(r *http.Request, n int64, addr string) (body []byte, kind string) {
	e := echo{r.Method, r.RequestURI, r.Proto, r.Host, r.Header, n, addr}
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		body, _ = json.MarshalIndent(e, "", "  ") // strings and numbers only: cannot fail
		return append(body, '\n'), "application/json"
	}
	return e.text(), "text/plain; charset=utf-8"
}

// text renders e like the request that it describes.
func (e echo) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\nHost: %s\n", e.Method, e.Path, e.Protocol, e.Host)
	names := make([]string, 0, len(e.Headers))
	for name := range e.Headers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, value := range e.Headers[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	fmt.Fprintf(&b, "\nbody: %d bytes\nanswered by: %s\n", e.BodyBytes, e.Upstream)
	return b.Bytes()
}

// parseSize reads a number of bytes: digits, then nothing, KiB or MiB.
// At most 1 GiB, since the answer is held in memory.
func parseSize(s string) (int, error) {
	digits, shift := s, 0
	if d, ok := strings.CutSuffix(s, "KiB"); ok {
		digits, shift = d, 10
	} else if d, ok := strings.CutSuffix(s, "MiB"); ok {
		digits, shift = d, 20
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || n<<shift > 1<<30 {
		return 0, errors.New("want bytes, as 512, 1KiB or 10MiB, at most 1024MiB")
	}
	return int(n << shift), nil
}

// fill returns n bytes of text in lines.
func fill(n int) []byte {
	const line = "0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQ\n"
	return bytes.Repeat([]byte(line), n/len(line)+1)[:n]
}
