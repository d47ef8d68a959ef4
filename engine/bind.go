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
	"syscall"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// resolveTimeout bounds the look-up of one name at start.
const resolveTimeout = 5 * time.Second

// sockets are the bound sockets of one configured listener, one for each worker.
type sockets struct {
	key   string // the address as configured
	id    int    // of the listener in route tables
	each  []*netpoll.Socket
	stats *stats.Listener
	file  fs.FileInfo // of a unix socket, as we made it; nil = it is not ours
}

// addressOf is where the sockets are bound.
func (s *sockets) address() netpoll.Addr { return s.each[0].Addr() }

// close closes sockets that no loop has.
func (s *sockets) close() {
	s.unlink()
	for _, socket := range s.each {
		socket.Close()
	}
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

// bindOne opens one socket for each worker, beside those of the other listeners. Two names
// of one address would share its connections at random.
func (e *Engine) bindOne(l *config.Listener, beside []*sockets) (*sockets, error) {
	addr, err := listenAddr(&l.Address)
	if err != nil {
		return nil, err
	}
	for _, other := range beside {
		if other.address() == addr {
			return nil, fmt.Errorf("cannot listen on %s: %s is the same address", l.Address.Text, other.key)
		}
	}
	s := &sockets{key: l.Address.Text}
	inherited := e.takeInherited(addr)
	if s.each, err = e.bindEach(addr, inherited, beside); err != nil {
		return nil, err
	}
	if addr.Unix != "" && inherited == nil {
		s.file, _ = os.Lstat(addr.Unix) // if it is gone already, there is nothing to remove
	}
	s.stats = e.stats.Listener(s.key)
	return s, nil
}

// bindEach opens a first socket that shares its address with nobody, which finds out
// whether another process has it, then one that shares for each worker. A unix socket, and
// one that came with the process, is one for all.
func (e *Engine) bindEach(addr netpoll.Addr, inherited *netpoll.Socket, beside []*sockets) ([]*netpoll.Socket, error) {
	if inherited != nil {
		return e.fill([]*netpoll.Socket{inherited}, inherited.Dup)
	}
	first, err := netpoll.Bind(addr, false)
	switch {
	case err != nil && !hasPort(slices.Collect(maps.Values(e.open)), addr) && !hasPort(beside, addr):
		return nil, err
	case err != nil: // a listener of our own has the port on another address
	case addr.Unix != "":
		each, err := e.fill([]*netpoll.Socket{first}, first.Dup)
		if err != nil {
			_ = os.Remove(addr.Unix) // it was made just now
		}
		return each, err
	default:
		addr = first.Addr()
		first.Close()
	}
	return e.fill(nil, func() (*netpoll.Socket, error) { return netpoll.Bind(addr, true) })
}

// takeInherited gives the socket on addr that came with the process, nil if none did.
func (e *Engine) takeInherited(addr netpoll.Addr) *netpoll.Socket {
	i := slices.IndexFunc(e.inherited, func(s *netpoll.Socket) bool { return s.Addr() == addr })
	if i < 0 {
		return nil
	}
	s := e.inherited[i]
	e.inherited = slices.Delete(e.inherited, i, i+1)
	return s
}

// fill adds sockets from next until there is one for each worker, or closes them all.
func (e *Engine) fill(each []*netpoll.Socket, next func() (*netpoll.Socket, error)) ([]*netpoll.Socket, error) {
	for len(each) < len(e.workers) {
		s, err := next()
		if err != nil {
			for _, bound := range each {
				bound.Close()
			}
			return nil, err
		}
		each = append(each, s)
	}
	return each, nil
}

// hasPort reports whether one of the listeners has the port of addr.
func hasPort(listeners []*sockets, addr netpoll.Addr) bool {
	for _, s := range listeners {
		if a := s.address(); addr.Unix == "" && a.Unix == "" && a.IP.Port() == addr.IP.Port() {
			return true
		}
	}
	return false
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

// listen has w accept on its socket of s, unless it began to drain meanwhile. It runs on w's
// loop.
func (w *worker) listen(s *sockets) error {
	if w.draining {
		s.each[w.id].Close()
		return nil
	}
	l := &listener{w: w, sockets: s}
	socket := s.each[w.id]
	if addr := socket.Addr(); addr.Unix == "" {
		l.port = addr.IP.Port()
	}
	on, err := w.loop.Listen(socket, l)
	if err != nil {
		return err
	}
	l.on = on
	w.listeners = append(w.listeners, l)
	return nil
}

// unlink removes the file of a unix listener, unless somebody else has the path by now.
func (s *sockets) unlink() {
	if s.file == nil {
		return
	}
	path := s.address().Unix
	if now, err := os.Lstat(path); err == nil && os.SameFile(now, s.file) {
		_ = os.Remove(path) // nobody waits for it
	}
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
