// Package lb decides which endpoint of a cluster gets the next attempt of an exchange, and what
// follows from how attempts end: circuits that open, latencies that count, retries that are
// paid for.
//
// A Cluster is the endpoints of one configuration, grouped into tiers by priority. Which of them
// may be picked now depends on the operator, the active checks and the circuits. It is kept in an
// immutable table behind one pointer; two counters tell when a table is out of date, and the next
// pick then makes another one. A Picker is one worker's view and holds what only that worker
// changes: its random numbers, its place in the round, what it knows of loads. Between workers
// nothing is written per attempt but the active count and the latency of the endpoint, which
// share a cache line of their own. Failures write the breaker's window, and retries the budget.
//
// What belongs to an endpoint lives as long as the endpoint, over any number of reloads; what
// the configuration says of it (weight, priority, breaker) lives in the Cluster. So a pick sees
// one configuration and never half of two. Breakers belong to neither: those of one address and
// the same settings are one.
//
// A pick costs about the same for three endpoints and for thousands, and allocates nothing. Only
// an exchange that already tried nearly all the weight of a tier, or a tier that has hardly room,
// pays for a pass over the tier. There is no I/O and no clock in this package: times are
// arguments, monotonic nanoseconds. Picks and ends of attempts take no lock, but for the first
// one after a change.
package lb
