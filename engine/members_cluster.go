package engine

import (
	"log/slog"
	"slices"

	"millrace/engine/beacon"
	"millrace/lb"
)

// A memberCluster is a cluster as one receiver of announcements fills it: beacon.Cluster.
type memberCluster struct {
	engine *Engine
	name   string
}

// Apply makes one change of a member. It is in force when Apply returns, unless a reload is
// under way: then it is right after that.
func (b *memberCluster) Apply(c beacon.Change, m beacon.Member) error {
	switch c {
	case beacon.Add, beacon.Adopt:
		return b.add(m, c == beacon.Adopt)
	case beacon.Enable, beacon.Disable:
		return b.setDisabled(m.URL, c == beacon.Disable)
	default:
		return b.remove(m.URL)
	}
}

// Owns reports whether b has brought the endpoint of that URL, and it is still there.
func (b *memberCluster) Owns(url string) bool {
	m := &b.engine.members
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.owned(b, url) != nil
}

// add makes m a member, unless it is configured or somebody else's.
func (b *memberCluster) add(m beacon.Member, disabled bool) error {
	all := &b.engine.members
	all.mu.Lock()
	if all.owned(b, m.URL) != nil {
		all.mu.Unlock()
		return b.setDisabled(m.URL, disabled)
	}
	if all.configured[b.name][m.URL] || all.byCluster[b.name][m.URL] != nil {
		all.mu.Unlock()
		return beacon.ErrNotManaged
	}
	if all.byCluster == nil {
		all.byCluster = make(map[string]map[string]*member)
	}
	if all.byCluster[b.name] == nil {
		all.byCluster[b.name] = make(map[string]*member)
	}
	one := &member{owner: b, origin: m, disabled: disabled}
	all.byCluster[b.name][m.URL] = one
	all.mu.Unlock()
	if one.secure() {
		b.engine.log.Warn("member gets no requests: this version does not speak TLS to endpoints", slog.String("backend_url", m.URL))
	}
	b.engine.clusterChanged(b.name)
	return nil
}

// setDisabled ends the lease of a member, or begins another.
func (b *memberCluster) setDisabled(url string, disabled bool) error {
	all := &b.engine.members
	all.mu.Lock()
	defer all.mu.Unlock()
	one := all.owned(b, url)
	if one == nil {
		return beacon.ErrNotManaged
	}
	one.disabled = disabled
	for _, ep := range one.endpoints {
		ep.SetDisabled(disabled)
	}
	return nil
}

// remove ends a member, if there is one and no operator has said anything of it.
func (b *memberCluster) remove(url string) error {
	all := &b.engine.members
	all.mu.Lock()
	one := all.owned(b, url)
	if one != nil && slices.ContainsFunc(one.endpoints, isHeld) {
		all.mu.Unlock()
		return beacon.ErrHeld
	}
	if one != nil {
		all.drop(one)
	}
	all.mu.Unlock()
	if one != nil {
		b.engine.clusterChanged(b.name)
	}
	return nil
}

// isHeld reports whether an operator keeps requests away from ep.
func isHeld(ep *lb.Endpoint) bool {
	state := ep.State()
	return state == lb.Drain || state == lb.Stopped
}
