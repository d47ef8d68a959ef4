package discovery

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Options are what a Resolver is made with. The zero value is for use.
type Options struct {
	// Log gets "dns lookup failed" once an outage, "dns recovered" at its end; nil for none.
	Log *slog.Logger
	// ResolvConf and Hosts are the files of the system; empty for those in /etc. They are
	// looked at every five seconds, and what they say is in force at once.
	ResolvConf, Hosts string
}

// A Resolver makes the lookups of a process. Its methods are safe for concurrent use and
// never wait for a name server.
type Resolver struct {
	log     *slog.Logger
	finder  finder
	random  func() float64 // 0 to 1, for jitter
	context context.Context
	end     context.CancelFunc
	running sync.WaitGroup // the lookups and the watch over the files

	mu       sync.Mutex // guards what follows, and what lookups and watches say that it does
	closed   bool
	lookups  map[key]*lookup
	seeds    map[key]seed
	imported time.Time // seeds
	queue    []*Watch  // to be told
	counts   counts
	told     chan struct{} // has room for one: there is something in queue
}

// New makes a resolver. Close must follow.
func New(o Options) *Resolver {
	return newResolver(o, net.DefaultResolver.LookupNetIP)
}

func newResolver(o Options, library libraryLookup) *Resolver {
	r := &Resolver{
		log:     o.Log,
		random:  rand.Float64,
		lookups: map[key]*lookup{},
		told:    make(chan struct{}, 1),
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.context, r.end = context.WithCancel(context.Background())
	r.finder = finder{
		client:  newClient(),
		files:   newFiles(orElse(o.ResolvConf, "/etc/resolv.conf"), orElse(o.Hosts, "/etc/hosts")),
		library: library,
		asked:   r.countMiss,
	}
	r.running.Go(r.watchFiles)
	go r.tell()
	return r
}

func orElse(path, standard string) string {
	if path == "" {
		return standard
	}
	return path
}

// Close ends all lookups, within moments whatever the servers do. It does not wait for
// onChange: a call that is under way, or about to be, still comes. Watches keep their answers.
func (r *Resolver) Close() {
	r.mu.Lock()
	r.closed = true
	r.queue = nil
	r.mu.Unlock()
	r.end()
	r.running.Wait()
}

// watchFiles has every name looked up anew when the system's files change.
func (r *Resolver) watchFiles() {
	ticker := time.NewTicker(fileInterval)
	defer ticker.Stop()
	for {
		select {
		case <-r.context.Done():
			return
		case <-ticker.C:
		}
		if r.finder.files.read() {
			r.mu.Lock()
			for _, l := range r.lookups {
				l.hurry()
			}
			r.mu.Unlock()
		}
	}
}

// tell calls those who watch, one after the other, in the order of the changes.
func (r *Resolver) tell() {
	for {
		select {
		case <-r.context.Done():
			return
		case <-r.told:
		}
		for {
			w, a := r.next()
			if w == nil {
				break
			}
			w.onChange(a)
		}
	}
}

// next takes the first watch out of the queue that has something new to be told, or nil.
func (r *Resolver) next() (*Watch, Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) > 0 {
		w := r.queue[0]
		r.queue = r.queue[1:]
		if a, ok := w.news(); ok {
			return w, a
		}
	}
	return nil, Answer{}
}

// enqueue has w told soon. mu is held.
func (r *Resolver) enqueue(w *Watch) {
	if w.queued || r.closed {
		return
	}
	w.queued = true
	r.queue = append(r.queue, w)
	select {
	case r.told <- struct{}{}:
	default:
	}
}
