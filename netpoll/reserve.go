package netpoll

import "golang.org/x/sys/unix"

// reserve is one descriptor kept back for a dial when there is no other: a request that
// was accepted still gets its upstream connection while accepting waits.
type reserve struct {
	fd   int
	lent bool
}

func (r *reserve) open() {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1
	}
	r.fd = fd
	r.lent = fd < 0
}

// lend gives the descriptor up. It returns false when there is none.
func (r *reserve) lend() bool {
	if r.lent {
		return false
	}
	r.close()
	r.lent = true
	return true
}

// restore takes a descriptor again after one was lent.
func (r *reserve) restore() {
	if r.lent {
		r.open()
	}
}

func (r *reserve) close() {
	if r.fd >= 0 {
		closeFD(r.fd)
	}
	r.fd = -1
}
