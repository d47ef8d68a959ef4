package config

import (
	"fmt"
	"strings"
)

// unbuilt lists the keys whose features are not built yet, and which values ask for them.
// A row goes when its feature comes.
var unbuilt = []struct {
	key  string
	asks func(entry) bool
	what string // is asked for
}{
	{"listeners[].tls", filled, "tls"},
	{"listeners[].proxy_protocol", isTrue, "proxy_protocol"},
	{"clusters.*.upstreams[].url", isHTTPS, "https upstreams"},
	{"clusters.*.upstreams[].url", isTemplate, "variables in the URL of an upstream"},
	{"clusters.*.upstreams[].srv", isHTTPSService, "https upstreams"},
	{"clusters.*.upstreams[].cert", filled, "cert"},
	{"clusters.*.upstreams[].key", filled, "key"},
	{"clusters.*.upstreams[].ca", filled, "ca"},
	{"clusters.*.upstreams[].server_name", filled, "server_name"},
	{"clusters.*.beacon_defaults.cert", filled, "cert"},
	{"clusters.*.beacon_defaults.key", filled, "key"},
	{"clusters.*.beacon_defaults.ca", filled, "ca"},
	{"clusters.*.beacon_defaults.server_name", filled, "server_name"},
	{"clusters.*.http2", isTrue, "http2"},
	{"clusters.*.http2_only", isTrue, "http2_only"},
	{"clusters.*.pipeline", notZero, "pipeline"},
	{"clusters.*.no_verification", isTrue, "no_verification"},
	{"clusters.*.proxy_header", filled, "proxy_header"},
	{"trace.otlp_endpoint", filled, "otlp_endpoint"},
	{"trace.trust_request", isTrue, "trace.trust_request"},
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
				faults = append(faults, c.src.fault(e.path, fmt.Sprintf("not built yet: this version runs only without %s", u.what)))
			}
		}
	}
	sortFaults(faults)
	return faults
}

// isUnbuilt reports whether the key at path in the schema asks for something that this
// build does not have, with whatever value.
func isUnbuilt(key string) bool {
	for _, u := range unbuilt {
		if u.key == key {
			return true
		}
	}
	return false
}

func isTrue(e entry) bool { return e.text == "true" }

// filled reports whether a key has something in it.
func filled(e entry) bool { return e.text != "" || e.size > 0 }

func notZero(e entry) bool { return e.text != "" && e.text != "0" }

func isHTTPS(e entry) bool { return strings.HasPrefix(strings.ToLower(e.text), "https:") }

func isHTTPSService(e entry) bool { return strings.HasPrefix(strings.ToLower(e.text), "_https.") }

func isTemplate(e entry) bool { return strings.Contains(e.text, "{{") }
