// Package engine is millrace's data plane: it compiles a configuration into an immutable
// snapshot and carries exchanges between downstream and upstream connections on the event
// loops of package netpoll.
//
// A worker owns one loop and everything on it: its listeners, its clients' connections
// (downstream), its idle and busy connections to endpoints (upstream) and its exchanges.
// Nothing of that is shared. Between workers cross only the snapshot pointer, the atomics
// of endpoints, permits and counters.
//
// An exchange is one request and its answer, whatever the protocol on either side. It
// decides; downstream and upstream speak. An attempt is one try of an exchange on one
// endpoint and ends in exactly one place. No body is ever held whole: a side is read only
// while what waits for the other is below a mark.
package engine
