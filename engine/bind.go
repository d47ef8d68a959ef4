package engine

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// resolveTimeout bounds the look-up of one name at start.
const resolveTimeout = 5 * time.Second

// sockets are the bound sockets of one configured listener.
type sockets struct {
	key      string              // the address as configured
	id       int                 // of the listener in route tables
	each     [][]*netpoll.Socket // by worker; none has no socket
	distinct int                 // how many sockets there are, each with the worker of its number first
	stats    *stats.Listener
	file     fs.FileInfo  // of a unix socket, as it was made; nil = it is not ours
	lent     *atomic.Bool // the file is another process's still; nil = it is not
}

// address is where the sockets are bound.
func (s *sockets) address() netpoll.Addr { return s.each[0][0].Addr() }

// close gives up sockets that no loop has.
func (s *sockets) close() {
	s.unlink()
	s.closeAll()
	s.stats.Release()
}

// bindNew opens the sockets of the listeners of c that are not open yet: all of them, or
// none and an error.
func (e *Engine) bindNew(c *config.Config) ([]*sockets, error) {
	stay, _ := e.split(c)
	var fresh []*sockets
	for i := range c.Listeners {
		l := &c.Listeners[i]
		if e.open[l.Address.Text] != nil {
			continue
		}
		s, err := e.bindOne(l, slices.Concat(stay, fresh))
		if err != nil {
			for _, bound := range fresh {
				bound.close()
			}
			return nil, fmt.Errorf("listeners[%d]: %w", i, err)
		}
		fresh = append(fresh, s)
	}
	return fresh, nil
}

// bindOne opens the sockets of l, beside those of the other listeners. Two names of one
// address would share its connections at random.
func (e *Engine) bindOne(l *config.Listener, beside []*sockets) (*sockets, error) {
	addr, mine, err := e.placeOf(l)
	if err != nil {
		return nil, err
	}
	for _, other := range beside {
		if other.address() == addr {
			return nil, fmt.Errorf("cannot listen on %s: %s is the same address", l.Address.Text, other.key)
		}
	}
	s := &sockets{key: l.Address.Text}
	if inherited := e.takeInherited(mine); len(inherited) > 0 {
		err = e.useInherited(s, inherited)
	} else {
		err = e.bindEach(s, addr, beside)
	}
	if err != nil {
		return nil, err
	}
	s.stats = e.stats.Listener(s.key)
	return s, nil
}

// bindEach opens a first socket that shares its address with nobody, which finds out
// whether another process has it, then one that shares for each worker. A unix socket is
// one for all.
func (e *Engine) bindEach(s *sockets, addr netpoll.Addr, beside []*sockets) error {
	first, err := netpoll.Bind(addr, false)
	switch {
	case err != nil && !hasPort(slices.Collect(maps.Values(e.open)), addr) && !hasPort(beside, addr) && !e.inheritsPort(addr):
		return err
	case err != nil: // a listener of our own, or of the process before, has the port on another address
	case addr.Unix != "":
		if err := s.spread([]*netpoll.Socket{first}, len(e.workers)); err != nil {
			_ = os.Remove(addr.Unix) // it was made just now
			return err
		}
		s.file, _ = os.Lstat(addr.Unix) // if it is gone already, there is nothing to remove
		return nil
	default:
		addr = first.Addr()
		first.Close()
	}
	var all []*netpoll.Socket
	for range e.workers {
		socket, err := netpoll.Bind(addr, true)
		if err != nil {
			for _, bound := range all {
				bound.Close()
			}
			return err
		}
		all = append(all, socket)
	}
	return s.spread(all, len(e.workers))
}

// hasPort reports whether one of the listeners has the port of addr.
func hasPort(listeners []*sockets, addr netpoll.Addr) bool {
	return slices.ContainsFunc(listeners, func(s *sockets) bool { return samePort(s.address(), addr) })
}

// samePort reports whether a and b are addresses of one TCP port.
func samePort(a, b netpoll.Addr) bool {
	return a.Unix == "" && b.Unix == "" && a.IP.Port() == b.IP.Port()
}

// adopt makes fresh sockets part of the engine, under ids that no open listener has.
func (e *Engine) adopt(fresh []*sockets) {
	used := make(map[int]bool)
	for _, s := range e.open {
		used[s.id] = true
	}
	id := 0
	for _, s := range fresh {
		for used[id] {
			id++
		}
		used[id] = true
		s.id = id
		e.open[s.key] = s
	}
}

// listen has w accept on its sockets of s, unless it began to drain meanwhile. It runs on w's
// loop.
func (w *worker) listen(s *sockets) error {
	var failed error
	for _, socket := range s.each[w.id] {
		if w.draining {
			socket.Close()
			continue
		}
		l := &listener{w: w, sockets: s}
		if addr := socket.Addr(); addr.Unix == "" {
			l.port = addr.IP.Port()
		}
		on, err := w.loop.Listen(socket, l)
		if err != nil {
			failed = err
			continue
		}
		l.on = on
		w.listeners = append(w.listeners, l)
	}
	return failed
}

// unlink removes the file of a unix listener, unless it is somebody else's by now.
func (s *sockets) unlink() {
	if s.lent != nil && s.lent.Load() {
		return
	}
	if s.hasFile() {
		_ = os.Remove(s.address().Unix) // nobody waits for it
	}
}

// hasFile reports whether the file of s is what it was when s was made. Then it goes to whoever
// goes on with s.
func (s *sockets) hasFile() bool {
	if s.file == nil {
		return false
	}
	now, err := os.Lstat(s.address().Unix)
	return err == nil && os.SameFile(now, s.file)
}

// ShareAddress has another socket that shares listen on the address of the socket of c. The
// operators' listener moves to another address of its port that way.
func ShareAddress(c syscall.RawConn) error { return netpoll.Share(c) }

// Addresses are where clients are served, as bound, in the order of their text.
func (e *Engine) Addresses() []string {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	var all []string
	for _, s := range e.open {
		all = append(all, s.address().String())
	}
	slices.Sort(all)
	return all
}

// listenAddr is the address of a listener. No host stands for every address of the
// machine, over IPv6 and IPv4 where there is IPv6.
func listenAddr(a *config.Address) (netpoll.Addr, error) {
	if a.Unix != "" {
		return netpoll.Addr{Unix: a.Unix}, nil
	}
	if a.Host == "" {
		ip := netip.IPv4Unspecified()
		if hasIPv6() {
			ip = netip.IPv6Unspecified()
		}
		return netpoll.Addr{IP: netip.AddrPortFrom(ip, a.Port)}, nil
	}
	ips, err := resolve(a.Host)
	if err != nil {
		return netpoll.Addr{}, fmt.Errorf("cannot listen on %s: %w", a.Text, err)
	}
	return netpoll.Addr{IP: netip.AddrPortFrom(ips[0], a.Port)}, nil
}

// hasIPv6 reports whether this machine can listen on IPv6.
func hasIPv6() bool {
	s, err := netpoll.Bind(netpoll.Addr{IP: netip.AddrPortFrom(netip.IPv6Loopback(), 0)}, false)
	if err != nil {
		return false
	}
	s.Close()
	return true
}

// resolve gives the addresses of a name or literal, at least one.
func resolve(host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for i := range ips {
		ips[i] = ips[i].Unmap()
	}
	return ips, nil
}

// addrPortOf joins an address and a port.
func addrPortOf(ip netip.Addr, port uint16) netip.AddrPort { return netip.AddrPortFrom(ip, port) }
