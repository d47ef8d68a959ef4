//go:build !race

package netpoll_test

const (
	manyConns     = 10_000
	manyTransfers = 40
)
