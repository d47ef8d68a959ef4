package discovery

import "time"

// When a name is looked up again.
const (
	floor       = time.Second      // of a TTL, and between any two lookups
	ceiling     = 5 * time.Minute  // of a TTL
	longestWait = 30 * time.Second // after failures, or while there is no such name
	believed    = 3                // times in a row there is no such name, and it is believed
)

// refresh returns the least and the most time from a good answer to the next lookup, which is
// ahead of its expiry.
func refresh(ttl time.Duration) (least, most time.Duration) {
	ttl = clampTTL(ttl)
	return ttl * 80 / 100, ttl * 95 / 100
}

// clampTTL brings a TTL between the floor and the ceiling.
func clampTTL(ttl time.Duration) time.Duration { return min(max(ttl, floor), ceiling) }

// backoff returns the least and the most time to the next lookup after so many in a row that
// came to nothing, the first of which is 1: one second, twice as long each time.
func backoff(times int) (least, most time.Duration) {
	const enough = 6 // more doublings than it takes
	d := min(floor<<min(max(times-1, 0), enough), longestWait)
	return d * 80 / 100, d
}

// between returns the time at a part, from 0 to 1, of the way from least to most. No time is
// below the floor; one that would be is spread a little above it, so that names that began
// together part.
func between(least, most time.Duration, part float64) time.Duration {
	d := least + time.Duration(part*float64(most-least))
	if least >= floor {
		return d
	}
	return max(d, floor+time.Duration(part*float64(floor/10)))
}
