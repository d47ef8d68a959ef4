package engine

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"millrace/engine/config"
	"millrace/engine/stats"
	"millrace/netpoll"
	"millrace/pool"
)

// Options are what an engine is made of.
type Options struct {
	Config *config.Config // its files were checked
	Log    *slog.Logger
	// Inherited are listening sockets that came with the process: from the service manager,
	// or from a process before. A listener uses those that are meant for it; the others are
	// closed. They belong to the engine from New on, also when that fails.
	Inherited []PassedSocket
	// State is what a process before knew, by ExportState; empty if there was none.
	State []byte
}

// An Engine is the data plane of one process. Its methods are safe for concurrent use.
type Engine struct {
	log     *slog.Logger
	stats   *stats.Registry
	events  *events
	clock   netpoll.Clock // of all loops
	access  *accessLog
	refused *stats.Route // of requests that reached no route

	workers   []*worker
	reloading sync.Mutex          // guards open, and changes of current
	open      map[string]*sockets // listeners by their address as configured
	inherited []arrival           // sockets that no listener uses yet
	current   atomic.Pointer[snapshot]
	clients   *pool.Permits // client connections
	upstreams *pool.Permits // TCP connections to endpoints
	waiting   *pool.Queue   // who waits for one of upstreams

	changes changes // of what is known of endpoints
	names   names
	members members
	beacons beacons
	planned *beaconPlan // of the first configuration, until Start

	cookieSecret []byte // for clusters without a secret of their own

	lent       atomic.Bool // a process before is not done yet with what it passed on
	handedOver atomic.Bool // a process behind has what outlives this one

	ready    atomic.Bool
	stopLog  chan struct{}
	loops    sync.WaitGroup
	logging  sync.WaitGroup
	stopOnce sync.Once
}

// Stats is where the engine counts, for the operators' listener.
func (e *Engine) Stats() *stats.Registry { return e.stats }

// workerCount is how many event loops c asks for.
func workerCount(c *config.Config) int {
	if c.Workers > 0 {
		return c.Workers
	}
	return runtime.GOMAXPROCS(0) // at start: the CPUs that the process may use
}

// Prepare makes the process fit for many connections. It comes before anything that opens
// a descriptor.
func Prepare(log *slog.Logger) error {
	if err := netpoll.OccupyStandardDescriptors(); err != nil {
		return err
	}
	netpoll.RouteLog(func(format string, args ...any) {
		log.Error("event loop", "error.message", fmt.Sprintf(format, args...))
	})
	return nil
}

// New compiles the configuration and binds the listeners. Start must follow.
func New(o Options) (*Engine, error) {
	before, err := importState(o.State)
	if err != nil {
		ClosePassed(o.Inherited)
		return nil, err
	}
	registry := stats.New(workerCount(o.Config))
	e := &Engine{
		log:    o.Log,
		stats:  registry,
		events: newEvents(o.Log),
		clock:  netpoll.NewClock(),

		cookieSecret: before.CookieSecret,
		refused:      registry.Route(stats.None, stats.None),
		open:         make(map[string]*sockets),
		stopLog:      make(chan struct{}),
	}
	e.names.log, e.names.changed, e.names.before = o.Log, e.clusterChanged, before.Names
	e.members.names = &e.names
	registry.SetDNS(e.names.counters)
	registry.SetBeacons(e.beacons.counters)
	e.lent.Store(len(o.State) > 0)
	defer e.dropInherited() // what no listener uses
	if err := e.inherit(o.Inherited); err != nil {
		return nil, err
	}
	limits, err := e.limits(o.Config)
	if err != nil {
		return nil, err
	}
	e.clients, e.upstreams = pool.NewPermits(limits.clients), pool.NewPermits(limits.upstreams)
	e.waiting = newQueue(limits.upstreams)
	e.upstreams.Feed(e.waiting)
	e.stats.SetGlobalLimit(limits.upstreams)
	if e.access, err = newAccessLog(o.Config.AccessLog, registry, o.Log); err != nil {
		return nil, err
	}
	for id := range registry.Workers() {
		w, err := newWorker(e, id)
		if err != nil {
			e.closeWorkers()
			e.access.Close(0)
			return nil, err
		}
		e.workers = append(e.workers, w)
	}
	if err = e.load(o.Config, before); err != nil {
		e.changes.close()
		e.names.close()
		e.closeWorkers()
		e.access.Close(0)
		return nil, err
	}
	return e, nil
}

