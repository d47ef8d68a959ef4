package main

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// A relay moves what arrives on one side to the other. Each client has an upstream
// connection of its own.
type relay struct {
	poller   *netpoll.Poller
	listener int
	upstream unix.SockaddrInet4
	other    []int // by descriptor: the other side; 0 = none
	buffer   []byte
	requests atomic.Int64
	clients  []bool // by descriptor: a client's side
}

const descriptors = 1 << 14

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "IPv4 `address` to listen on")
	upstream := flag.String("upstream", "127.0.0.1:9000", "IPv4 `address` to relay to")
	flag.Parse()
	if err := run(*listen, *upstream); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(listen, upstream string) error {
	poller, err := netpoll.OpenPoller()
	if err != nil {
		return err
	}
	r := &relay{poller: poller, other: make([]int, descriptors), clients: make([]bool, descriptors), buffer: make([]byte, 64<<10)}
	if r.upstream, err = address(upstream); err != nil {
		return err
	}
	if err := r.listen(listen); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-stop
		r.tell()
		os.Exit(0)
	}()
	return poller.Polling(r.ready)
}

// tell prints the allocations for each request so far.
func (r *relay) tell() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n := r.requests.Load()
	fmt.Printf("requests %d mallocs %d mallocs/request %.4f\n", n, m.Mallocs, float64(m.Mallocs)/float64(max(n, 1)))
}

func address(text string) (unix.SockaddrInet4, error) {
	a, err := netip.ParseAddrPort(text)
	if err != nil || !a.Addr().Is4() {
		return unix.SockaddrInet4{}, fmt.Errorf("%q is no IPv4 address with port", text)
	}
	return unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}, nil
}

func (r *relay) listen(text string) error {
	at, err := address(text)
	if err != nil {
		return err
	}
	if r.listener, err = socket(); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(r.listener, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := unix.Bind(r.listener, &at); err != nil {
		return err
	}
	if err := unix.Listen(r.listener, 1024); err != nil {
		return err
	}
	return r.poller.AddRead(&netpoll.PollAttachment{FD: r.listener}, false)
}

func socket() (int, error) {
	return unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
}

// ready is the poller's report.
func (r *relay) ready(fd int, _ netpoll.IOEvent, _ netpoll.IOFlags) error {
	if fd == r.listener {
		return r.accept()
	}
	for r.other[fd] != 0 {
		n, err := unix.Read(fd, r.buffer)
		if err == unix.EAGAIN {
			return nil
		}
		if n <= 0 {
			r.end(fd)
			return nil
		}
		if r.clients[fd] {
			r.requests.Add(1)
		}
		if _, err := unix.Write(r.other[fd], r.buffer[:n]); err != nil {
			r.end(fd)
			return nil
		}
		if n < len(r.buffer) {
			return nil
		}
	}
	return nil
}

// accept takes one client and dials its upstream connection, which on this machine is
// there at once.
func (r *relay) accept() error {
	client, _, err := unix.Accept4(r.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil || client >= descriptors {
		return nil
	}
	up, err := socket()
	if err != nil || up >= descriptors {
		unix.Close(client)
		return nil
	}
	if err := unix.Connect(up, &r.upstream); err != nil && err != unix.EINPROGRESS {
		unix.Close(client)
		unix.Close(up)
		return nil
	}
	r.other[client], r.other[up], r.clients[client] = up, client, true
	for _, fd := range []int{client, up} {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		if err := r.poller.AddReadWrite(&netpoll.PollAttachment{FD: fd}, true); err != nil {
			return err
		}
	}
	return nil
}

func (r *relay) end(fd int) {
	other := r.other[fd]
	r.other[fd], r.other[other] = 0, 0
	r.clients[fd], r.clients[other] = false, false
	unix.Close(fd)
	unix.Close(other)
}
