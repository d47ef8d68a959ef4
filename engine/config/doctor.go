package config

import (
	"fmt"
	"slices"
)

// A FindingLevel says how bad a finding is.
type FindingLevel string

// The levels, worst first.
const (
	FindingError   FindingLevel = "error"   // it fails, or opens a door to those outside
	FindingWarning FindingLevel = "warning" // likely a mistake, or a risk to take knowingly
	FindingInfo    FindingLevel = "info"    // worth knowing
)

// A Finding is what a configuration that loads does against good practice.
type Finding struct {
	ID      string       `json:"id"` // of the rule; it stays the same
	Level   FindingLevel `json:"level"`
	File    string       `json:"file"`
	Line    int          `json:"line"`   // from 1; 0 if unknown
	Column  int          `json:"column"` // from 1, in characters; 0 if unknown
	Path    string       `json:"path"`   // of the key, written or not
	Message string       `json:"message"`
	Fix     string       `json:"fix"` // what to do about it
}

// String returns file:line:column: level: path: message [id], as compilers do.
func (f Finding) String() string {
	at := Fault{File: f.File, Line: f.Line, Column: f.Column, Message: string(f.Level)}
	return fmt.Sprintf("%s: %s: %s [%s]", at.Error(), f.Path, f.Message, f.ID)
}

// Doctor returns what is against good practice in c, worst first, then in the order of
// the file. It opens no file and resolves no name.
func Doctor(c *Config) []Finding {
	var able []rule
	for _, r := range rules {
		if r.needs == "" || !isUnbuilt(r.needs) {
			able = append(able, r)
		}
	}
	return examine(c, able)
}

// Warnings returns the findings that check tells as well: what is valid but dangerous, or
// has no effect.
func Warnings(c *Config) []Fault {
	var told []rule
	for _, r := range rules {
		if r.told {
			told = append(told, r)
		}
	}
	var faults []Fault
	for _, f := range examine(c, told) {
		faults = append(faults, Fault{File: f.File, Line: f.Line, Column: f.Column, Path: f.Path, Message: f.Message})
	}
	sortFaults(faults)
	return faults
}

// A rule is one thing to look for.
type rule struct {
	id    string
	level FindingLevel
	told  bool // by check, too
	look  func(*examination)
	fix   string
	// needs is the key that the rule is about, or its fix, if a build may be without: the
	// rule is silent until it is there.
	needs string
}

// An examination holds one configuration against rules.
type examination struct {
	*Config
	routes   map[string][]*Route // that lead to a cluster, by its name
	filled   map[string]bool     // clusters that a beacon adds members to
	rule     *rule               // at hand
	findings []Finding
}

func examine(c *Config, rules []rule) []Finding {
	x := &examination{Config: c, routes: map[string][]*Route{}, filled: map[string]bool{}}
	for i := range c.Routes {
		r := &c.Routes[i]
		x.routes[r.Cluster] = append(x.routes[r.Cluster], r)
	}
	for _, r := range c.Beacon.Receive {
		x.filled[r.Cluster] = true
	}
	for i := range rules {
		x.rule = &rules[i]
		x.rule.look(x)
	}
	slices.SortStableFunc(x.findings, func(a, b Finding) int {
		if a.Level != b.Level {
			return slices.Index(findingLevels, a.Level) - slices.Index(findingLevels, b.Level)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return x.findings
}

var findingLevels = []FindingLevel{FindingError, FindingWarning, FindingInfo}

// find reports that the key at path is against the rule at hand.
func (x *examination) find(path, format string, args ...any) {
	at := x.src.fault(path, fmt.Sprintf(format, args...))
	x.findings = append(x.findings, Finding{
		ID: x.rule.id, Level: x.rule.level,
		File: at.File, Line: at.Line, Column: at.Column, Path: at.Path,
		Message: at.Message, Fix: x.rule.fix,
	})
}

// eachCluster calls look for every cluster.
func eachCluster(look func(*examination, *Cluster)) func(*examination) {
	return func(x *examination) {
		for i := range x.Clusters {
			look(x, &x.Clusters[i])
		}
	}
}

// eachUpstream calls look for every upstream, with its cluster.
func eachUpstream(look func(*examination, *Cluster, *Upstream)) func(*examination) {
	return eachCluster(func(x *examination, c *Cluster) {
		for i := range c.Upstreams {
			look(x, c, &c.Upstreams[i])
		}
	})
}

// eachSettings calls look for the settings of every upstream and of beacon members, with
// their path.
func eachSettings(look func(*examination, string, *UpstreamSettings)) func(*examination) {
	return eachCluster(func(x *examination, c *Cluster) {
		for i := range c.Upstreams {
			look(x, c.Upstreams[i].path, &c.Upstreams[i].UpstreamSettings)
		}
		if x.filled[c.Name] {
			look(x, join(c.path, "beacon_defaults"), &c.BeaconDefaults)
		}
	})
}

// eachCheck calls look for every active check.
func eachCheck(look func(*examination, *ActiveCheck)) func(*examination) {
	return eachSettings(func(x *examination, _ string, s *UpstreamSettings) {
		if s.ActiveCheck != nil {
			look(x, s.ActiveCheck)
		}
	})
}

// several reports whether the cluster surely has, or may get, more than one endpoint.
func (x *examination) several(c *Cluster) bool {
	return len(c.Upstreams) > 1 || x.filled[c.Name] || slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.SRV != "" })
}
