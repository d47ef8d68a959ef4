package config

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// unbuilt lists the keys whose features are not built yet, and which values ask for them.
// A row goes when its feature comes.
var unbuilt = []struct {
	key  string
	asks func(entry) bool
}{
	{"listeners[].tls", filled},
	{"listeners[].proxy_protocol", isTrue},
	{"clusters.*.upstreams[].url", isHTTPS},
	{"clusters.*.upstreams[].srv", filled},
	{"clusters.*.upstreams[].priority", notZero},
	{"clusters.*.upstreams[].limit", notZero},
	{"clusters.*.upstreams[].cert", filled},
	{"clusters.*.upstreams[].key", filled},
	{"clusters.*.upstreams[].ca", filled},
	{"clusters.*.upstreams[].logical_dns", isTrue},
	{"clusters.*.upstreams[].dns_servers", filled},
	{"clusters.*.upstreams[].active_check", isOn},
	{"clusters.*.algorithm", isOneOf(LeastConn, P2CEWMA)},
	{"clusters.*.beacon_defaults", filled},
	{"clusters.*.affinity", filled},
	{"clusters.*.circuit_breaker", isOn},
	{"clusters.*.retry_budget", isOn},
	{"clusters.*.http2", isTrue},
	{"clusters.*.http2_only", isTrue},
	{"clusters.*.pipeline", notZero},
	{"clusters.*.intercept_errors", isTrue},
	{"clusters.*.no_verification", isTrue},
	{"clusters.*.proxy_header", filled},
	{"clusters.*.metrics_resolved_ip", isTrue},
	{"beacon.receive", filled},
	{"beacon.announce", filled},
	{"access_log", isOn},
	{"trace.otlp_endpoint", filled},
}

// Unbuilt returns a fault for each key that is written with a value that asks for
// something this build cannot do. Defaults, and values that switch a thing off, never do.
func Unbuilt(c *Config) []Fault {
	if c.src == nil {
		return nil
	}
	var faults []Fault
	for _, e := range c.src.written {
		for _, u := range unbuilt {
			if u.key == e.key && u.asks(e) {
				faults = append(faults, c.src.fault(e.path, fmt.Sprintf("not built yet: this version runs only without %s", e.feature())))
			}
		}
	}
	sortFaults(faults)
	return faults
}

// feature names what a key, or a value of it, asks for.
func (e entry) feature() string {
	name := e.key[strings.LastIndexByte(e.key, '.')+1:]
	switch name {
	case "url":
		return "https upstreams"
	case "algorithm":
		return "the algorithm " + e.text
	case "receive", "announce":
		return "beacon." + name
	}
	return name
}

func isTrue(e entry) bool { return e.text == "true" }

// isOn reports whether a key that takes true, false or a mapping is on.
func isOn(e entry) bool { return e.kind == yaml.MappingNode || isTrue(e) }

// filled reports whether a key has something in it.
func filled(e entry) bool { return e.text != "" || e.size > 0 }

func notZero(e entry) bool { return e.text != "" && e.text != "0" }

func isHTTPS(e entry) bool { return strings.HasPrefix(strings.ToLower(e.text), "https:") }

func isOneOf(words ...Algorithm) func(entry) bool {
	return func(e entry) bool {
		for _, w := range words {
			if e.text == string(w) {
				return true
			}
		}
		return false
	}
}
