package stats

import (
	"sync"
	"time"
)

// A ReloadResult says how a reload ended.
type ReloadResult uint8

const (
	ReloadApplied ReloadResult = iota
	ReloadUnchanged
	ReloadRejected
	reloadResultCount
)

var reloadResultNames = [reloadResultCount]string{
	ReloadApplied: "applied", ReloadUnchanged: "unchanged", ReloadRejected: "rejected",
}

// String is the label value of r.
func (r ReloadResult) String() string { return reloadResultNames[r] }

// configState tells of the loads of the configuration.
type configState struct {
	mu      sync.Mutex
	good    bool      // the last load succeeded
	goodAt  time.Time // of the last load that succeeded
	reloads [reloadResultCount]int64
}

// ConfigLoaded records the first load of the configuration, which succeeded.
func (r *Registry) ConfigLoaded(at time.Time) {
	r.config.mu.Lock()
	defer r.config.mu.Unlock()
	r.config.good, r.config.goodAt = true, at
}

// ConfigReloaded records the end of a reload. An unchanged configuration was
// loaded with success.
func (r *Registry) ConfigReloaded(result ReloadResult, at time.Time) {
	r.config.mu.Lock()
	defer r.config.mu.Unlock()
	r.config.reloads[result]++
	r.config.good = result != ReloadRejected
	if r.config.good {
		r.config.goodAt = at
	}
}

// success is 1 if the last load succeeded, else 0.
func (c *configState) success() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.good {
		return 1
	}
	return 0
}

// successTime is the Unix time in seconds of the last load that succeeded, 0
// before the first.
func (c *configState) successTime() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.goodAt.IsZero() {
		return 0
	}
	return float64(c.goodAt.UnixMilli()) / 1000
}

func (c *configState) results() [reloadResultCount]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reloads
}
