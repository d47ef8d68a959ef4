package beacon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultMaxSkew is how far clocks may differ if Settings do not say.
const DefaultMaxSkew = 30 * time.Second

// ReceiverOptions describe a receiver.
type ReceiverOptions struct {
	// Listen is the UDP address, host:port. Without host, or with [::], it is every address
	// of the machine.
	Listen string
	// ClusterName is what logs and records call the cluster.
	ClusterName string
	// Cluster gets the members; nil only logs who announces itself.
	Cluster Cluster
	Settings
	// Conn, if not nil, is a bound socket to use first, inherited for one. Run closes it.
	Conn *net.UDPConn
	// Log gets the events; nil for none.
	Log *slog.Logger
}

// Settings are what Configure can change while a receiver runs.
type Settings struct {
	Secret Secret
	// Timeout is how long a member may be silent before it is disabled; 0 is for ever.
	Timeout time.Duration
	// MaxSkew is how far the clocks may differ, either way; 0 is DefaultMaxSkew.
	MaxSkew time.Duration
}

// rules are Settings that were checked.
type rules struct {
	key              Key
	timeout, maxSkew time.Duration
}

func (s Settings) check() (*rules, error) {
	key, err := s.Secret.Key()
	if err != nil {
		return nil, err
	}
	if s.Timeout < 0 || s.MaxSkew < 0 {
		return nil, errors.New("timeout and skew are not negative")
	}
	return &rules{key, s.Timeout, cmp.Or(s.MaxSkew, DefaultMaxSkew)}, nil
}

// A Receiver takes announcements on one UDP address and keeps the members of one cluster.
// Its methods are safe for concurrent use.
type Receiver struct {
	listen, clusterName string
	cluster             Cluster // nil = log only
	log                 *slog.Logger
	rules               atomic.Pointer[rules]
	counts              counts
	now                 func() time.Time
	open                opener
	inherited           *net.UDPConn // until Run takes it
	opened              socket       // by Open, or kept, until Run takes it
	keeps               atomic.Bool  // what Keep said

	// work is held by whoever changes something, also while the cluster is called.
	work     sync.Mutex
	drops    throttle // these five: guarded by work
	last     Reason   // of the drops
	full     throttle // losses
	receipts quota
	hearing  time.Time // since when the socket is open; zero for an inherited one

	mu    sync.Mutex        // guards these two; never held while the cluster is called
	table map[string]record // by canonical URL; written with work held as well
	conn  *net.UDPConn      // nil while there is none
}

// NewReceiver makes a receiver. It is idle until Run; Import may come before.
func NewReceiver(o ReceiverOptions) (*Receiver, error) {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return nil, fmt.Errorf("the address %q is not host:port", o.Listen)
	}
	r := &Receiver{
		listen: o.Listen, clusterName: o.ClusterName, cluster: o.Cluster,
		log: orDiscard(o.Log), now: time.Now, inherited: o.Conn,
		table: map[string]record{},
	}
	r.open = r.openUDP
	return r, r.Configure(o.Settings)
}

// Configure changes the settings. Members, leases and replay marks stay. After an error
// nothing has changed.
func (r *Receiver) Configure(s Settings) error {
	checked, err := s.check()
	if err == nil {
		r.rules.Store(checked)
	}
	return err
}

// Records returns what is tracked, sorted by URL. It is never nil.
func (r *Receiver) Records() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Record, 0, len(r.table))
	for url, rec := range r.table {
		all = append(all, Record{
			Cluster: r.clusterName, Listen: r.listen, URL: url, State: rec.state,
			LastSeen: rec.lastSeen.UTC(), TS: rec.ts, Host: rec.host, PID: rec.pid, Seq: rec.seq,
		})
	}
	slices.SortFunc(all, func(a, b Record) int { return cmp.Compare(a.URL, b.URL) })
	return all
}

// put stores a record. work is held.
func (r *Receiver) put(rec record) {
	r.mu.Lock()
	r.table[rec.member.URL] = rec
	r.mu.Unlock()
}

// forget removes a record. work is held.
func (r *Receiver) forget(url string) {
	r.mu.Lock()
	delete(r.table, url)
	r.mu.Unlock()
}

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
