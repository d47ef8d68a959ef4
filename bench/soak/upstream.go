package main

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// serviceLimit bounds one request at an upstream, and how long a connection is idle there.
const serviceLimit = time.Minute

// An upstream serves what the query of each request tells it to, on Address.
type upstream struct {
	Address string
	Open    atomic.Int64 // connections

	listener net.Listener
	mu       sync.Mutex
	rng      *rand.Rand        // guarded by mu
	conns    map[net.Conn]bool // guarded by mu
}

func startUpstream(seed uint64) (*upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &upstream{
		Address:  l.Addr().String(),
		listener: l,
		rng:      rand.New(rand.NewPCG(seed, 1)),
		conns:    map[net.Conn]bool{},
	}
	go u.accept()
	return u, nil
}

// Stop closes the listener and every connection.
func (u *upstream) Stop() {
	u.listener.Close()
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.conns {
		c.Close()
	}
}

func (u *upstream) accept() {
	for {
		c, err := u.listener.Accept()
		if err != nil {
			return
		}
		u.Open.Add(1)
		u.mu.Lock()
		u.conns[c] = true
		u.mu.Unlock()
		go u.serve(c.(*net.TCPConn))
	}
}

// draw returns a number below n.
func (u *upstream) draw(n int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rng.IntN(n)
}

func (u *upstream) serve(c *net.TCPConn) {
	defer func() {
		c.Close()
		u.mu.Lock()
		delete(u.conns, c)
		u.mu.Unlock()
		u.Open.Add(-1)
	}()
	r := bufio.NewReader(c)
	for {
		c.SetDeadline(time.Now().Add(serviceLimit))
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		s := &service{upstream: u, conn: c, to: c, r: r, request: request, query: request.URL.Query()}
		s.mark, _ = strconv.ParseUint(request.Header.Get("X-Mark"), 10, 64)
		act := acts[path.Base(request.URL.Path)]
		if act == nil || !act(s) {
			return
		}
	}
}

// A service is one request at an upstream.
type service struct {
	*upstream
	conn    *net.TCPConn
	to      io.Writer // for answers: conn, unless they are gathered
	r       *bufio.Reader
	request *http.Request
	query   url.Values
	mark    uint64 // of the request, and the seed of its answer
}

// number returns a number of the query; 0 if it is not there.
func (s *service) number(name string) int64 {
	n, _ := strconv.ParseInt(s.query.Get(name), 10, 64)
	return n
}

// reset closes the connection in a way that the other side sees as a reset.
func reset(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}

// leave closes the connection so that what was sent still arrives, whatever is on its way
// here.
func leave(c *net.TCPConn) {
	c.CloseWrite()
	var rest [4096]byte
	for {
		if _, err := c.Read(rest[:]); err != nil {
			return
		}
	}
}
