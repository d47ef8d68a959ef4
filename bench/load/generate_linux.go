package main

import (
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// generate runs the load that o describes and returns what all threads
// counted together.
func generate(o *options) (*result, error) {
	target, err := o.address()
	if err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(o.Threads + 1)

	threads := make([]*thread, o.Threads)
	for i := range threads {
		if threads[i], err = newThread(o, sockaddr(target), i); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	done := make(chan *result)
	for _, t := range threads {
		go func() { done <- t.run(start) }()
	}
	sum := new(result)
	for range threads {
		sum.merge(<-done)
	}
	return sum, nil
}

// sockaddr returns a new address each time: x/sys writes into the one that it
// is given, so threads cannot share it.
func sockaddr(target *net.TCPAddr) unix.Sockaddr {
	if v4 := target.IP.To4(); v4 != nil {
		return &unix.SockaddrInet4{Port: target.Port, Addr: [4]byte(v4)}
	}
	return &unix.SockaddrInet6{Port: target.Port, Addr: [16]byte(target.IP.To16())}
}

// share returns part i of n divided into equal parts, the remainder spread
// over the first ones.
func share(n, parts, i int64) int64 {
	if i < n%parts {
		return n/parts + 1
	}
	return n / parts
}
