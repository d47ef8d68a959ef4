package engine

import (
	"errors"
	"fmt"
	"slices"

	"millrace/engine/config"
	"millrace/lb"
)

// ErrNoEndpoint says that there is no such cluster, or no such endpoint in it.
var ErrNoEndpoint = errors.New("no such endpoint")

// An EndpointChange is what operators ask of an endpoint. What is zero stays as it is.
type EndpointChange struct {
	State  string // enabled, drain or stopped
	Weight int    // 1 to config.MaxWeight
}

// SetEndpoint makes a change of an endpoint, and returns the endpoint as it is then. It holds
// for every pick of a request that begins after the return, and over reloads, for as long as
// the endpoint is there. After an error nothing has changed: ErrNoEndpoint, perhaps wrapped, if
// there is none of that ID.
func (e *Engine) SetEndpoint(cluster, id string, change EndpointChange) (EndpointView, error) {
	state, err := change.check()
	if err != nil {
		return EndpointView{}, err
	}
	c := e.current.Load().cluster(cluster)
	if c == nil {
		return EndpointView{}, fmt.Errorf("cluster %s: %w", cluster, ErrNoEndpoint)
	}
	i := slices.IndexFunc(c.balance.Endpoints(), func(b *lb.Endpoint) bool { return b.ID() == id })
	if i < 0 {
		return EndpointView{}, fmt.Errorf("%s in cluster %s: %w", id, cluster, ErrNoEndpoint)
	}
	b := c.balance.Endpoints()[i]
	ep := c.endpoints[b.Index()]
	if change.Weight > 0 {
		if ep.member != nil && ep.member.secure() {
			return EndpointView{}, errors.New("the endpoint takes no weight: this version does not speak TLS to endpoints")
		}
		b.SetWeight(change.Weight)
	}
	if change.State != "" {
		b.SetAdmin(state)
	}
	c.turns.WakeAll() // there may be room now
	return ep.view(b), nil
}

// check returns an error unless c can be done, else the state that it asks for.
func (c *EndpointChange) check() (lb.State, error) {
	if c.Weight < 0 || c.Weight > config.MaxWeight {
		return 0, fmt.Errorf("weight %d is not 1 to %d", c.Weight, config.MaxWeight)
	}
	for _, s := range []lb.State{lb.Enabled, lb.Drain, lb.Stopped} {
		if c.State == "" || c.State == s.String() {
			return s, nil
		}
	}
	return 0, fmt.Errorf("state %q is not enabled, drain or stopped", c.State)
}
