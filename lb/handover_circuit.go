package lb

import (
	"cmp"
	"slices"
)

// A CircuitRecord is the state of a breaker, for the process that follows. It is made to be
// stored as JSON. Times are nanoseconds before or after the moment of the export, since the
// clocks of two processes have nothing in common.
type CircuitRecord struct {
	Address  string          `json:"address"`
	Scheme   string          `json:"scheme"`
	Settings BreakerSettings `json:"settings"`

	Circuit  string          `json:"circuit"`
	Wait     int64           `json:"wait_ns,omitempty"`     // open: until the trial; 0 or less = it is due
	Passes   int             `json:"passes,omitempty"`      // half-open: trials that passed
	Closed   int64           `json:"closed_ns,omitempty"`   // closed: since then; 0 = it never opened
	Failures []FailureRecord `json:"failures,omitempty"`    // of the window, if closed
	Opened   int64           `json:"opened,omitempty"`      // how often
	Reopened int64           `json:"reopened,omitempty"`    // how often
	Changes  []int64         `json:"transitions,omitempty"` // since each of those that count for flapping, in their order
	Last     int64           `json:"last_ns,omitempty"`     // since the last one
	Flapping bool            `json:"flapping,omitempty"`
}

// A FailureRecord is some failures of a window.
type FailureRecord struct {
	Age   int `json:"age"` // in parts of the window, of which there are 32
	Count int `json:"count"`
}

// Export returns the state at now of the breakers that ever changed or failed. A trial that is
// out is not waited for.
func (b *Breakers) Export(now int64) []CircuitRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []CircuitRecord
	for key, own := range b.own {
		r := CircuitRecord{Address: key.address, Scheme: key.scheme, Settings: key.settings}
		if own.export(&r, now) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b CircuitRecord) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Scheme, b.Scheme))
	})
	return all
}

// export fills r and reports whether there is anything to tell.
func (b *breaker) export(r *CircuitRecord, now int64) bool {
	w := b.load()
	r.Circuit = w.circuit().String()
	switch w.circuit() {
	case Open:
		r.Wait = w.availableAt() - now
	case HalfOpen:
		r.Passes = int(w.detail())
	case Closed:
		if since := w.detail(); since != 0 {
			r.Closed = max(1, now-int64(since<<tickShift))
		}
		r.Failures = b.failing.export(w.generation(), now)
	}
	r.Opened, r.Reopened = b.opened.Load(), b.reopened.Load()
	b.flaps.export(r, now)
	return w.circuit() != Closed || w.detail() != 0 || len(r.Failures) > 0 || r.Opened != 0
}

func (f *failureWindow) export(g generation, now int64) []FailureRecord {
	number := uint32(now / f.width)
	var all []FailureRecord
	for age := range windowBuckets {
		its := number - uint32(age)
		w := f.buckets[its%windowBuckets].Load()
		if count := int(w & countMask); count > 0 && w == bucketWord(g, its, uint64(count)) {
			all = append(all, FailureRecord{Age: age, Count: count})
		}
	}
	return all
}

func (f *flaps) export(r *CircuitRecord, now int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, at := range f.times {
		r.Changes = append(r.Changes, now-at)
	}
	if f.window != 0 { // there was a transition
		r.Last = now - f.last
	}
	r.Flapping = f.on
}

// Import has the breakers of b go on, at now, in the state that records tell. It is for breakers
// that are new: one that has a state already keeps it. One whose settings are new goes on in the
// state of its address and scheme, as over a reload. Records of others, or that make no sense,
// are left aside.
func (b *Breakers) Import(records []CircuitRecord, now int64) {
	exact := make(map[breakerKey]*CircuitRecord, len(records))
	near := make(map[breakerKey]*CircuitRecord, len(records))
	for i := range records {
		r := &records[i]
		exact[breakerKey{r.Address, r.Scheme, r.Settings}] = r
		near[breakerKey{address: r.Address, scheme: r.Scheme}] = r
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, own := range b.own {
		r := exact[key]
		if r == nil {
			r = near[breakerKey{address: key.address, scheme: key.scheme}]
		}
		if r != nil && own.load() == 0 {
			own.restore(r, now)
		}
	}
	b.wiring.wake()
}

// restore makes the state of r that of a breaker that has none yet.
func (b *breaker) restore(r *CircuitRecord, now int64) {
	circuit := slices.Index(circuitNames[:], r.Circuit)
	switch Circuit(circuit) {
	case Open:
		due := uint64(0)
		if r.Wait > 0 {
			due = tickAfter(now, min(r.Wait, int64(b.settings.OpenDuration)))
		}
		b.word.Store(uint64(newCircuitWord(Open, 0, due)))
	case HalfOpen:
		passes := min(max(0, r.Passes), b.settings.ConsecutivePasses-1)
		b.word.Store(uint64(newCircuitWord(HalfOpen, 0, uint64(passes))))
	case Closed:
		if r.Closed > 0 { // a ramp that began before our clock did begins with it
			b.word.Store(uint64(newCircuitWord(Closed, 0, uint64(max(1, (now-r.Closed)>>tickShift)))))
		}
		if r.Settings.Window == b.settings.Window {
			b.failing.restore(r.Failures, now)
		}
	default:
		return
	}
	b.opened.Store(max(0, r.Opened))
	b.reopened.Store(max(0, r.Reopened))
	if b.flaps.restore(r, now) {
		b.wiring.flapping.add(b.flaps)
	}
}

func (f *failureWindow) restore(failures []FailureRecord, now int64) {
	number := uint32(now / f.width)
	for _, r := range failures {
		if r.Age < 0 || r.Age >= windowBuckets || r.Count <= 0 {
			continue
		}
		its := number - uint32(r.Age) // before the beginning of time it is a large number, and as good
		f.buckets[its%windowBuckets].Store(bucketWord(0, its, uint64(min(r.Count, countMask))))
	}
}

// restore reports whether f flaps.
func (f *flaps) restore(r *CircuitRecord, now int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, age := range r.Changes {
		f.times = append(f.times, now-max(0, age))
	}
	f.last, f.window, f.on = now-max(0, r.Last), int64(r.Settings.FlappingWindow), r.Flapping
	return f.on
}
