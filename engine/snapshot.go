package engine

import (
	"net/netip"
	"sync/atomic"

	"millrace/engine/config"
	"millrace/engine/h1"
	"millrace/engine/route"
	"millrace/engine/stats"
	"millrace/lb"
	"millrace/netpoll"
	"millrace/pool"
)

// A snapshot is one configuration, compiled. It is immutable and shared by all workers;
// an exchange keeps the one it began with.
type snapshot struct {
	settings *settings
	table    *route.Table[*target]
	targets  []*target
	clusters []*cluster // in the order of the configuration
	breakers *lb.Breakers
	trusted  trust
	clientIP config.ClientIPHeader
}

// A target is what a route leads to: a cluster, or an answer of our own.
type target struct {
	name        string // of the route
	stats       *stats.Route
	at          int          // of the cluster in snapshots; below 0 = local
	local       *localAnswer // of a local target
	stripPrefix bool
	rewriteHost bool
}

// clusterOf is the cluster that t leads to, nil if it is answered here.
func (s *snapshot) clusterOf(t *target) *cluster {
	if t.at < 0 {
		return nil
	}
	return s.clusters[t.at]
}

// localAnswer is the answer of a route without upstream.
type localAnswer struct {
	status int
	body   string
}

// A cluster is a set of endpoints with how they are spoken to.
type cluster struct {
	name           string
	config         *config.Cluster
	sources        []*source                   // of the configuration, without members that announce themselves
	nameless       bool                        // there are no endpoints until a name is resolved for the first time
	shown          *atomic.Pointer[lb.Cluster] // the newest balance of this configuration, for metrics
	endpoints      []*endpoint                 // by lb index
	pickers        []*lb.Picker
	balance        *lb.Cluster
	keepalive      bool
	intercept      bool        // errors of endpoints get pages of our own
	limited        bool        // endpoints have a limit of connections
	turns          *pool.Queue // who waits for an endpoint to have room
	patience       int64       // how long they do, ns; 0 = as long as their client
	budget         *lb.Budget  // of retries; nil = any number
	affinity       *affinity   // nil = none
	retryOther     bool
	retriesSame    int
	headerTimeout  int64 // request sent to response head, ns
	responseIdle   int64 // silence inside a response body, ns; 0 = none
	requestRules   *rules
	responseRules  *rules
	responseLimits h1.Limits
}

// An endpoint is one address of a cluster as this snapshot sees it.
type endpoint struct {
	balance        *lb.Endpoint
	state          *endpointState
	upstream       *config.Upstream
	member         *member // nil = it is configured
	priority       int
	stats          *stats.Endpoint
	unwatch        func() // ends the gauges
	address        netpoll.Addr
	alternates     []netpoll.Addr      // all addresses to try, if there are several
	shownIP        netip.Addr          // that the access log tells
	authority      string              // of its URL, for rewrite_host
	connectTimeout int64               // ns; 0 = none
	check          *config.ActiveCheck // nil = none
	idleTimeout    int64               // ns
}

// endpointState is what outlives a reload: the idle connections, one list a worker.
type endpointState struct {
	idle    []idleList
	permits *pool.Permits // connections to the endpoint
	waiting *pool.Queue   // who waits for one of permits
	checks  checks
	turn    atomic.Uint32 // which of several addresses is dialled first
	left    atomic.Bool   // no snapshot names the endpoint any more: its connections are not kept
}

// idleList is one worker's list, on cache lines of its own.
type idleList struct {
	pool.Idle[*upstream]
	_ [64]byte
}

// trust is the networks whose forwarding fields are believed.
type trust []netip.Prefix

func (t trust) has(a netip.Addr) bool {
	for _, p := range t {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
