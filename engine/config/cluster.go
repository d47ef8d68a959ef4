package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// A Cluster is a set of upstreams that serve the same, and how one is chosen.
type Cluster struct {
	// Name is unique. An inline cluster has the name of its route, with ~2, ~3 appended
	// where routes for different listeners share one.
	Name string
	// Inline marks a cluster that was written under the key proxy of a route.
	Inline bool
	// Upstreams may be empty if a beacon fills the cluster.
	Upstreams []Upstream
	Algorithm Algorithm
	// BeaconDefaults are the settings of members that announce themselves.
	BeaconDefaults UpstreamSettings
	// Affinity is nil if there is none.
	Affinity *Affinity
	// CircuitBreaker is nil if it is off.
	CircuitBreaker *CircuitBreaker
	// RetryConnection lets a failed request go on to endpoints not tried yet.
	RetryConnection bool
	// MaxRetriesPerUpstream is how often the same endpoint is tried again first; 0 is never.
	MaxRetriesPerUpstream int
	// RetryBudget is nil if retries are not rationed.
	RetryBudget *RetryBudget
	// KeepAlive lets connections to upstreams be used again.
	KeepAlive bool
	// HTTP2 offers h2 by ALPN to https upstreams.
	HTTP2 bool
	// HTTP2Only speaks nothing but HTTP/2; by prior knowledge on cleartext.
	HTTP2Only bool
	// Pipeline is the most safe requests in flight on one HTTP/1.1 connection; 0 is off.
	Pipeline int
	// ResponseHeaderTimeout is the most time from a sent request to the response head.
	ResponseHeaderTimeout time.Duration
	// ResponseIdleTimeout is the longest silence inside a response body; 0 is no limit.
	ResponseIdleTimeout time.Duration
	// InterceptErrors replaces 4xx and 5xx answers of upstreams by the proxy's own.
	InterceptErrors bool
	// NoVerification accepts any certificate of an https upstream.
	NoVerification bool
	// ProxyHeader is the PROXY protocol spoken to upstreams.
	ProxyHeader ProxyHeader
	// RequestHeader are rules for what is forwarded, in order.
	RequestHeader []HeaderRule
	// ResponseHeader are rules for what the client gets, in order.
	ResponseHeader []HeaderRule
	// MetricsResolvedIP adds the address of the endpoint to metrics and the access log.
	MetricsResolvedIP bool

	path string
}

func (c *Cluster) form() form { return section{mapping{path: &c.path, keys: c.keys()}} }

func (c *Cluster) keys() keys {
	return keys{
		{name: "upstreams", form: list[Upstream]{&c.Upstreams, defaultUpstream, (*Upstream).form},
			doc: "Where requests go. Text is short for `{url: ...}`"},
		{name: "algorithm", form: oneOf(&c.Algorithm, Random, RoundRobin, LeastConn, TwoRandom, P2CEWMA),
			doc: "How an endpoint is chosen; every one honours weights. `random`: by weight. `round_robin`: in turn, evenly spread. `least_conn`: the fewest active requests. `two_random`: the less busy of two drawn at random. `p2c_ewma`: the faster and less busy of two"},
		{name: "beacon_defaults", form: beaconDefaults{&c.BeaconDefaults},
			doc: "Settings of members that announce themselves: the keys of `upstreams` but `url`, `srv` and `unix`"},
		{name: "affinity", form: affinity{&c.Affinity},
			doc: "Keep requests with the same key on the same endpoint. Not with a URL made of variables"},
		{name: "circuit_breaker", form: switched[CircuitBreaker]{&c.CircuitBreaker, defaultCircuitBreaker, (*CircuitBreaker).form},
			doc: "Leave endpoints alone that fail"},
		{name: "retry_connection", form: boolean(&c.RetryConnection),
			doc: "After a failure, try endpoints not tried yet, if the request can be sent again"},
		{name: "max_retries_per_upstream", form: integer(&c.MaxRetriesPerUpstream, 0, 100),
			doc: "Before that, tries on the same endpoint, up to 100. 0 is none"},
		{name: "retry_budget", form: switched[RetryBudget]{&c.RetryBudget, defaultRetryBudget, (*RetryBudget).form},
			doc: "Cap retries to a share of the traffic"},
		{name: "keepalive", form: boolean(&c.KeepAlive),
			doc: "Keep connections and use them again"},
		{name: "http2", form: boolean(&c.HTTP2),
			doc: "Offer HTTP/2 to https upstreams, and fall back to HTTP/1.1. No effect on cleartext ones"},
		{name: "http2_only", form: boolean(&c.HTTP2Only),
			doc: "Nothing but HTTP/2; by prior knowledge on cleartext. Not with `keepalive: false`, nor with `unix`"},
		{name: "pipeline", form: integer(&c.Pipeline, 0, 1024),
			doc: "The most safe requests in flight on one HTTP/1.1 connection, up to 1024. 0 is off. Not with `http2`, `http2_only` or `keepalive: false`"},
		{name: "response_header_timeout", form: duration(&c.ResponseHeaderTimeout, positive),
			doc: "From a sent request to the head of the answer. Over it: 504"},
		{name: "response_idle_timeout", form: duration(&c.ResponseIdleTimeout, zeroAllowed),
			doc: "Silence inside the body of an answer; the connection is then cut. 0 is no limit"},
		{name: "intercept_errors", form: boolean(&c.InterceptErrors),
			doc: "Send the proxy's own pages instead of the upstream's 4xx and 5xx"},
		{name: "no_verification", form: boolean(&c.NoVerification),
			doc: "Accept any certificate of https upstreams. For trials only"},
		{name: "proxy_header", form: optional{oneOf(&c.ProxyHeader, ProxyV1, ProxyV2)},
			doc: "Begin connections with a PROXY header of this version. Each then serves one client connection only. Not with `http2`, `http2_only` or `pipeline`"},
		{name: "request_header", form: headerRules(&c.RequestHeader),
			doc: "Rules for what is forwarded, in order"},
		{name: "response_header", form: headerRules(&c.ResponseHeader),
			doc: "Rules for what the client gets, in order"},
		{name: "metrics_resolved_ip", form: boolean(&c.MetricsResolvedIP),
			doc: "Add the endpoint's address to metrics and the access log"},
	}
}

