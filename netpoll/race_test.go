//go:build race

package netpoll_test

// Fewer here: the detector makes each several times as dear.
const (
	manyConns     = 2_000
	manyTransfers = 12
)
