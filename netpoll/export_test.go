package netpoll

import gnetlog "github.com/panjf2000/gnet/v2/pkg/logging"

// FD is the descriptor of c, for tests.
func (c *Conn) FD() int { return c.fd }

// FD is the descriptor of n, for tests.
func (n *Listener) FD() int { return n.fd }

// Closing are the descriptors that wait to be closed, for tests.
func (l *Loop) Closing() []int { return append([]int(nil), l.turn.closing...) }

// LogError logs as gnet's poller does, for tests.
func LogError(text string) { gnetlog.Errorf("%s", text) }
