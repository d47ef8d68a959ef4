package engine

import (
	"errors"
	"syscall"

	"millrace/netpoll"
)

// next is the address to dial. Which one it is of an endpoint that has several, turn says.
func (ep *endpoint) next(turn uint32) netpoll.Addr {
	if n := len(ep.alternates); n > 0 {
		return ep.alternates[int(turn)%n]
	}
	return ep.address
}

// again goes on with the next address of an endpoint that has several, after err at the one
// before: with what is left of the time, and each address once. All connections begin there
// from now on.
func (d *dialling) again(err error) bool {
	x := d.x
	ep := x.ep
	if len(ep.alternates) == 0 || isShortage(err) && !errors.Is(err, syscall.EADDRNOTAVAIL) {
		return false // a machine without IPv6 has no address to come from either
	}
	ep.state.turn.CompareAndSwap(d.turn, d.turn+1)
	d.turn++
	if d.failures++; d.failures >= len(ep.alternates) {
		return false
	}
	left := int64(0) // no limit
	if ep.connectTimeout > 0 {
		if left = ep.connectTimeout - (x.w.loop.Now() - d.at); left <= 0 {
			return false
		}
	}
	d.dial = x.w.loop.Dial(ep.next(d.turn), asDuration(left), d)
	return true
}