// NoCluster is how metrics and logs call the cluster of a request that has none.
const NoCluster = "none"

// namedClusters takes clusters by name.
func namedClusters(to *[]Cluster) form {
	return named[Cluster]{
		to: to, fresh: defaultCluster, check: checkClusterName, form: (*Cluster).form,
		def:   "cluster",
		names: object{{"pattern", "^[A-Za-z0-9._-]{1,128}$"}, {"not", object{{"const", NoCluster}}}},
	}
}

// checkClusterName returns an error unless s can be a label, a part of a URL's path, and
// no inline cluster's name (they have a slash).
func checkClusterName(s string) error {
	const most = 128
	if s == NoCluster {
		return errors.New("the name none stands for no cluster; choose another")
	}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("._-", s[i]) < 0 {
			return errors.New("a cluster's name has letters, digits and . _ - only")
		}
	}
	if s == "" || len(s) > most {
		return fmt.Errorf("a cluster's name has 1 to %d characters", most)
	}
	return nil
}

// inline takes a URL, a list of URLs, or a mapping with the keys of a cluster.
type inline struct{ to **Cluster }

func (i inline) shape() shape {
	return shape{kind: "a URL, a list of URLs, or a mapping of cluster keys"}
}

func (i inline) read(d *decoder, v value) {
	c := defaultInlineCluster()
	*i.to = c
	c.path, v.key = v.path, "clusters.*"
	switch {
	case v.n.Kind == yaml.MappingNode:
		c.form().read(d, v)
	case v.n.Kind == yaml.SequenceNode:
		v.key += ".upstreams"
		list[Upstream]{&c.Upstreams, defaultUpstream, urlOnly}.read(d, v)
	case isNull(v.n):
		d.fault(v.path, "no value where a URL, a list of URLs or a mapping is expected")
	default:
		u := defaultUpstream()
		v.key += ".upstreams[]"
		u.form().read(d, v)
		c.Upstreams = []Upstream{u}
	}
}

// urlOnly takes an upstream in its short form.
func urlOnly(u *Upstream) form { return short{u} }

type short struct{ u *Upstream }

func (s short) shape() shape { return upstreamURL(&s.u.URL).shape() }

func (s short) read(d *decoder, v value) {
	if v.n.Kind != yaml.ScalarNode {
		d.fault(v.path, "%s where a URL is expected; for more keys write proxy: {upstreams: [...]}", kindName(v.n))
		return
	}
	s.u.form().read(d, v)
}

// An Algorithm chooses an endpoint. All of them honour weights.
type Algorithm string

// The algorithms.
const (
	Random     Algorithm = "random"
	RoundRobin Algorithm = "round_robin"
	LeastConn  Algorithm = "least_conn"
	TwoRandom  Algorithm = "two_random"
	P2CEWMA    Algorithm = "p2c_ewma"
)

// A ProxyHeader is a version of the PROXY protocol.
type ProxyHeader string

// The versions of the PROXY protocol.
const (
	NoProxyHeader ProxyHeader = ""
	ProxyV1       ProxyHeader = "v1"
	ProxyV2       ProxyHeader = "v2"
)
