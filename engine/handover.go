package engine

import (
	"cmp"
	"slices"
	"syscall"

	"millrace/netpoll"
)

// PassSockets returns handles to the listening sockets, for a process that follows: those of one
// listener in the order of the workers. The caller owns the descriptors, which close on exec.
// It fails once the engine drains. The listeners must stay as they are until the successor serves
// or is given up: no Reload.
func (e *Engine) PassSockets() ([]PassedSocket, error) {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	all, err := e.beacons.passSockets()
	if err != nil {
		ClosePassed(all)
		return nil, err
	}
	for _, s := range e.open {
		for _, w := range e.workers[:min(s.distinct, len(e.workers))] {
			own, err := w.askForSockets(s)
			all = append(all, own...)
			if err != nil {
				ClosePassed(all)
				return nil, err
			}
		}
	}
	slices.SortStableFunc(all, func(a, b PassedSocket) int { return cmp.Compare(a.Listener, b.Listener) })
	return all, nil
}

// askForSockets has w duplicate its sockets of s on its loop, where nobody else closes them.
func (w *worker) askForSockets(s *sockets) (all []PassedSocket, err error) {
	done := make(chan struct{})
	posted := w.loop.Post(func() {
		all, err = w.passSockets(s)
		close(done)
	})
	if posted != nil {
		return nil, ErrDraining
	}
	<-done
	return all, err
}

func (w *worker) passSockets(s *sockets) ([]PassedSocket, error) {
	if w.draining {
		return nil, ErrDraining
	}
	var all []PassedSocket
	for _, l := range w.listeners {
		if l.sockets != s {
			continue
		}
		own, err := l.on.Dup()
		if err != nil {
			return all, err
		}
		all = append(all, PassedSocket{Descriptor: own.Descriptor(), Listener: s.key, File: s.hasFile()})
	}
	return all, nil
}

// ClosePassed closes handles of PassSockets.
func ClosePassed(all []PassedSocket) {
	for _, p := range all {
		_ = syscall.Close(p.Descriptor) // it is gone either way
	}
}

// PassAddress is another handle to the socket of c, for a process that follows. The caller owns
// the descriptor, which closes on exec. The operators' listener goes on that way.
func PassAddress(c syscall.RawConn) (int, error) { return netpoll.DupDescriptor(c) }

// HandOver leaves what outlives this process to its successor: the files of unix listeners. Drain
// and Stop follow.
func (e *Engine) HandOver() { e.handedOver.Store(true) }

// TakeOver makes what the process before left behind the engine's: the files of unix listeners,
// which it removes at its end from then on.
func (e *Engine) TakeOver() { e.lent.Store(false) }