// load binds the listeners of the first configuration and compiles it.
func (e *Engine) load(c *config.Config, before *handoverState) error {
	e.reloading.Lock() // answers of name servers may come already
	defer e.reloading.Unlock()
	plan, err := e.planBeacons(c)
	if err != nil {
		return err
	}
	e.members.configure(c, plan.stays)
	if err := plan.restore(before.Beacons, time.Now()); err != nil {
		return err
	}
	fresh, err := e.bindNew(c)
	if err != nil {
		return err
	}
	e.adopt(fresh)
	s, err := e.compile(c, nil, plan.stays)
	if err != nil {
		for _, bound := range fresh {
			bound.close()
		}
		return err
	}
	before.restore(s, e.clock())
	e.current.Store(s)
	e.members.settle(s.clusters...)
	e.watchHealth(nil, s)
	e.planned = plan
	return nil
}

// spareCPUs is how many CPUs Go may use beside those of the workers, for everything that
// is not on a loop.
func spareCPUs(workers int) int { return max(1, workers/4) }

// Start runs the workers. It returns when all of them accept connections. Behind a process that
// serves it first waits a few seconds for names that this one did not know.
func (e *Engine) Start() error {
	if e.lent.Load() {
		e.names.await(firstAnswers)
	}
	runtime.GOMAXPROCS(len(e.workers) + spareCPUs(len(e.workers)))
	e.logging.Go(func() { e.events.run(e.stopLog) })
	e.logging.Go(func() { e.tend(e.stopLog) })
	e.access.start()
	results := make(chan error, len(e.workers))
	for _, w := range e.workers {
		e.loops.Go(func() {
			if err := w.loop.Run(); err != nil {
				e.log.Error("worker ended", "error.message", err.Error())
			}
		})
		if err := w.loop.Post(func() { results <- w.listenAll() }); err != nil {
			return err
		}
	}
	for range e.workers {
		if err := <-results; err != nil {
			return err
		}
	}
	e.beginBeacons(e.planned)
	e.ready.Store(true)
	return nil
}

// listenAll has w accept on every open listener. It runs on w's loop, before any reload.
func (w *worker) listenAll() error {
	for _, s := range w.engine.open {
		if err := w.listen(s); err != nil {
			return err
		}
	}
	return nil
}

// Ready reports whether the listeners are open and stay so; why says what is the matter.
func (e *Engine) Ready() (ok bool, why string) {
	if e.ready.Load() {
		return true, ""
	}
	return false, "draining"
}

// Alive reports whether every loop turns within the given time.
func (e *Engine) Alive(within time.Duration) bool {
	turned := make(chan struct{}, len(e.workers))
	for _, w := range e.workers {
		if w.loop.Post(func() { turned <- struct{}{} }) != nil {
			return false
		}
	}
	late := time.After(within)
	for range e.workers {
		select {
		case <-turned:
		case <-late:
			return false
		}
	}
	return true
}

// Unready has Ready say draining from now on, and ends announcements, so that others stop to
// send requests. Everything is served as before.
func (e *Engine) Unready() {
	e.ready.Store(false)
	e.beacons.silence()
}

// Drain closes the listeners and waits until the last client has left, or ctx is done,
// which it reports as the context's error.
func (e *Engine) Drain(ctx context.Context) error {
	e.Unready()
	empty := make(chan struct{}, len(e.workers))
	for _, w := range e.workers {
		if err := w.loop.Post(func() { w.drain(func() { empty <- struct{}{} }) }); err != nil {
			return err
		}
	}
	for range e.workers {
		select {
		case <-empty:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// lastLines is how long the access log may take to write what it has at the end.
const lastLines = time.Second

// ReopenLogs opens the file of the access log again, which may have been moved away.
func (e *Engine) ReopenLogs() error { return e.access.Reopen() }

// Stop ends the workers, and with them every connection that is left.
func (e *Engine) Stop() {
	e.stopOnce.Do(func() {
		for _, w := range e.workers {
			_ = w.loop.Post(w.cutOff) // it fails only when the loop is closed
			w.loop.Stop()
		}
		e.loops.Wait()
		e.beacons.end()
		e.changes.close()
		e.names.close()
		if e.reloading.TryLock() { // or a reload stands still: then checks end with the process
			e.watchHealth(e.current.Load(), nil)
			e.reloading.Unlock()
		}
		e.closeWorkers()
		e.access.Close(lastLines)
		close(e.stopLog)
		e.logging.Wait()
		if !e.reloading.TryLock() {
			return // a reload stands still; files are left to the next start
		}
		defer e.reloading.Unlock()
		if e.handedOver.Load() {
			return
		}
		for _, s := range e.open {
			s.unlink()
		}
	})
}

func (e *Engine) closeWorkers() {
	for _, w := range e.workers {
		w.loop.Close()
	}
}
