package lb

import (
	"maps"
	"strings"
	"sync"
)

// Breakers are the breakers of one configuration. Clusters made with the same Breakers share
// one where address, scheme and settings are the same. It is safe for concurrent use.
type Breakers struct {
	wiring *wiring

	mu     sync.Mutex // guards own
	own    map[breakerKey]*breaker
	before map[breakerKey]*breaker // of the configuration before, not changed any more
}

type breakerKey struct {
	address, scheme string
	settings        BreakerSettings
}

// NewBreakers returns an empty set. notify, which may be nil, is called for each Transition, by
// the goroutine that caused it, in a Begin, Report, Finish or Settle, with no lock held. It must
// not wait.
func NewBreakers(notify func(Transition)) *Breakers {
	return &Breakers{wiring: &wiring{notify: notify}, own: make(map[breakerKey]*breaker)}
}

// Next returns the set for the configuration that follows. What both configurations name stays
// the same breaker; b itself goes on as before, also when the new set is thrown away.
func (b *Breakers) Next() *Breakers {
	b.mu.Lock()
	defer b.mu.Unlock()
	// The map is shared from here on: b writes to a copy.
	before := b.own
	b.own = make(map[breakerKey]*breaker, len(before))
	maps.Copy(b.own, before)
	return &Breakers{wiring: b.wiring, own: make(map[breakerKey]*breaker), before: before}
}

// Keep forgets the breakers that no endpoint of clusters has. They are all the Clusters that
// were made with b and are in use; older ones keep what they have.
func (b *Breakers) Keep(clusters []*Cluster) {
	used := make(map[*breaker]bool)
	for _, c := range clusters {
		for i := range c.seats {
			used[c.seats[i].breaker] = true
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = nil
	maps.DeleteFunc(b.own, func(_ breakerKey, found *breaker) bool { return !used[found] })
}

// Settle ends the flapping of breakers that have been quiet for long enough at now. It is to be
// called from time to time, once a second say.
func (b *Breakers) Settle(now int64) {
	for _, f := range b.wiring.flapping.takeSettled(now) {
		b.wiring.tell(Transition{Change: CircuitSettled, Address: f.address, At: now})
	}
}

// find returns the breaker of o. old is the one that the endpoint had so far, or nil: if there
// is none with the settings yet, a new one goes on in the state of old.
func (b *Breakers) find(o *EndpointOptions, s BreakerSettings, old *breaker) *breaker {
	scheme, _, _ := strings.Cut(o.URL, "://")
	key := breakerKey{o.Address, scheme, s}
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.own[key]
	if found == nil {
		found = b.before[key]
	}
	if found == nil {
		found = newBreaker(o.Address, s, b.wiring)
		if old != nil {
			found.inherit(old)
		}
	}
	b.own[key] = found
	return found
}

// inherit takes over the state of old. A trial that is out there is not waited for.
func (b *breaker) inherit(old *breaker) {
	b.word.Store(uint64(old.load() &^ trialBit))
	b.failing.copyFrom(&old.failing)
	b.opened.Store(old.opened.Load())
	b.reopened.Store(old.reopened.Load())
	b.flaps = old.flaps
}
