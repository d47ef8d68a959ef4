package engine_test

import (
	"strings"
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

// full is an idle client connection that has not taken all of its answers: the last is
// complete, and the end of it waits in the proxy's queue. answers are all of them.
func (p *proxy) full(u *upstream) (client, end *wire, answers string) {
	p.t.Helper()
	client = p.dialNarrow()
	answer := ok(strings.Repeat("x", 20<<10))
	for p.engine.Queued() == 0 {
		client.get("/")
		if end == nil {
			end = u.accept()
		}
		end.seeHead()
		end.send(answer)
		answers += answer
		p.standsStill()
	}
	return client, end, answers
}
