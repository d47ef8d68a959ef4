package engine

import (
	"errors"
	"testing"

	"millrace/engine/beacon"
)

// What operators said of a member holds, however long it is away.
func TestMemberIsHeldByItsOperator(t *testing.T) {
	e := idleEngine(t, fleetText)
	b, apply := brings(t, e)
	const url = "http://10.0.0.1:8080"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	say := func(state string) {
		t.Helper()
		all := e.Clusters()[0].Endpoints
		_, err := e.SetEndpoint("fleet", all[len(all)-1].ID, EndpointChange{State: state})
		must(err)
	}
	must(apply(beacon.Add, url))
	for _, state := range []string{"stopped", "drain"} {
		say(state)
		must(apply(beacon.Disable, url))
		if err := apply(beacon.Remove, url); !errors.Is(err, beacon.ErrHeld) || !b.Owns(url) {
			t.Errorf("%s: removal gives %v", state, err)
		}
		must(apply(beacon.Enable, url))
		e.shows(t, url+" "+state)
	}
	say("enabled")
	must(apply(beacon.Remove, url))
	e.shows(t)
}
