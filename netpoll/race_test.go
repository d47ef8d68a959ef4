//go:build race

package netpoll_test

// manyConns is fewer here: the detector makes each several times as dear.
const manyConns = 2_000
