package lb

// A State is what an operator or the discovery says of an endpoint.
type State uint8

const (
	// Enabled gets requests.
	Enabled State = iota
	// Drain gets none but those of clients that are tied to the endpoint.
	Drain
	// Stopped gets none.
	Stopped
	// Disabled gets none: the member has not announced itself for too long.
	Disabled
)

var stateNames = [...]string{Enabled: "enabled", Drain: "drain", Stopped: "stopped", Disabled: "disabled"}

// String returns the name of s in the admin API.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// Health is the verdict of the active checks.
type Health uint8

const (
	// Unchecked counts as healthy: there is no check, or no verdict yet.
	Unchecked Health = iota
	// Healthy may get requests.
	Healthy
	// Unhealthy gets none.
	Unhealthy
)

var healthNames = [...]string{Unchecked: "unchecked", Healthy: "healthy", Unhealthy: "unhealthy"}

// String returns the name of h in the admin API.
func (h Health) String() string {
	if int(h) < len(healthNames) {
		return healthNames[h]
	}
	return "unknown"
}

// statusBits are what an endpoint holds of itself: the operator's word (2 bits), the verdict (2
// bits) and whether the discovery has disabled it.
type statusBits uint32

const (
	healthShift = 2
	stateBits   = 1<<healthShift - 1
	healthBits  = stateBits << healthShift
	disabledBit = 1 << (2 * healthShift)
)

func (s statusBits) health() Health { return Health(s & healthBits >> healthShift) }

func (s statusBits) state() State {
	if own := State(s & stateBits); own != Enabled {
		return own
	}
	if s&disabledBit != 0 {
		return Disabled
	}
	return Enabled
}

// serves reports whether an endpoint may get requests, of tied clients or of all.
func (s statusBits) serves(tied bool) bool {
	state := s.state()
	return s.health() != Unhealthy && s&disabledBit == 0 && (state == Enabled || state == Drain && tied)
}

// State returns what holds for e: the operator's word if there is one, else Disabled if the
// discovery says so.
func (e *Endpoint) State() State { return e.bits().state() }

// Health returns the verdict of the active checks.
func (e *Endpoint) Health() Health { return e.bits().health() }

// SetAdmin is the operator's word: Drain, Stopped, Disabled, or Enabled, which takes it back. It
// is in force for every pick that begins after it returned, and stays over reloads.
func (e *Endpoint) SetAdmin(s State) { e.setBits(stateBits, uint32(s)&stateBits) }

// SetDisabled is the word of the discovery about a member that went silent, or is back.
func (e *Endpoint) SetDisabled(disabled bool) {
	if disabled {
		e.setBits(disabledBit, disabledBit)
		return
	}
	e.setBits(disabledBit, 0)
}

// SetHealth is the verdict of the active checks.
func (e *Endpoint) SetHealth(healthy bool) {
	verdict := uint32(Unhealthy)
	if healthy {
		verdict = uint32(Healthy)
	}
	e.setBits(healthBits, verdict<<healthShift)
}

// ForgetHealth makes e unchecked: there are no active checks any more.
func (e *Endpoint) ForgetHealth() { e.setBits(healthBits, 0) }

// SetWeight sets the weight in force, 1 to MaxWeight, instead of the configured one; 0 takes
// that back. It stays over reloads and moves no key of the affinity.
func (e *Endpoint) SetWeight(n int) {
	if w := clampWeight(n); e.override.Swap(w) != w {
		e.line.changes.Add(1)
	}
}

// SetCapacity changes the most attempts at a time; 0 = any number.
func (e *Endpoint) SetCapacity(n int) { e.capacity.Store(int64(max(n, 0))) }

func (e *Endpoint) bits() statusBits { return statusBits(e.status.Load()) }

// setBits gives the bits of mask their new value. The Clusters of the line see it in their next
// pick.
func (e *Endpoint) setBits(mask, value uint32) {
	for {
		old := e.status.Load()
		next := old&^mask | value
		if next == old {
			return
		}
		if e.status.CompareAndSwap(old, next) {
			e.line.changes.Add(1)
			return
		}
	}
}
