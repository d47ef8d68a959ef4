package admin

import (
	"errors"
	"time"
)

// ErrNoEndpoint is what Control.SetEndpoint wraps when there is no such cluster, or no
// such endpoint in it.
var ErrNoEndpoint = errors.New("no such endpoint")

// ErrDraining is what Control.Reload wraps when the process takes no new
// configuration because it is shutting down.
var ErrDraining = errors.New("draining")

// ErrUpgrading is what the methods of a Control wrap while another process is about to take
// over, so that a change would be lost.
var ErrUpgrading = errors.New("an upgrade is under way")

// A View is what the API shows. Its methods are called by several goroutines at
// once; what they return is the caller's.
type View interface {
	// Clusters returns every cluster, in any order, with its endpoints as they
	// are now.
	Clusters() []Cluster
	// Routes returns the routes in the order of the configuration.
	Routes() []Route
	// Beacons returns what the receivers of announcements keep track of.
	Beacons() []Beacon
	// Config returns the configuration in force as a JSON text without secrets.
	Config() ([]byte, error)
}

// A Control is what the API changes. Its methods are called by several
// goroutines at once.
type Control interface {
	// Reload loads the configuration again and returns when it is in force, or
	// refused: then err has a line for every error and all is as before. changed
	// is false if it was in force already.
	Reload() (changed bool, err error)
	// SetEndpoint changes an endpoint and returns it as it is then. It is in force
	// for every pick of a request that begins after the return; with an error all
	// is as before.
	SetEndpoint(cluster, id string, c EndpointChange) (Endpoint, error)
	// SetLogLevel has lines of the level, and of more severe ones, written from
	// now on. level is debug, info, warn or error.
	SetLogLevel(level string) error
}

// A Cluster is a cluster as operators see it.
type Cluster struct {
	Name      string     `json:"name"`
	Algorithm string     `json:"algorithm"`
	Endpoints []Endpoint `json:"endpoints"`
}

// An Endpoint is an endpoint as operators see it.
type Endpoint struct {
	ID       string  `json:"id"`       // opaque; unique in its cluster, the same after a reload and a restart
	URL      string  `json:"url"`      // canonical origin
	Address  string  `json:"address"`  // ip:port, or unix: and a path
	Origin   string  `json:"origin"`   // static, dns, srv or beacon
	State    string  `json:"state"`    // enabled, drain, stopped or disabled
	Health   string  `json:"health"`   // healthy, unhealthy or unchecked
	Circuit  string  `json:"circuit"`  // closed, open or half_open
	Weight   int     `json:"weight"`   // in force
	Priority int     `json:"priority"` // lower is tried first
	Active   int64   `json:"active"`   // attempts in flight
	EWMA     float64 `json:"ewma_ms"`  // of the latency; 0 = not measured
	Requests int64   `json:"requests"` // attempts that got a response
	Failures int64   `json:"failures"` // attempts that failed by its fault
}

// An EndpointChange is what an operator asks of an endpoint. What is zero stays as
// it is.
type EndpointChange struct {
	State  string // enabled, drain or stopped
	Weight int    // 1 to 1000000
}

// A Beacon is an endpoint that announces itself, as the receiver of its
// announcements knows it.
type Beacon struct {
	Cluster  string    `json:"cluster"`
	Listen   string    `json:"listen"` // of the receiver, as configured
	URL      string    `json:"url"`    // canonical origin
	State    string    `json:"state"`  // live, evicted or failed
	LastSeen time.Time `json:"last_seen"`
	TS       int64     `json:"ts"` // microseconds since the epoch
	Host     string    `json:"host"`
	PID      int64     `json:"pid"`
	Seq      uint64    `json:"seq"`
}

// A Route is a route as operators see it.
type Route struct {
	Name    string   `json:"name"`
	Hosts   []string `json:"hosts"` // empty = any
	Prefix  string   `json:"prefix"`
	Cluster string   `json:"cluster"` // none = answered by the proxy itself
}
