package engine

import (
	"time"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/netpoll"
)

// Marks of the bytes, per connection and direction, that wait for a slow reader.
const (
	highMark = 64 << 10 // above it the other side is not read
	lowMark  = 16 << 10 // at or below it reading goes on
)

const (
	headRead     = 16 << 10  // most bytes of one read for request heads: bounds the look-ahead
	firstRead    = 64 << 10  // first read of a relay; it grows while its writes are taken whole
	largestRead  = 128 << 10 // what a slow reader leaves of it waits in memory
	gatherLimit  = 4 << 10   // bytes up to which copying beats another part in a gathered write
	readsPerTurn = 8         // of one connection in one callback, so that it does not hold the loop
	headsPerTurn = 64        // pipelined requests answered in one callback
	replayLimit  = 16 << 10
	interimLimit = 16 // 1xx heads before the final one
)

// Bounds of an orderly close (RFC 9112, 9.6).
const (
	lingerSilence = 5 * time.Second
	lingerTotal   = 30 * time.Second
)

// stallLimit is how long a client may hold up its upload before a failure of the endpoint
// is no longer the endpoint's: it may have lost its patience, not its health.
const stallLimit = int64(time.Second)

// halfClosedGrace is how long, in ns, a client's end of stream may stand beside a request
// that waits for a connection. A client that has nothing more to say may send it right
// behind the request and still want the answer; one that has left waits for nothing.
const halfClosedGrace = int64(100 * time.Millisecond)

// settings are what a client connection keeps from the snapshot it was accepted under.
// Durations are nanoseconds; 0 is none where the configuration allows it.
type settings struct {
	header, idle, bodyIdle, body, tunnel, writeIdle int64

	limits    h1.Limits
	bodyBytes int64 // 0 = no limit
	ending    netpoll.Lingering
}

func newSettings(c *config.Config) *settings {
	t, l := c.Timeouts, c.Limits
	return &settings{
		header:    int64(t.Header),
		idle:      int64(t.Idle),
		bodyIdle:  int64(t.BodyIdle),
		body:      int64(t.Body),
		tunnel:    int64(t.Tunnel),
		writeIdle: int64(t.WriteIdle),
		limits:    h1.Limits{HeadBytes: int(l.HeaderBytes), FieldCount: l.HeaderCount, TargetBytes: int(l.URIBytes)},
		bodyBytes: l.BodyBytes,
		ending:    netpoll.Lingering{WriteIdle: t.WriteIdle, Silence: lingerSilence, Total: lingerTotal},
	}
}
