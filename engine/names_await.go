package engine

import (
	"time"

	"millrace/engine/discovery"
)

// firstAnswers is how long a process that takes over waits for the names that the one before
// did not know. That one serves meanwhile.
const firstAnswers = 5 * time.Second

// await waits until every name has been looked up once, or limit is over.
func (n *names) await(limit time.Duration) {
	const pause = 10 * time.Millisecond
	for end := time.Now().Add(limit); n.pending() && time.Now().Before(end); {
		time.Sleep(pause)
	}
}

// pending reports whether there is a name whose first lookup has not ended.
func (n *names) pending() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.watches {
		if w.watch != nil && w.watch.Answer().Status == discovery.Pending {
			return true
		}
	}
	return false
}
