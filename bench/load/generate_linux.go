package main

import (
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
	var to unix.Sockaddr
	if v4 := target.IP.To4(); v4 != nil {
		to = &unix.SockaddrInet4{Port: target.Port, Addr: [4]byte(v4)}
	} else {
		to = &unix.SockaddrInet6{Port: target.Port, Addr: [16]byte(target.IP.To16())}
	}
	runtime.GOMAXPROCS(o.Threads + 1)

	threads := make([]*thread, o.Threads)
	for i := range threads {
		if threads[i], err = newThread(o, to, i); err != nil {
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

// share returns part i of n divided into equal parts, the remainder spread
// over the first ones.
func share(n, parts, i int64) int64 {
	if i < n%parts {
		return n/parts + 1
	}
	return n / parts
}
