// Package pool keeps idle upstream connections and counts how many connections there may be.
//
// It holds no sockets: a connection embeds an Entry and is linked into the list of its worker
// and key. Lists belong to one worker and are not locked. Permits are shared by all workers.
//
// Connections are taken newest first. The newest is the least likely to have been closed by
// the upstream, and the others grow old together, so that a pool shrinks to what it uses.
package pool
