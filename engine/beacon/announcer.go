package beacon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultInterval is how often an announcer announces if its options do not say.
const DefaultInterval = 5 * time.Second

// shortestInterval keeps a slip of the pen from becoming a flood.
const shortestInterval = 100 * time.Millisecond

// AnnouncerOptions describe an announcer.
type AnnouncerOptions struct {
	// To are the receivers, host:port each. A host may be a name.
	To []string
	// URL is the origin under which the receivers' side reaches this service. Empty sends
	// heartbeats, which receivers log, and which name no member.
	URL    string
	Secret Secret
	// Interval is the longest time between two announcements, 100 ms at least; 0 is
	// DefaultInterval. Each is early by up to a tenth, so that services that began together
	// do not stay together.
	Interval time.Duration
	// Host is what the announcements call this machine; empty for what the system calls it.
	Host string
	// Log gets the events; nil for none.
	Log *slog.Logger
}

// An Announcer tells receivers where a service is. Its methods are safe for concurrent use.
type Announcer struct {
	url     string // canonical
	log     *slog.Logger
	targets []*target
}

// NewAnnouncer checks o. It sends nothing and looks nothing up.
func NewAnnouncer(o AnnouncerOptions) (*Announcer, error) {
	if len(o.To) == 0 {
		return nil, errors.New("nobody to announce to")
	}
	key, err := o.Secret.Key()
	if err != nil {
		return nil, err
	}
	s := &sender{key: key, interval: cmp.Or(o.Interval, DefaultInterval), log: orDiscard(o.Log), net: systemNetwork{}}
	if s.interval < shortestInterval {
		return nil, fmt.Errorf("an interval of %v is shorter than %v", s.interval, shortestInterval)
	}
	if s.says, err = o.announcement(); err != nil {
		return nil, err
	}
	a := &Announcer{url: s.says.URL, log: s.log}
	for _, to := range o.To {
		host, port, err := splitTarget(to)
		if err != nil {
			return nil, err
		}
		a.targets = append(a.targets, &target{sender: s, address: to, host: host, port: port})
	}
	return a, nil
}

// announcement returns what every announcement says.
func (o *AnnouncerOptions) announcement() (Announcement, error) {
	says := Announcement{Host: hostField(o.Host), PID: int64(os.Getpid())}
	if o.URL == "" {
		return says, nil
	}
	m, err := ParseMember(o.URL)
	if err != nil {
		return says, fmt.Errorf("the URL to announce is no origin: %w", err)
	}
	says.URL = m.URL
	return says, nil
}

// hostField returns name, or what the system calls this machine, as an announcement can
// carry it.
func hostField(name string) string {
	const longest = 255
	if name == "" {
		name, _ = os.Hostname() // none is "" like any other that cannot be sent
	}
	unsound := func(c rune) bool { return c <= ' ' || c >= 0x7f }
	if name == "" || len(name) > longest || strings.ContainsFunc(name, unsound) {
		return "(unknown)" // as httpd has it
	}
	return name
}

// splitTarget splits host:port. A scheme in front is dropped, as httpd does. The host comes
// without brackets.
func splitTarget(to string) (host string, port uint16, err error) {
	authority := to
	if _, rest, ok := strings.Cut(to, "://"); ok {
		authority = rest
	}
	if a, err := netip.ParseAddrPort(authority); err == nil && a.Port() != 0 { // with a zone, perhaps
		return a.Addr().String(), a.Port(), nil
	}
	host, digits, hasPort, err := splitAuthority(strings.ToLower(authority))
	if err == nil && !hasPort {
		err = errors.New("no port")
	}
	if err == nil {
		port, err = parsePort(digits)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%q is not host:port: %w", to, err)
	}
	return host, port, nil
}

// Run announces until ctx ends: to each receiver at once, then at the interval. A name is
// looked up again every 30 s. A receiver that cannot be reached, or looked up, changes
// nothing for the others.
func (a *Announcer) Run(ctx context.Context) {
	if a.url == "" {
		a.log.Info("no URL to announce: heartbeats only")
	}
	var all sync.WaitGroup
	for _, t := range a.targets {
		all.Go(func() { t.run(ctx) })
	}
	all.Wait()
}

// TargetCounters say what was done for one receiver.
type TargetCounters struct {
	Address   string // as in the options
	Announced uint64 // datagrams that went out
	Errors    uint64 // sends, look-ups and sockets that failed; and datagrams that came back
}

// Counters returns the counters as they are now, in the order of the options.
func (a *Announcer) Counters() []TargetCounters {
	return slices.Collect(func(yield func(TargetCounters) bool) {
		for _, t := range a.targets {
			if !yield(TargetCounters{t.address, t.announced.Load(), t.errors.Load()}) {
				return
			}
		}
	})
}
