// Package admin is the operators' listener: metrics, health, version and an API
// in JSON over HTTP/1.1, on a socket of its own. Nothing it serves is ever
// reachable through a listener for traffic.
//
// Paths match exactly, as the client wrote them: no cleaning, no prefix; only
// the name of a cluster is decoded. What is not listed in routes.go does not
// exist. gate.go says who may do what.
//
// What it tells and does comes through State, View, Control and a
// stats.Registry, so that it knows nothing of the data plane.
package admin
