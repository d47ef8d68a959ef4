package engine

import "time"

// dateClock is the Date of a worker's own answers, formatted at most once a second.
type dateClock struct {
	text  []byte
	until int64 // loop time up to which text is right, ns
}

// append appends the date at the loop time now.
func (c *dateClock) append(dst []byte, now int64) []byte {
	if now >= c.until {
		wall := time.Now().UTC()
		c.text = wall.AppendFormat(c.text[:0], "Mon, 02 Jan 2006 15:04:05 GMT")
		c.until = now + int64(time.Second) - int64(wall.Nanosecond())
	}
	return append(dst, c.text...)
}
