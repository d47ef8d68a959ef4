// Package admin is the operators' listener: metrics, health and version over
// HTTP/1.1, on a socket of its own. Nothing it serves is ever reachable through
// a listener for traffic.
//
// Paths match exactly, as the client wrote them: no cleaning, no decoding, no
// prefix. What is not listed in routes.go does not exist.
//
// What it tells comes through State and a stats.Registry, so that it knows
// nothing of the data plane.
package admin
