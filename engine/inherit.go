package engine

import (
	"log/slog"
	"os"
	"slices"

	"millrace/engine/config"
	"millrace/netpoll"
)

// A PassedSocket is a listening socket that goes from one process to another.
type PassedSocket struct {
	Descriptor int    `json:"-"`
	Listener   string `json:"listener"`         // its address as configured; empty = that which the socket has
	Beacon     bool   `json:"beacon,omitempty"` // it is for announcements
	File       bool   `json:"file,omitempty"`   // the file of the unix socket goes with it, for whoever ends last
}

// An arrival is a socket that came with the process and that no listener uses yet.
type arrival struct {
	PassedSocket
	socket *netpoll.Socket
}

// inherit takes over the sockets that came with the process: their descriptors belong to the
// engine from then on, also when this fails.
func (e *Engine) inherit(passed []PassedSocket) error {
	var failed error
	for _, p := range passed {
		if p.Beacon {
			if err := e.beacons.inherit(p); err != nil {
				failed = err
			}
			continue
		}
		s, err := netpoll.Inherit(p.Descriptor)
		if err != nil {
			failed = err
			continue
		}
		e.inherited = append(e.inherited, arrival{p, s})
	}
	return failed
}

// dropInherited closes the sockets that no listener wanted.
func (e *Engine) dropInherited() {
	e.beacons.dropInherited()
	for _, a := range e.inherited {
		e.log.Warn("inherited socket not used", slog.String("address", a.socket.Addr().String()))
		a.socket.Close()
	}
	e.inherited = nil
}

// placeOf is where l listens, and which of the sockets that came with the process are for it:
// those that say so, else those that have its address.
func (e *Engine) placeOf(l *config.Listener) (addr netpoll.Addr, mine func(a arrival) bool, err error) {
	named := func(a arrival) bool { return a.Listener == l.Address.Text }
	if i := slices.IndexFunc(e.inherited, named); i >= 0 {
		return e.inherited[i].socket.Addr(), named, nil // a name, or port 0, may stand for another address by now
	}
	addr, err = listenAddr(&l.Address)
	return addr, func(a arrival) bool { return a.socket.Addr() == addr }, err
}

// takeInherited gives those of the sockets that came with the process that are mine.
func (e *Engine) takeInherited(mine func(a arrival) bool) []arrival {
	var taken []arrival
	e.inherited = slices.DeleteFunc(e.inherited, func(a arrival) bool {
		if !mine(a) {
			return false
		}
		taken = append(taken, a)
		return true
	})
	return taken
}

// inheritsPort reports whether a socket that came with the process has the port of addr.
func (e *Engine) inheritsPort(addr netpoll.Addr) bool {
	return slices.ContainsFunc(e.inherited, func(a arrival) bool { return samePort(a.socket.Addr(), addr) })
}

// useInherited makes s listen on sockets that came with the process. The kernel has queued
// connections on each of them, so none is closed. What came from a process before, with the
// file of a unix socket, is that one's until TakeOver.
func (e *Engine) useInherited(s *sockets, from []arrival) error {
	all := make([]*netpoll.Socket, len(from))
	for i := range from {
		all[i] = from[i].socket
	}
	err := s.spread(all, len(e.workers))
	if path := all[0].Addr().Unix; err == nil && path != "" && from[0].File {
		s.lent = &e.lent
		s.file, _ = os.Lstat(path) // if it is gone already, there is nothing to remove
	}
	return err
}

// spread gives each worker at least one of the sockets: several if there are more of them,
// another handle to one of them if there are less. With an error all are closed.
func (s *sockets) spread(all []*netpoll.Socket, workers int) error {
	s.distinct = len(all)
	s.each = make([][]*netpoll.Socket, workers)
	for i, socket := range all {
		s.each[i%workers] = append(s.each[i%workers], socket)
	}
	for i := len(all); i < workers; i++ {
		socket, err := all[i%len(all)].Dup()
		if err != nil {
			s.closeAll()
			return err
		}
		s.each[i] = append(s.each[i], socket)
	}
	return nil
}

// closeAll closes sockets that no loop has.
func (s *sockets) closeAll() {
	for _, own := range s.each {
		for _, socket := range own {
			socket.Close()
		}
	}
}
