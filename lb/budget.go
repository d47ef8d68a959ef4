package lb

import (
	"math"
	"sync/atomic"
	"time"
)

// BudgetSettings say how many retries a cluster may make: a bucket of tokens that starts full.
type BudgetSettings struct {
	// MaxRetryRate is the part of a token that a success deposits, 0 to 1.
	MaxRetryRate float64
	// MaxTokens is what the bucket holds at most; 1 to 1,000,000.
	MaxTokens int
	// RefillRate is the tokens per second that time adds; 0 to 1,000,000.
	RefillRate float64
}

// A Budget is the tokens of one cluster, shared by all workers and by all Clusters of a line
// while the settings stay. Each retry takes one token. It is safe for concurrent use.
//
// The bucket is one word: the tokens in units of 1/1024, and above them the time up to which it
// was refilled, in ticks. Successes do not touch it until a worker has a whole token to
// deposit.
type Budget struct {
	word     atomic.Uint64
	settings BudgetSettings
	deposit  int64   // of a success, in millionths of a token
	most     uint64  // units
	perTick  float64 // units that a tick of time adds
}

const (
	tokenUnit      = 1 << 10
	unitBits       = 30
	budgetTick     = 20 // 2^20 ns, about 1 ms; 34 bits of them last 208 days
	wholeDeposit   = 1_000_000
	mostTokens     = 1_000_000
	budgetTickMask = 1<<(64-unitBits) - 1
	budgetAhead    = 1 << 16 // ticks
)

const _ = uint(1<<unitBits - mostTokens*tokenUnit - 1) // does not compile when the units do not fit

// newBudget returns the budget for s, or nil. That of prev goes on if the settings are the same;
// else its tokens move to the new bucket.
func newBudget(s *BudgetSettings, prev *Cluster) *Budget {
	if s == nil {
		return nil
	}
	var before *Budget
	if prev != nil {
		before = prev.budget
	}
	if before != nil && before.settings == *s {
		return before
	}
	tokens := min(max(s.MaxTokens, 1), mostTokens)
	b := &Budget{
		settings: *s,
		deposit:  int64(math.Round(s.MaxRetryRate * wholeDeposit)),
		most:     uint64(tokens) * tokenUnit,
		perTick:  s.RefillRate * tokenUnit * (1 << budgetTick) / 1e9,
	}
	b.word.Store(b.most)
	if before != nil {
		word := before.word.Load()
		b.word.Store(word&^(1<<unitBits-1) | min(word&(1<<unitBits-1), b.most))
	}
	return b
}

// Take takes the token of one retry at now, or returns false: then the retry must not be made.
// A nil Budget has any number of tokens.
func (b *Budget) Take(now int64) bool {
	if b == nil {
		return true
	}
	for {
		old := b.word.Load()
		units, tick := b.refilled(old, now)
		if units < tokenUnit {
			return false
		}
		if b.word.CompareAndSwap(old, tick<<unitBits|(units-tokenUnit)) {
			return true
		}
	}
}

// Tokens returns how many tokens there are at now.
func (b *Budget) Tokens(now int64) float64 {
	units, _ := b.refilled(b.word.Load(), now)
	return float64(units) / tokenUnit
}

// RetryAfter returns in how many whole seconds from now time will have added a token, at least
// 1. It is 1 as well when time adds none and only a success can.
func (b *Budget) RetryAfter(now int64) int {
	units, tick := b.refilled(b.word.Load(), now)
	if units >= tokenUnit || b.perTick == 0 {
		return 1
	}
	since := float64((uint64(now)>>budgetTick - tick) & budgetTickMask) // already on the way
	ticks := float64(tokenUnit-units)/b.perTick - since
	// A few ticks are lost to rounding; they are not worth a whole second.
	seconds := math.Ceil((ticks - 4) * (1 << budgetTick) / float64(time.Second))
	return int(min(max(seconds, 1), math.MaxInt32))
}

// refilled returns the units in word with what time has added until now, and up to which tick
// that is paid.
func (b *Budget) refilled(word uint64, now int64) (units, tick uint64) {
	units, tick = word&(1<<unitBits-1), word>>unitBits
	at := uint64(now) >> budgetTick & budgetTickMask
	elapsed := (at - tick) & budgetTickMask
	if elapsed > budgetTickMask-budgetAhead {
		return units, tick // the clock of another worker is a little ahead
	}
	add := math.Floor(float64(elapsed) * b.perTick)
	switch {
	case float64(units)+add >= float64(b.most):
		return b.most, at
	case add == 0:
		return units, tick
	}
	// Paid is only what makes whole units; the rest of the time is kept for the next.
	paid := min(uint64(math.Ceil(add/b.perTick)), elapsed)
	return units + uint64(add), (tick + paid) & budgetTickMask
}

// add puts a whole token into the bucket; what it cannot hold is lost.
func (b *Budget) add() {
	for {
		old := b.word.Load()
		units := min(old&(1<<unitBits-1)+tokenUnit, b.most)
		next := old&^(1<<unitBits-1) | units
		if old == next || b.word.CompareAndSwap(old, next) {
			return
		}
	}
}

// deposit pays a success into the fund of the worker, and a whole token into the bucket.
func (p *Picker) deposit() {
	b := p.cluster.budget
	if b == nil {
		return
	}
	if p.fund += b.deposit; p.fund >= wholeDeposit {
		p.fund -= wholeDeposit
		b.add()
	}
}
