package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// longestPause is what a client waits at most between two visits.
const longestPause = 10 * time.Millisecond

// A crowd is clients that come again and again.
type crowd struct {
	place   *place
	verdict *verdict
	seed    uint64
	visits  []atomic.Int64 // by behaviour
}

func newCrowd(p *place, v *verdict, seed uint64) *crowd {
	return &crowd{place: p, verdict: v, seed: seed, visits: make([]atomic.Int64, len(behaviours))}
}

// load keeps n clients busy until ctx ends, and returns when the last has left. What they
// do is drawn from the seed, the round and their number.
func (c *crowd) load(ctx context.Context, round, n int) {
	var all sync.WaitGroup
	for i := range n {
		rng := rand.New(rand.NewPCG(c.seed, uint64(round)<<32|uint64(i)))
		all.Go(func() {
			for ctx.Err() == nil && c.verdict.violations() < mostViolations {
				c.visit(rng)
				time.Sleep(time.Duration(rng.Int64N(int64(longestPause))))
			}
		})
	}
	all.Wait()
}

func (c *crowd) visit(rng *rand.Rand) {
	i := drawBehaviour(rng)
	c.visits[i].Add(1)
	if err := behaviours[i].visit(&visit{c.place, rng}); err != nil {
		c.verdict.violated("%s: %v", behaviours[i].name, err)
	}
}
