package engine

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/netpoll"
)

// resolveTimeout bounds the look-up of one name at start.
const resolveTimeout = 5 * time.Second

// sockets are the bound sockets of one configured listener, one for each worker.
type sockets struct {
	name  string
	index int
	each  []*netpoll.Socket
	stats *stats.Listener
}

// bind opens the sockets of every listener, or none.
func (e *Engine) bind(c *config.Config) error {
	for i := range c.Listeners {
		s, err := e.bindOne(&c.Listeners[i], i)
		if err != nil {
			for _, bound := range e.sockets {
				bound.close()
			}
			return fmt.Errorf("listeners[%d]: %w", i, err)
		}
		e.sockets = append(e.sockets, s)
	}
	return nil
}

// bindOne opens one socket for each worker. A first one that does not share its address
// finds out whether another process has it.
func (e *Engine) bindOne(l *config.Listener, index int) (*sockets, error) {
	addr, err := listenAddr(&l.Address)
	if err != nil {
		return nil, err
	}
	s := &sockets{name: l.Name, index: index, stats: e.stats.Listener(l.Address.Text)}
	probe, err := netpoll.Bind(addr, false)
	if err != nil {
		return nil, err
	}
	if addr.Unix != "" {
		s.each = append(s.each, probe)
		for range len(e.workers) - 1 {
			dup, err := probe.Dup()
			if err != nil {
				s.close()
				return nil, err
			}
			s.each = append(s.each, dup)
		}
		return s, nil
	}
	addr = probe.Addr()
	probe.Close()
	for range e.workers {
		shared, err := netpoll.Bind(addr, true)
		if err != nil {
			s.close()
			return nil, err
		}
		s.each = append(s.each, shared)
	}
	return s, nil
}

func (s *sockets) close() {
	for _, socket := range s.each {
		socket.Close()
	}
}

// listen has w accept on its socket of every listener. It runs on w's loop.
func (e *Engine) listen(w *worker) error {
	for _, s := range e.sockets {
		socket := s.each[w.id]
		l := &listener{w: w, index: s.index, name: s.name, stats: s.stats}
		if addr := socket.Addr(); addr.Unix == "" {
			l.port = addr.IP.Port()
		}
		on, err := w.loop.Listen(socket, l)
		if err != nil {
			return err
		}
		l.on = on
		w.listeners = append(w.listeners, l)
	}
	return nil
}

// unlink removes the files of unix listeners.
func (e *Engine) unlink() {
	for _, s := range e.sockets {
		if path := s.each[0].Addr().Unix; path != "" {
			_ = os.Remove(path) // it may be gone already
		}
	}
}

// Addresses are where clients are served, as bound, in the order of the configuration.
func (e *Engine) Addresses() []string {
	var all []string
	for _, s := range e.sockets {
		all = append(all, s.each[0].Addr().String())
	}
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
