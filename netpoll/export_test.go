package netpoll

// FD is the descriptor of c, for tests.
func (c *Conn) FD() int { return c.fd }

// Closing are the descriptors that wait to be closed, for tests.
func (l *Loop) Closing() []int { return append([]int(nil), l.turn.closing...) }
