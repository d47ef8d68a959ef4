package engine

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"millrace/engine/stats"
	"millrace/lb"
)

// eventsPerSecond bounds the lines about failures, since a failure can come with each
// request.
const eventsPerSecond = 10

// An event is something to log that happened on a loop.
type event struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

// events writes log lines off the loops. What it cannot take at once is dropped and
// counted: a log never holds traffic up.
type events struct {
	log     *slog.Logger
	queue   chan event
	dropped atomic.Int64
	second  atomic.Int64 // of the failures counted in count
	count   atomic.Int64
}

func newEvents(log *slog.Logger) *events {
	return &events{log: log, queue: make(chan event, 64)}
}

// run writes until stop is closed, then what is left.
func (e *events) run(stop <-chan struct{}) {
	for {
		select {
		case ev := <-e.queue:
			e.write(ev)
		case <-stop:
			for {
				select {
				case ev := <-e.queue:
					e.write(ev)
				default:
					return
				}
			}
		}
	}
}

func (e *events) write(ev event) {
	if n := e.dropped.Swap(0); n > 0 {
		ev.attrs = append(ev.attrs, slog.Int64("dropped", n))
	}
	e.log.LogAttrs(context.Background(), ev.level, ev.text, ev.attrs...)
}

func (e *events) put(ev event) {
	select {
	case e.queue <- ev:
	default:
		e.dropped.Add(1)
	}
}

// allowed reports whether one more failure may be logged in this second.
func (e *events) allowed() bool {
	now := time.Now().Unix()
	if e.second.Swap(now) != now {
		e.count.Store(0)
	}
	if e.count.Add(1) > eventsPerSecond {
		e.dropped.Add(1)
		return false
	}
	return true
}

// failed logs a request that its endpoint did not answer. What a client did wrong is its
// own affair and logged only in detail.
func (e *events) failed(x *exchange, f failure) {
	level := slog.LevelError
	switch f.kind {
	case stats.NoRoute, stats.BadRequest, stats.BodyTimeout, stats.BodyTooLarge, stats.ClientClosed:
		level = slog.LevelDebug
	}
	if !e.log.Enabled(context.Background(), level) || !e.allowed() {
		return
	}
	message := f.reason
	if f.err != nil {
		message = f.err.Error()
	}
	attrs := []slog.Attr{slog.String("error.type", f.kind.String()), slog.String("error.message", message)}
	if x.cluster != nil {
		attrs = append(attrs, slog.String("cluster", x.cluster.name))
	}
	e.put(event{level, "proxy error: " + f.kind.String(), attrs})
}

// truncated logs an answer that ended before the length it had announced.
func (e *events) truncated(x *exchange) {
	if e.allowed() {
		e.put(event{slog.LevelWarn, "response truncated", []slog.Attr{
			slog.String("backend_url", x.ep.balance.URL()),
			slog.Int64("upstream.bytes_received", x.respSeen),
			slog.Int64("upstream.content_length", x.respSeen+x.respLeft),
		}})
	}
}

// circuit logs a change of a circuit, unless it changes all the time.
func (e *events) circuit(t lb.Transition) {
	if t.Quiet {
		return
	}
	ev := event{slog.LevelWarn, "", []slog.Attr{slog.String("upstream.address", t.Address)}}
	switch t.Change {
	case lb.CircuitOpened:
		ev.text = "circuit opened"
	case lb.CircuitReopened:
		ev.text = "circuit reopened"
	case lb.CircuitFlapping:
		ev.text = "circuit flapping"
	case lb.CircuitHalfOpened:
		ev.level, ev.text = slog.LevelInfo, "circuit half-open"
		ev.attrs = append(ev.attrs, slog.Int64("circuit.open_duration_ms", t.OpenDuration.Milliseconds()))
	case lb.CircuitClosed:
		ev.level, ev.text = slog.LevelInfo, "circuit closed"
	case lb.CircuitSettled:
		ev.level, ev.text = slog.LevelInfo, "circuit settled"
	}
	e.put(ev)
}

// acceptFailed logs why accepting pauses.
func (e *events) acceptFailed(listener string, err error) {
	if e.allowed() {
		e.put(event{slog.LevelWarn, "accept failed", []slog.Attr{slog.String("listener", listener), slog.String("error.message", err.Error())}})
	}
}
