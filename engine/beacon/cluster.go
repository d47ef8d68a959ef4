package beacon

import "errors"

// A Cluster holds the members of one receiver, which tells it what to change. The calls
// come one at a time. They may block, and may ask the receiver for Records and Counters.
type Cluster interface {
	// Apply makes one change. After it has returned nil, Owns agrees with it.
	Apply(c Change, m Member) error
	// Owns reports whether this receiver's Add or Adopt has made the endpoint of that
	// canonical URL, and it is still there. Enabled or not plays no part.
	Owns(url string) bool
}

// ErrNotManaged is what Apply returns for a member that is in the cluster already without
// the receiver: it is configured, say, or belongs to another receiver. It is left alone.
var ErrNotManaged = errors.New("member not managed by beacon")

// ErrHeld is what Apply returns for a Remove while an operator's word about the endpoint holds, which
// would be lost with it. It is tried again by and by.
var ErrHeld = errors.New("member held by an operator")

// A Change is what a receiver wants of a member.
type Change uint8

// The changes. Of the states of an endpoint they touch "disabled" alone, never what an
// operator said, health or the breaker. Each may come twice.
const (
	// Add makes the member an endpoint that gets requests.
	Add Change = iota
	// Adopt makes it an endpoint that gets none until Enable.
	Adopt
	// Enable lets it have requests again.
	Enable
	// Disable takes it out of rotation.
	Disable
	// Remove ends the endpoint. The member may come back by Add.
	Remove
)

// String returns the name of the change in lower case.
func (c Change) String() string {
	return [...]string{"add", "adopt", "enable", "disable", "remove"}[c]
}
