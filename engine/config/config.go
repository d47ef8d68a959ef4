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

	src    *source        // where keys were written; nil in a Config made by hand
	byName map[string]int // indexes of Clusters; nil in a Config made by hand
}

// Cluster returns the cluster called name, or nil if there is none.
func (c *Config) Cluster(name string) *Cluster {
	if c.byName != nil {
		if i, ok := c.byName[name]; ok {
			return &c.Clusters[i]
		}
		return nil
	}
	for i := range c.Clusters {
		if c.Clusters[i].Name == name {
			return &c.Clusters[i]
		}
	}
	return nil
}

func (c *Config) keys() keys {
	return keys{
		{name: "workers", form: workers(&c.Workers),
			doc: "Event loops, 1 to 1024. `auto` is one for each CPU that the process may use. The only key that a reload does not change"},
		{name: "proxy_concurrent_conns", form: integer(&c.ProxyConcurrentConns, 1, maxConnections),
			doc: "The most connections to upstreams at once, of the whole process. Unix sockets are not counted. Lowered, with a warning, to half of the descriptors the process may open"},
		{name: "shutdown_delay", form: duration(&c.ShutdownDelay, zeroAllowed),
			doc: "After SIGTERM, connections are still accepted for this long while `/readyz` already says `draining`. 0 is none"},
		{name: "shutdown_timeout", form: duration(&c.ShutdownTimeout, positive),
			doc: "How long requests may then take to finish. Connections without one end after half a second in which none comes"},
		{name: "client_ip_from_header", form: optional{clientIPHeader(&c.ClientIPFromHeader)},
			doc: "Which field tells the client's address, if a trusted proxy sent it. Unset: the address of the connection. It decides `remote.ip`, `X-Real-IP`, affinity by ip, and the logs"},
		{name: "trusted_proxies", form: networks(&c.TrustedProxies),
			doc: "Networks (`10.0.0.0/8`) and addresses whose forwarding fields and PROXY headers are believed. From anybody else forwarding fields are replaced"},
		{name: "listeners", form: list[Listener]{&c.Listeners, defaultListener, (*Listener).form}, required: true,
			doc: "Where clients are served; at least one. Text is short for `{address: ...}`"},
		{name: "timeouts", form: section{mapping{keys: c.Timeouts.keys()}},
			doc: "Towards clients"},
		{name: "limits", form: section{mapping{keys: c.Limits.keys()}},
			doc: "On clients and their requests"},
		{name: "routes", form: list[Route]{&c.Routes, defaultRoute, (*Route).form}, required: true,
			doc: "Which request goes where; at least one"},
		{name: "clusters", form: namedClusters(&c.Clusters),
			doc: "Sets of upstreams, by name. A name has letters, digits, `.`, `_` and `-`; `none` is taken"},
		{name: "beacon", form: section{mapping{keys: c.Beacon.keys()}},
			doc: "Members that announce themselves"},
		{name: "admin", form: switched[Admin]{&c.Admin, defaultAdmin, (*Admin).form},
			doc: "The operators' listener"},
		{name: "log", form: section{mapping{keys: c.Log.keys()}},
			doc: "The log of the process, to stderr"},
		{name: "access_log", form: present[AccessLog]{&c.AccessLog, defaultAccessLog, (*AccessLog).form},
			doc: "A line for each request. Absent: none"},
		{name: "trace", form: section{mapping{keys: c.Trace.keys()}},
			doc: "Trace context and spans"},
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
		takes: func() []object {
			return []object{{{"const", "auto"}}, numbers("integer", 1, most), matching("^[1-9][0-9]*$")}
		},
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
	exactly := s.takes
	s.takes = func() []object { return append(exactly(), anyCase(s.kind)) }
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
		{name: "header", form: duration(&t.Header, positive),
			doc: "From the first byte of a request to the end of its head. On a new connection it runs from accept, or from the end of the TLS handshake"},
		{name: "tls_handshake", form: duration(&t.TLSHandshake, positive),
			doc: "From accept to the end of the handshake"},
		{name: "idle", form: duration(&t.Idle, positive),
			doc: "Between requests of a kept connection"},
		{name: "body_idle", form: duration(&t.BodyIdle, positive),
			doc: "An upload that makes no progress"},
		{name: "body", form: duration(&t.Body, zeroAllowed),
			doc: "A whole upload. 0 is no limit"},
		{name: "tunnel", form: duration(&t.Tunnel, zeroAllowed),
			doc: "An upgraded connection on which nothing moves. 0 is no limit"},
		{name: "write_idle", form: duration(&t.WriteIdle, positive),
			doc: "A client that takes nothing while bytes wait for it"},
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
		{name: "header_bytes", form: size(&l.HeaderBytes, 256, 16*mib),
			doc: "A whole request head, 256 bytes to 16 MiB. Over it: 431"},
		{name: "header_count", form: integer(&l.HeaderCount, 1, 10_000),
			doc: "Fields in a head, up to 10000. Over it: 431"},
		{name: "uri_bytes", form: size(&l.URIBytes, 1, 16*mib),
			doc: "The request target. Over it: 414"},
		{name: "body_bytes", form: size(&l.BodyBytes, 0, 1<<60),
			doc: "A request body. Over it: 413. 0 is no limit"},
		{name: "connections", form: integer(&l.Connections, 0, maxConnections),
			doc: "Client connections of the process. 0 is half of the descriptors the process may open, after a reserve"},
		{name: "http2_streams", form: integer(&l.HTTP2Streams, 1, 10_000),
			doc: "Concurrent streams of one connection, up to 10000"},
	}
}
