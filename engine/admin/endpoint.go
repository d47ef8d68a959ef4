package admin

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// maxWeight is the largest weight of an endpoint.
const maxWeight = 1_000_000

// states are those that an operator can put an endpoint in.
var states = []string{"enabled", "drain", "stopped"}

// setEndpoint changes the state or the weight of an endpoint, or both.
func setEndpoint(c Control, cluster, id string) change {
	return func(f fields) (any, error) {
		asked, err := endpointChange(f)
		if err != nil {
			return nil, err
		}
		e, err := c.SetEndpoint(cluster, id, asked)
		switch {
		case errors.Is(err, ErrNoEndpoint):
			return nil, &failure{http.StatusNotFound, err.Error()}
		case errors.Is(err, ErrUpgrading):
			return nil, &failure{http.StatusConflict, err.Error()}
		case err != nil:
			return nil, &failure{http.StatusBadRequest, err.Error()}
		}
		return e, nil
	}
}

// endpointChange reads what is asked for.
func endpointChange(f fields) (c EndpointChange, err error) {
	if err := f.only("state", "weight"); err != nil {
		return c, err
	}
	if len(f) == 0 {
		return c, malformed("it has neither state nor weight")
	}
	if _, ok := f["state"]; ok {
		if c.State, err = f.text("state"); err != nil {
			return c, err
		}
		if !slices.Contains(states, c.State) {
			return c, malformed("state is one of %s", strings.Join(states, ", "))
		}
	}
	if _, ok := f["weight"]; ok {
		if c.Weight, err = f.whole("weight"); err != nil {
			return c, err
		}
		if c.Weight < 1 || c.Weight > maxWeight {
			return c, malformed("weight is 1 to %d", maxWeight)
		}
	}
	return c, nil
}
