// Package lb decides which endpoint of a cluster gets the next attempt of an exchange.
//
// A Cluster is immutable: the endpoints of one configuration, grouped into tiers by priority,
// each tier with the tables that its draws need. All workers share it. A Picker is one worker's
// view of it and holds what only that worker changes: its random numbers and its place in the
// round. Between workers nothing is shared but the active count of each endpoint, one atomic
// on a cache line of its own.
//
// What belongs to an endpoint lives as long as the endpoint, over any number of reloads; what
// the configuration says of it (weight, priority) lives in the Cluster. So a pick sees one
// configuration and never half of two.
//
// A pick costs the same for three endpoints and for thousands, and allocates nothing. Only an
// exchange that already tried nearly all the weight of a tier pays for a pass over the tier.
// There is no I/O, no lock and no clock in this package.
package lb
