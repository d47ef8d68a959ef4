package engine

import (
	"context"
	"fmt"
	"net"
	"sync"

	"millrace/engine/beacon"
	"millrace/engine/config"
	"millrace/engine/stats"
)

// beacons are the receivers of announcements, and those who announce. They are changed by who
// holds Engine.reloading, and at the end.
type beacons struct {
	mu         sync.Mutex   // guards all of it
	receivers  []*receiving // in the order of the configuration
	announcers []*announcing
	silent     bool                    // nothing is announced any more
	ended      bool                    // nothing runs any more
	paused     bool                    // the receivers do not run, and keep their sockets
	inherited  map[string]*net.UDPConn // that came with the process, by address as configured; until New has returned
	// before is what receivers that are gone have counted in clusters that others fill.
	before map[string]stats.BeaconCluster
}

// receiving is a receiver that runs, or is about to.
type receiving struct {
	listen   string
	cluster  string         // empty = log only
	members  *memberCluster // nil = log only
	receiver *beacon.Receiver
	running
}

// running is something that runs until it is stopped.
type running struct {
	cancel context.CancelFunc // nil = it was not begun
	ended  chan struct{}
}

// begin runs f.
func (r *running) begin(f func(context.Context)) {
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	r.ended = make(chan struct{})
	go func() {
		defer close(r.ended)
		f(ctx)
	}()
}

// stop asks for the end.
func (r *running) stop() {
	if r.cancel != nil {
		r.cancel()
	}
}

// wait waits for the end.
func (r *running) wait() {
	if r.ended != nil {
		<-r.ended
	}
}

// A beaconPlan is what a configuration wants of beacons.
type beaconPlan struct {
	receivers  []*receiving // those that run already are the same
	settings   []beacon.Settings
	announcers []*announcing
}

// stays reports whether the members of an owner have a receiver further on.
func (p *beaconPlan) stays(owner *memberCluster) bool {
	for _, r := range p.receivers {
		if r.members == owner {
			return true
		}
	}
	return false
}

// planBeacons makes what c wants that is not there yet, without beginning it.
func (e *Engine) planBeacons(c *config.Config) (*beaconPlan, error) {
	e.beacons.mu.Lock()
	defer e.beacons.mu.Unlock()
	p := &beaconPlan{}
	for i := range c.Beacon.Receive {
		if err := e.planReceiver(p, &c.Beacon.Receive[i]); err != nil {
			return nil, fmt.Errorf("beacon.receive[%d]: %w", i, err)
		}
	}
	for i := range c.Beacon.Announce {
		if err := e.planAnnouncer(p, &c.Beacon.Announce[i]); err != nil {
			return nil, fmt.Errorf("beacon.announce[%d]: %w", i, err)
		}
	}
	return p, nil
}

// planReceiver adds one receiver to p. beacons.mu is held.
func (e *Engine) planReceiver(p *beaconPlan, c *config.BeaconReceive) error {
	secret, err := config.ReadSecret(c.Secret)
	if err != nil {
		return err
	}
	settings := beacon.Settings{Secret: beacon.Secret(secret.Reveal()), Timeout: c.Timeout, MaxSkew: c.MaxSkew}
	if _, err := settings.Secret.Key(); err != nil {
		return err
	}
	r := e.beacons.receiver(c.Listen.Text, c.Cluster)
	if r == nil {
		r = &receiving{listen: c.Listen.Text, cluster: c.Cluster}
		options := beacon.ReceiverOptions{Listen: c.Listen.Text, ClusterName: c.Cluster, Settings: settings, Log: e.log}
		if c.Cluster != "" {
			r.members = &memberCluster{engine: e, name: c.Cluster}
			options.Cluster = r.members
		}
		options.Conn = e.beacons.takeInherited(r.listen)
		if r.receiver, err = beacon.NewReceiver(options); err != nil {
			return err
		}
	}
	p.receivers = append(p.receivers, r)
	p.settings = append(p.settings, settings)
	return nil
}

// receiver is the one at an address that fills a cluster, nil if there is none. mu is held.
func (b *beacons) receiver(listen, cluster string) *receiving {
	for _, r := range b.receivers {
		if r.listen == listen && r.cluster == cluster {
			return r
		}
	}
	return nil
}

// endBeacons ends what runs and p does not have. reloading is held.
func (e *Engine) endBeacons(p *beaconPlan) {
	b := &e.beacons
	b.mu.Lock()
	receivers := leaving(b.receivers, p.receivers)
	announcers := leaving(b.announcers, p.announcers)
	b.mu.Unlock()
	for _, a := range announcers {
		a.stop()
	}
	for _, r := range receivers {
		r.stop()
	}
	for _, r := range receivers { // it gives its address free
		r.wait()
	}
}

// beginBeacons begins what p has and does not run yet. From its return on announcements are
// heard, wherever the address could be bound. reloading is held, or nothing runs yet.
func (e *Engine) beginBeacons(p *beaconPlan) {
	for _, r := range p.receivers {
		if r.cancel == nil {
			r.open()
		}
	}
	b := &e.beacons
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retire(leaving(b.receivers, p.receivers), p.receivers)
	b.receivers, b.announcers = p.receivers, p.announcers
	for i, r := range p.receivers {
		if r.cancel != nil {
			_ = r.receiver.Configure(p.settings[i]) // they were checked
			continue
		}
		r.begin(r.receiver.Run)
		if b.ended {
			r.stop()
		}
	}
	for _, a := range p.announcers {
		if a.cancel == nil && !b.silent {
			a.begin(a.announcer.Run)
		}
	}
}

// open binds the socket. What fails is tried again once the receiver runs, and logged then.
func (r *receiving) open() {
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	_ = r.receiver.Open(ctx)
}

// leaving are those of old that next does not have.
func leaving[T comparable](old, next []T) []T {
	stays := make(map[T]bool, len(next))
	for _, one := range next {
		stays[one] = true
	}
	var gone []T
	for _, one := range old {
		if !stays[one] {
			gone = append(gone, one)
		}
	}
	return gone
}

// end stops all that runs, and waits for it.
func (b *beacons) end() {
	b.silence()
	b.mu.Lock()
	b.ended = true
	receivers, announcers := b.receivers, b.announcers
	b.mu.Unlock()
	for _, r := range receivers {
		r.stop()
	}
	for _, r := range receivers {
		r.wait()
		r.receiver.Close() // if it was kept
	}
	for _, a := range announcers {
		a.wait()
	}
}

// Beacons returns what the receivers of announcements keep track of, in the order of the
// configuration, then of the URLs. The caller may keep it.
func (e *Engine) Beacons() []beacon.Record {
	e.beacons.mu.Lock()
	receivers := e.beacons.receivers
	e.beacons.mu.Unlock()
	var all []beacon.Record
	for _, r := range receivers {
		all = append(all, r.receiver.Records()...)
	}
	return all
}
