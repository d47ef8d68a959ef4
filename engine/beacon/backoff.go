package beacon

import (
	"context"
	"time"
)

const (
	firstWait = 30 * time.Second
	lastWait  = 10 * time.Minute
)

// A backoff is how long to wait after the next failure. Its zero value begins anew.
type backoff time.Duration

// next returns the wait after one more failure: 30 s, doubled each time up to 10 min.
func (b *backoff) next() time.Duration {
	wait := min(max(time.Duration(*b), firstWait), lastWait)
	*b = backoff(2 * wait)
	return wait
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
