package admin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"millrace/engine/stats"
)

// state is a State that a test sets.
type state func() (bool, string)

func (s state) Ready() (bool, string) { return s() }

func always() (bool, string) { return true, "" }

// listen returns a bound listener that does not serve yet.
func listen(t *testing.T, s state) *Listener {
	t.Helper()
	registry := stats.New(2)
	registry.Route("/", "web").Observe(1, 200, int64(time.Millisecond))
	l, err := Listen(Options{
		Address: "127.0.0.1:0",
		State:   s,
		Stats:   registry,
		Version: Version{Version: "1.2.3", Go: "go1.26", Commit: "abc", PID: 42},
		Log:     slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(l) })
	return l
}

// serve returns a listener that serves; what Serve returns is sent to the
// channel.
func serve(t *testing.T, s state) (*Listener, chan error) {
	t.Helper()
	l := listen(t, s)
	return l, start(l)
}

func start(l *Listener) chan error {
	ended := make(chan error, 1)
	go func() { ended <- l.Serve() }()
	return ended
}

// closeNow cuts everything.
func closeNow(l *Listener) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return l.Close(ctx)
}

func dial(t *testing.T, l *Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return c
}

// answer is a response that was read whole.
type answer struct {
	*http.Response
	text string
}

// ask sends the bytes of a request on a connection of its own and reads the
// response to it.
func ask(t *testing.T, l *Listener, method, request string) answer {
	t.Helper()
	c := dial(t, l)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	a, err := read(c, method)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return a
}

func read(c net.Conn, method string) (answer, error) {
	r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(r.Body)
	return answer{r, string(body)}, err
}

// line is a request without fields but Host.
func line(method, target string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
}

func TestAddressErrorsNameTheKey(t *testing.T) {
	taken := listen(t, always)
	f := func(address string, want error) {
		t.Helper()
		l, err := Listen(Options{Address: address, State: state(always), Stats: stats.New(1)})
		if err == nil {
			closeNow(l)
			t.Fatalf("%s can be bound", address)
		}
		if !strings.HasPrefix(err.Error(), "admin.address: ") || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
	}
	f(taken.Addr().String(), syscall.EADDRINUSE)
	f("127.0.0.1", nil)
	f("127.0.0.1:99999", nil)
	f("256.0.0.1:1", nil)
}

func TestConnectionsQueueUpBeforeServe(t *testing.T) {
	l := listen(t, always)
	c := dial(t, l)
	io.WriteString(c, line("GET", "/livez"))
	start(l)
	if a, err := read(c, "GET"); err != nil || a.StatusCode != 200 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestCloseFreesTheAddress(t *testing.T) {
	f := func(name string, l *Listener, ended chan error) {
		t.Helper()
		address := l.Addr().String()
		if err := l.Close(context.Background()); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
		if ended != nil {
			if err := <-ended; err != nil {
				t.Errorf("%s: Serve: %v", name, err)
			}
		}
		again, err := Listen(Options{Address: address, State: state(always), Stats: stats.New(1)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		closeNow(again)
	}
	f("not served", listen(t, always), nil)
	l, ended := serve(t, always)
	ask(t, l, "GET", line("GET", "/livez"))
	f("served", l, ended)
}

func TestServeAfterClose(t *testing.T) {
	l := listen(t, always)
	closeNow(l)
	if err := l.Serve(); err != nil {
		t.Errorf("Serve: %v, want none", err)
	}
}

// blocked is a state that lets a request hang until it is released.
func blocked() (s state, entered, release chan struct{}) {
	entered, release = make(chan struct{}), make(chan struct{})
	return func() (bool, string) {
		close(entered)
		<-release
		return true, ""
	}, entered, release
}

func TestCloseWaitsForRequests(t *testing.T) {
	s, entered, release := blocked()
	l, ended := serve(t, s)
	c := dial(t, l)
	io.WriteString(c, line("GET", "/readyz"))
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- l.Close(context.Background()) }()
	if err := <-ended; err != nil { // it has stopped listening
		t.Errorf("Serve: %v", err)
	}
	select {
	case err := <-closed:
		t.Errorf("Close returned %v while a request was in progress", err)
	default:
	}
	close(release)
	if a, err := read(c, "GET"); err != nil || a.text != "ok\n" {
		t.Errorf("%q, %v", a.text, err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestCloseCutsAtItsDeadline(t *testing.T) {
	s, entered, release := blocked()
	defer close(release)
	l, _ := serve(t, s)
	c := dial(t, l)
	io.WriteString(c, line("GET", "/readyz"))
	<-entered
	if err := closeNow(l); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v, want %v", err, context.Canceled)
	}
	if a, err := read(c, "GET"); err == nil {
		t.Errorf("the request was answered %d", a.StatusCode)
	}
}

func TestLimitsOfOneClient(t *testing.T) {
	l := listen(t, always)
	if l.http.ReadHeaderTimeout != 10*time.Second {
		t.Errorf("a head may take %v, want 10 s", l.http.ReadHeaderTimeout)
	}
	for name, d := range map[string]time.Duration{"read": l.http.ReadTimeout, "write": l.http.WriteTimeout, "idle": l.http.IdleTimeout} {
		if d <= 0 {
			t.Errorf("no %s timeout", name)
		}
	}
}

func TestSlowHeadIsCut(t *testing.T) {
	l := listen(t, always)
	l.http.ReadHeaderTimeout = 50 * time.Millisecond
	start(l)
	c := dial(t, l)
	io.WriteString(c, "GET /livez HTTP/1.1\r\nHost:")
	if n, err := io.Copy(io.Discard, c); err != nil || n > 200 {
		t.Errorf("%d bytes, %v; want the end of the connection", n, err)
	}
}

// logged serves, lets act do something and returns what the log says at the
// level of production.
func logged(t *testing.T, s state, act func(*Listener)) string {
	t.Helper()
	var log bytes.Buffer
	l, err := Listen(Options{
		Address: "127.0.0.1:0", State: s, Stats: stats.New(1),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := start(l)
	act(l)
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
	<-ended
	return log.String()
}

func TestErrorsOfClientsAreNoNews(t *testing.T) {
	said := logged(t, always, func(l *Listener) {
		for _, bytes := range []string{"garbage\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", line("GET", "/metrics")} {
			c := dial(t, l)
			io.WriteString(c, bytes)
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
			c.Close()
		}
	})
	if said != "" {
		t.Errorf("the log says %q", said)
	}
}

func TestFaultsOfOursAreNews(t *testing.T) {
	said := logged(t, func() (bool, string) { panic("odd") }, func(l *Listener) {
		c := dial(t, l)
		io.WriteString(c, line("GET", "/readyz"))
		io.Copy(io.Discard, c)
	})
	if !strings.Contains(said, "level=WARN") || !strings.Contains(said, "odd") {
		t.Errorf("the log says %q", said)
	}
}
