package engine_test

import (
	"time"

	"millrace/engine"
)

// maxQueued is the most that waits in the proxy for one slow reader: what is below the
// mark, and one read on top.
const maxQueued = engine.HighMark + engine.LargestRead + 64<<10

// standsStill waits until no more bytes come into the proxy's queues.
func (p *proxy) standsStill() {
	p.t.Helper()
	last, same := -1, 0
	eventually(p.t, "nothing moves", func() bool {
		n := p.engine.Queued()
		if n != last {
			last, same = n, 0
		}
		same++
		time.Sleep(2 * time.Millisecond)
		return same > 10
	})
}
