package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"millrace/engine/discovery"
	"millrace/lb"
)

// HandoverVersion is that of what goes from a process to the one that follows. Processes of
// different versions do not follow each other but by a restart.
const HandoverVersion = 1

// A handoverState is what a process knows that no configuration says. It has secrets.
type handoverState struct {
	Version      int                `json:"version"`
	CookieSecret []byte             `json:"cookie_secret"`
	Clusters     []handoverCluster  `json:"clusters,omitempty"`
	Circuits     []lb.CircuitRecord `json:"circuits,omitempty"`
	Names        []discovery.Record `json:"names,omitempty"`
	Beacons      []handoverBeacon   `json:"beacons,omitempty"`
}

type handoverCluster struct {
	Name      string              `json:"name"`
	Endpoints []lb.EndpointRecord `json:"endpoints"`
}

// ExportState returns what the engine knows beside its configuration, for Options.State of the
// process that follows: what operators said of endpoints, the verdicts of checks, circuits,
// members that announce themselves, and the secret of affinity cookies. It is JSON. Whoever has
// it can make such cookies. Announcements are not heard any more: they wait for that process, or
// for Resume.
func (e *Engine) ExportState() ([]byte, error) {
	s := e.current.Load()
	state := handoverState{Version: HandoverVersion, CookieSecret: e.cookieSecret, Circuits: s.breakers.Export(e.clock()), Names: e.names.export()}
	state.Beacons = e.beacons.export(time.Now())
	for _, c := range s.clusters {
		if endpoints := c.balance.Export(); len(endpoints) > 0 {
			state.Clusters = append(state.Clusters, handoverCluster{c.name, endpoints})
		}
	}
	return json.Marshal(state)
}

// importState reads what a process before exported; empty text is a state without anything.
func importState(text []byte) (*handoverState, error) {
	state := &handoverState{CookieSecret: lb.NewCookieSecret()}
	if len(text) == 0 {
		return state, nil
	}
	if err := json.Unmarshal(text, state); err != nil {
		return nil, fmt.Errorf("state of the process before: %w", err)
	}
	if state.Version != HandoverVersion {
		return nil, fmt.Errorf("state of the process before: its version is %d, not %d", state.Version, HandoverVersion)
	}
	if len(state.CookieSecret) < lb.CookieSecretSize {
		return nil, fmt.Errorf("state of the process before: %w", lb.ErrCookieSecret)
	}
	return state, nil
}

// restore gives the endpoints and breakers of s, which nobody uses yet, what the process before
// knew of them.
func (h *handoverState) restore(s *snapshot, now int64) {
	for i := range h.Clusters {
		if c := s.cluster(h.Clusters[i].Name); c != nil {
			c.balance.Import(h.Clusters[i].Endpoints)
		}
	}
	s.breakers.Import(h.Circuits, now)
}
