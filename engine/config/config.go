package config

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A Config is one configuration file, decoded, with every default filled in.
// It is immutable once Parse or Load has returned it.
type Config struct {
	// Workers is the number of event loops; 0 stands for auto, the CPUs the process may use.
	Workers int
	// ProxyConcurrentConns is the most upstream TCP connections of the whole process.
	// Connections to unix sockets are not counted.
	ProxyConcurrentConns int
	// ShutdownDelay is how long connections are still accepted after SIGTERM,
	// while readiness already says draining. 0 is none.
	ShutdownDelay time.Duration
	// ShutdownTimeout is how long exchanges may take to finish after ShutdownDelay.
	ShutdownTimeout time.Duration
	// ClientIPFromHeader names the field that tells the client's address.
	ClientIPFromHeader ClientIPHeader
	// TrustedProxies are the networks whose forwarding fields, and PROXY headers, are
	// believed. Prefixes are masked, and never IPv4 mapped into IPv6.
	TrustedProxies []netip.Prefix
	// Listeners has at least one element. Addresses and names are unique.
	Listeners []Listener
	Timeouts  Timeouts
	Limits    Limits
	// Routes has at least one element, in the order of the file.
	Routes []Route
	// Clusters has those of the key clusters in the order of the file, then the inline
	// ones in the order of their routes. Names are unique.
	Clusters []Cluster
	Beacon   Beacon
	// Admin is nil if there is no admin listener.
	Admin *Admin
	Log   Log
	// AccessLog is nil if requests are not logged.
	AccessLog *AccessLog
	Trace     Trace

	src *source // where keys were written; nil in a Config made by hand
}

// Cluster returns the cluster called name, or nil if there is none.
func (c *Config) Cluster(name string) *Cluster {
	for i := range c.Clusters {
		if c.Clusters[i].Name == name {
			return &c.Clusters[i]
		}
	}
	return nil
}

func (c *Config) keys() keys {
	return keys{
		{name: "workers", form: workers(&c.Workers)},
		{name: "proxy_concurrent_conns", form: integer(&c.ProxyConcurrentConns, 1, maxConnections)},
		{name: "shutdown_delay", form: duration(&c.ShutdownDelay, zeroAllowed)},
		{name: "shutdown_timeout", form: duration(&c.ShutdownTimeout, positive)},
		{name: "client_ip_from_header", form: optional{clientIPHeader(&c.ClientIPFromHeader)}},
		{name: "trusted_proxies", form: networks(&c.TrustedProxies)},
		{name: "listeners", form: list[Listener]{&c.Listeners, defaultListener, (*Listener).form}, required: true},
		{name: "timeouts", form: section{mapping{keys: c.Timeouts.keys()}}},
		{name: "limits", form: section{mapping{keys: c.Limits.keys()}}},
		{name: "routes", form: list[Route]{&c.Routes, defaultRoute, (*Route).form}, required: true},
		{name: "clusters", form: named[Cluster]{&c.Clusters, defaultCluster, checkClusterName, (*Cluster).form}},
		{name: "beacon", form: section{mapping{keys: c.Beacon.keys()}}},
		{name: "admin", form: switched[Admin]{&c.Admin, defaultAdmin, (*Admin).form}},
		{name: "log", form: section{mapping{keys: c.Log.keys()}}},
		{name: "access_log", form: present[AccessLog]{&c.AccessLog, defaultAccessLog, (*AccessLog).form}},
		{name: "trace", form: section{mapping{keys: c.Trace.keys()}}},
	}
}

// maxConnections is more descriptors than a process gets.
const maxConnections = 10_000_000

// workers takes a number, or auto, which is stored as 0.
func workers(to *int) scalar[int] {
	const most = 1024
	return scalar[int]{
		to:   to,
		kind: "auto or an integer",
		parse: func(s string) (int, error) {
			if s == "auto" {
				return 0, nil
			}
			n, err := parseInt(s, 1, most)
			if err != nil {
				return 0, fmt.Errorf("%w, or auto", err)
			}
			return n, nil
		},
		show: func(n int) string {
			if n == 0 {
				return "auto"
			}
			return strconv.Itoa(n)
		},
	}
}

// A ClientIPHeader is a field that carries the client's address. It is believed only
// when it comes from a trusted proxy.
type ClientIPHeader string

// The fields a client's address may be taken from.
const (
	FromConnection    ClientIPHeader = ""                // none: the address of the connection
	FromXForwardedFor ClientIPHeader = "x-forwarded-for" // rightmost untrusted element
	FromForwarded     ClientIPHeader = "forwarded"       // RFC 7239
	FromXRealIP       ClientIPHeader = "x-real-ip"
)

func clientIPHeader(to *ClientIPHeader) scalar[ClientIPHeader] {
	s := oneOf(to, FromXForwardedFor, FromForwarded, FromXRealIP)
	exact := s.parse
	s.parse = func(text string) (ClientIPHeader, error) { return exact(strings.ToLower(text)) }
	return s
}

// Timeouts are those towards the client.
type Timeouts struct {
	// Header is the most time from the first byte of a request to the end of its head.
	// On a new connection it begins at accept, or when the TLS handshake is done.
	Header time.Duration
	// TLSHandshake is the most time from accept to the end of the handshake.
	TLSHandshake time.Duration
	// Idle is how long a keep-alive connection may rest between requests.
	Idle time.Duration
	// BodyIdle is the most time without progress on an upload.
	BodyIdle time.Duration
	// Body is the most time for a whole upload; 0 is no limit.
	Body time.Duration
	// Tunnel is how long an upgraded connection may rest; 0 is no limit.
	Tunnel time.Duration
	// WriteIdle is how long a client may take nothing while bytes wait for it.
	WriteIdle time.Duration
}

func (t *Timeouts) keys() keys {
	return keys{
		{name: "header", form: duration(&t.Header, positive)},
		{name: "tls_handshake", form: duration(&t.TLSHandshake, positive)},
		{name: "idle", form: duration(&t.Idle, positive)},
		{name: "body_idle", form: duration(&t.BodyIdle, positive)},
		{name: "body", form: duration(&t.Body, zeroAllowed)},
		{name: "tunnel", form: duration(&t.Tunnel, zeroAllowed)},
		{name: "write_idle", form: duration(&t.WriteIdle, positive)},
	}
}

// Limits are those on clients and their requests.
type Limits struct {
	HeaderBytes int64 // whole request head, in bytes; over it: 431
	HeaderCount int   // fields in a head; over it: 431
	URIBytes    int64 // request target, in bytes; over it: 414
	BodyBytes   int64 // request body, in bytes; over it: 413. 0 is no limit
	// Connections is the most client connections of the process.
	// 0 is half of what the descriptor limit leaves after a reserve.
	Connections int
	// HTTP2Streams is the most concurrent streams of one connection.
	HTTP2Streams int
}

func (l *Limits) keys() keys {
	return keys{
		{name: "header_bytes", form: size(&l.HeaderBytes, 256, 16*mib)},
		{name: "header_count", form: integer(&l.HeaderCount, 1, 10_000)},
		{name: "uri_bytes", form: size(&l.URIBytes, 1, 16*mib)},
		{name: "body_bytes", form: size(&l.BodyBytes, 0, 1<<60)},
		{name: "connections", form: integer(&l.Connections, 0, maxConnections)},
		{name: "http2_streams", form: integer(&l.HTTP2Streams, 1, 10_000)},
	}
}
