package engine

import "time"

// wallStep is for how long a worker derives the time of day from its loop's clock before it
// looks again: a clock that was set is followed within a second.
const wallStep = int64(time.Second)

// A wallClock tells the time of day of moments on a loop's clock.
type wallClock struct {
	offset int64 // Unix time minus loop time, ns
	until  int64 // loop time up to which offset is used
}

// unix is the Unix time of the loop time at, in nanoseconds. now is the loop time.
func (c *wallClock) unix(at, now int64) int64 {
	if now >= c.until {
		c.set(now, time.Now().UnixNano())
	}
	return at + c.offset
}

// set has the loop time now be the Unix time wall.
func (c *wallClock) set(now, wall int64) {
	c.offset = wall - now
	c.until = now + wallStep
}

// secondText is a second as a log writes it, formatted when the second or the layout changes.
type secondText struct {
	second int64 // Unix time, s
	layout string
	text   []byte
}

// of is the second of unix (ns) in UTC, good until the next call, and what of unix is behind
// that second.
func (s *secondText) of(unix int64, layout string) (text []byte, fraction int64) {
	second, fraction := unix/int64(time.Second), unix%int64(time.Second)
	if second != s.second || layout != s.layout {
		s.second, s.layout = second, layout
		s.text = time.Unix(second, 0).UTC().AppendFormat(s.text[:0], layout)
	}
	return s.text, fraction
}
