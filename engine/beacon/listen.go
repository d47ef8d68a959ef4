package beacon

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// Run receives until ctx ends, and closes its socket. It may be called again after that. A socket that
// cannot be opened is tried again after 30 s, then after twice as long each time up to
// 10 min.
//
// Members stay as they are when it ends.
func (r *Receiver) Run(ctx context.Context) {
	if r.cluster == nil {
		r.log.Warn("no cluster for announcements: they are logged only", "listen", r.listen)
	}
	var failures backoff
	for ctx.Err() == nil {
		s, counted, err := r.nextSocket(ctx)
		if err != nil {
			if ctx.Err() == nil {
				r.log.Error("bind to "+r.listen+" failed", "error.message", err.Error())
				pause(ctx, failures.next())
			}
			continue
		}
		failures = 0
		r.log.Info("listening for beacons on " + r.listen)
		err = r.serve(ctx, s, counted)
		if err == nil && r.keeps.Load() {
			r.opened = s
			return
		}
		r.use(nil)
		s.Close()
		if err != nil {
			r.log.Warn("recvfrom failed", "listen", r.listen, "error.message", err.Error())
			pause(ctx, time.Second)
		}
	}
	r.Close()
}

// Keep says whether the socket stays open when Run ends, so that announcements wait in it for
// another Run, here or in the process that follows. Then Close must follow, or a Run that ends
// without.
func (r *Receiver) Keep(keep bool) { r.keeps.Store(keep) }

// Close closes a socket that no Run uses: one that was kept or opened ahead, or that was
// inherited. It must not be called while Run runs.
func (r *Receiver) Close() {
	if r.inherited != nil {
		_ = r.inherited.Close()
	}
	if r.opened != nil {
		r.use(nil)
		_ = r.opened.Close()
	}
	r.inherited, r.opened = nil, nil
}

// Open binds the socket ahead of Run, which must follow: announcements wait in it from then
// on. After an error Run tries again. It is called once at most.
func (r *Receiver) Open(ctx context.Context) error {
	if r.inherited != nil {
		return nil
	}
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	r.opened = s
	r.hearAgain(r.now())
	return nil
}

// nextSocket takes the socket that is there already, if there still is one, else opens one.
func (r *Receiver) nextSocket(ctx context.Context) (socket, losses, error) {
	if conn := r.inherited; conn != nil {
		r.inherited = nil
		return newUDPSocket(r.use(conn)), losses{}, nil
	}
	if s := r.opened; s != nil {
		r.opened = nil
		return s, losses{known: true}, nil
	}
	s, err := r.open(ctx)
	r.hearAgain(r.now())
	return s, losses{known: true}, err
}

// serve reads until ctx ends, which is no error.
func (r *Receiver) serve(ctx context.Context, s socket, counted losses) error {
	defer context.AfterFunc(ctx, func() { _ = s.SetReadDeadline(time.Unix(1, 0)) })()
	b := make([]byte, maxDatagram+1) // one more shows that it is too long
	now := r.now()
	due := now.Add(sweepInterval) // what waits in the socket is heard first
	if err := s.SetReadDeadline(due); err != nil {
		return err
	}
	for {
		if !now.Before(due) {
			r.sweep(now)
			due = now.Add(sweepInterval)
			if err := s.SetReadDeadline(due); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		n, count, err := s.read(b)
		now = r.now()
		switch {
		case err == nil:
			if lost := counted.since(count); lost > 0 {
				r.lost(lost, now)
			}
			r.receive(b[:n], now)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
	}
}

// use makes conn the current socket, or none, and returns it.
func (r *Receiver) use(conn *net.UDPConn) *net.UDPConn {
	r.mu.Lock()
	r.conn = conn
	r.mu.Unlock()
	return conn
}

// Addr returns the address that is bound, nil while there is none.
func (r *Receiver) Addr() net.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn == nil {
		return nil
	}
	return r.conn.LocalAddr()
}

// File returns a copy of the socket for the process that follows, nil while there is none.
// The caller closes it. Datagrams that come after Run has ended wait in it.
func (r *Receiver) File() (*os.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn == nil {
		return nil, nil
	}
	return r.conn.File()
}
