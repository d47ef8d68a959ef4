package engine

import (
	"fmt"
	"net"
	"os"
	"time"

	"millrace/engine/beacon"
	"millrace/netpoll"
)

// A handoverBeacon is what one receiver of announcements knows.
type handoverBeacon struct {
	Listen  string          `json:"listen"`
	Cluster string          `json:"cluster"`
	State   beacon.Handover `json:"state"`
}

// passSockets returns handles to the sockets that receivers have.
func (b *beacons) passSockets() (all []PassedSocket, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.receivers {
		fd, err := r.dupSocket()
		if err != nil {
			return all, err
		}
		if fd >= 0 {
			all = append(all, PassedSocket{Descriptor: fd, Listener: r.listen, Beacon: true})
		}
	}
	return all, nil
}

// dupSocket is another handle to the socket of r, below 0 if it has none.
func (r *receiving) dupSocket() (int, error) {
	file, err := r.receiver.File()
	if err != nil || file == nil {
		return -1, err
	}
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return -1, err
	}
	return netpoll.DupDescriptor(raw)
}

// inherit takes over a socket that came with the process.
func (b *beacons) inherit(p PassedSocket) error {
	file := os.NewFile(uintptr(p.Descriptor), p.Listener)
	defer file.Close()
	c, err := net.FilePacketConn(file)
	if err != nil {
		return fmt.Errorf("socket of %s: %w", p.Listener, err)
	}
	conn, ok := c.(*net.UDPConn)
	if !ok {
		_ = c.Close()
		return fmt.Errorf("socket of %s: it is not one for announcements", p.Listener)
	}
	if b.inherited == nil {
		b.inherited = make(map[string]*net.UDPConn)
	}
	b.inherited[p.Listener] = conn
	return nil
}

// takeInherited gives the socket that came with the process for an address, nil if none did.
func (b *beacons) takeInherited(listen string) *net.UDPConn {
	conn := b.inherited[listen]
	delete(b.inherited, listen)
	return conn
}

// dropInherited closes the sockets that no receiver wanted.
func (b *beacons) dropInherited() {
	for _, conn := range b.inherited {
		_ = conn.Close()
	}
	b.inherited = nil
}

// export has the receivers pause, and returns what they know. What is announced from then on
// waits in their sockets, for whoever has handles to them.
func (b *beacons) export(now time.Time) []handoverBeacon {
	b.mu.Lock()
	receivers := b.receivers
	b.paused = true
	b.mu.Unlock()
	for _, r := range receivers {
		r.receiver.Keep(true)
		r.stop()
	}
	var all []handoverBeacon
	for _, r := range receivers {
		r.wait()
		if r.members != nil {
			all = append(all, handoverBeacon{r.listen, r.cluster, r.receiver.Export(now)})
		}
	}
	return all
}

// Resume goes on after an ExportState that no process has followed: announcements are heard
// again.
func (e *Engine) Resume() {
	b := &e.beacons
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.paused || b.ended {
		return
	}
	b.paused = false
	for _, r := range b.receivers {
		r.receiver.Keep(false)
		r.begin(r.receiver.Run)
	}
}

// restore has the receivers of p, which do not run yet, know what those of the process before
// did. Their members are in the next snapshot.
func (p *beaconPlan) restore(before []handoverBeacon, now time.Time) error {
	for i := range before {
		for _, r := range p.receivers {
			if r.listen != before[i].Listen || r.cluster != before[i].Cluster {
				continue
			}
			if err := r.receiver.Import(before[i].State, now); err != nil {
				return err
			}
		}
	}
	return nil
}
