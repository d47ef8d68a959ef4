// Package netpoll is millrace's event loop: connections, listeners, dialling and timers
// on gnet's Poller (epoll on Linux, kqueue elsewhere), not on gnet's Engine.
//
// A [Loop] is one goroutine. Everything that belongs to it (its [Conn], [Listener] and
// [Timer] values) is touched by that goroutine alone; the only door from other goroutines
// is [Loop.Post]. Nothing on a loop blocks.
//
// Every socket is registered once, edge-triggered, for reading and writing, and stays
// registered until it is closed. A connection remembers whether it is readable: pausing is
// not reading, resuming is reading. What the poller reports is a hint and is confirmed by
// the system call that follows, so that a report meant for an earlier owner of a
// descriptor number does no harm.
//
// Bytes that a socket does not take at once wait in the connection's queue, in blocks that
// the loop owns. The queue itself has no ceiling: whoever writes looks at [Conn.Queued] and
// stops reading the other side above its high mark.
package netpoll
