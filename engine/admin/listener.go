package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"millrace/engine/stats"
)

// What one client may take. Requests are small; only the answer to a scrape
// may be long.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second // head and body
	writeTimeout  = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
	headBytes     = 32 << 10
	bodyBytes     = 64 << 10
)

// State tells whether the process takes new requests.
type State interface {
	// Ready is true once every listener is bound and until the process begins
	// to drain; why is the reason if not, in a word or two. It is called by
	// several goroutines at once.
	Ready() (ok bool, why string)
}

// Version tells which program answers.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Commit  string `json:"commit"`
	PID     int    `json:"pid"`
}

// Options are what a Listener needs; State and Stats must be set. Without a View
// the API shows nothing, without a Control it changes nothing: the paths do not
// exist.
type Options struct {
	Address string // host:port
	State   State
	Stats   *stats.Registry
	Version Version
	View    View
	Control Control
	// Token returns the bearer token that is needed for changes, empty if there
	// is none: then only this machine may change anything. It is called for each
	// request, by several goroutines at once. nil stands for none.
	Token func() string
	// Socket is one that listens on Address already, of a process before; nil = it is opened.
	Socket net.Listener
	// Before is the listener that this one follows, and Share lets another socket have
	// the address of one: together they let a listener move to another address of the
	// same port. nil stands for none.
	Before *Listener
	Share  func(c syscall.RawConn) error
	Log    *slog.Logger // slog.Default() if nil
}

// A Listener serves operators.
type Listener struct {
	socket  net.Listener
	http    http.Server
	serving atomic.Bool   // Serve was called
	closing atomic.Bool   // Close was called
	served  chan struct{} // closed when Serve has returned
	from    *visitors
}

// Listen binds the address. Connections queue up until Serve is called. The
// error names the key of the configuration.
func Listen(o Options) (*Listener, error) {
	socket, err := bind(o)
	if err != nil {
		return nil, fmt.Errorf("admin.address: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	v := &visitors{open: make(map[net.Conn]uint64)}
	l := &Listener{socket: socket, served: make(chan struct{}), from: v}
	h := newHandler(o)
	h.from = v
	l.http = http.Server{
		Handler:                      h,
		ConnContext:                  v.known,
		ConnState:                    v.follow,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headBytes,
		ErrorLog:                     slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		Protocols:                    new(http.Protocols),
	}
	l.http.Protocols.SetHTTP1(true)
	return l, nil
}

// bind opens the socket of a Listener.
func bind(o Options) (net.Listener, error) {
	if o.Socket != nil {
		return o.Socket, nil
	}
	socket, err := net.Listen("tcp", o.Address)
	if !errors.Is(err, syscall.EADDRINUSE) || o.Before == nil || o.Share == nil {
		return socket, err
	}
	raw, failed := o.Before.SyscallConn()
	if failed == nil {
		failed = o.Share(raw)
	}
	if failed != nil {
		return nil, err
	}
	shared := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return o.Share(c) }}
	return shared.Listen(context.Background(), "tcp", o.Address)
}

// Addr is the bound address; a port 0 in the options is resolved.
func (l *Listener) Addr() net.Addr { return l.socket.Addr() }

// SyscallConn gives access to the socket.
func (l *Listener) SyscallConn() (syscall.RawConn, error) {
	socket, ok := l.socket.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return socket.SyscallConn()
}

// Serve answers requests until Close, and then returns nil. It is called once.
func (l *Listener) Serve() error {
	l.serving.Store(true)
	defer close(l.served)
	if err := l.http.Serve(l.socket); !l.closing.Load() {
		return fmt.Errorf("admin: %w", err)
	}
	return nil
}

// Close stops listening, waits for requests as long as ctx allows, and then cuts what is
// left. The error is that of ctx if it came to that. Who has connected already is answered:
// http.Server.Shutdown would turn away a request that arrives behind its beginning.
func (l *Listener) Close(ctx context.Context) error {
	l.closing.Store(true)
	l.socket.Close()
	if l.serving.Load() {
		<-l.served // who was accepted is among the visitors from here on
	}
	l.http.SetKeepAlivesEnabled(false) // idle connections end, others with their answers
	err := l.await(ctx)
	l.http.Close()
	return err
}

// await returns when there is no connection any more, or the error of ctx.
func (l *Listener) await(ctx context.Context) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for l.from.count() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
