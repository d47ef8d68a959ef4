package admin

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestSetEndpoint(t *testing.T) {
	var got string
	c := &controlled{endpoints: func(cluster, id string, c EndpointChange) (Endpoint, error) {
		got = fmt.Sprintf("%s %s %s %d", cluster, id, c.State, c.Weight)
		return shown{}.Clusters()[0].Endpoints[0], nil
	}}
	l := api(t, Options{Control: c})
	endpoint := webJSON[strings.Index(webJSON, "[")+1 : strings.LastIndex(webJSON, "]")]
	f := func(path, body, want string) {
		t.Helper()
		got = ""
		answersJSON(t, ask(t, l, "POST", post("/api/v1/clusters/"+path, body)), 200, endpoint)
		if got != want {
			t.Errorf("%s %s asks for %q, want %q", path, body, got, want)
		}
	}
	f("web/endpoints/0a", `{"state": "drain"}`, "web 0a drain 0")
	f("web/endpoints/0a", `{"state": "stopped", "weight": 1}`, "web 0a stopped 1")
	f("web/endpoints/0a", `{"weight": 1000000}`, "web 0a  1000000")
	f("a.example%2Fapi/endpoints/x-1", `{"state": "enabled"}`, "a.example/api x-1 enabled 0")
}

func TestSetEndpointRefuses(t *testing.T) {
	c := &controlled{endpoints: func(string, string, EndpointChange) (Endpoint, error) {
		t.Error("a change that is to be refused was made")
		return Endpoint{}, nil
	}}
	l := api(t, Options{Control: c})
	f := func(body string, status int, piece string, lines ...string) {
		t.Helper()
		if len(lines) == 0 {
			lines = []string{"Content-Type: application/json"}
		}
		refusesJSON(t, ask(t, l, "POST", raw("POST", "/api/v1/clusters/web/endpoints/0a", body, lines...)), status, piece)
	}
	f("", 400, "neither state nor weight")
	f("{}", 400, "neither state nor weight")
	f(`{"state": "gone"}`, 400, "one of enabled, drain, stopped")
	f(`{"state": "disabled"}`, 400, "one of")
	f(`{"state": ""}`, 400, "one of")
	f(`{"state": 1}`, 400, "not text")
	f(`{"state": null}`, 400, "not text")
	f(`{"weight": 0}`, 400, "1 to 1000000")
	f(`{"weight": -1}`, 400, "1 to 1000000")
	f(`{"weight": 1000001}`, 400, "1 to 1000000")
	f(`{"weight": 99999999999999999999}`, 400, "whole number")
	f(`{"weight": 1.5}`, 400, "whole number")
	f(`{"weight": "2"}`, 400, "whole number")
	f(`{"weight": null}`, 400, "whole number")
	f(`{"state": "drain", "weight": 0}`, 400, "1 to 1000000")
	f(`{"state": "drain", "x": 1}`, 400, `unknown key "x"`)
	f(`{"State": "drain"}`, 400, `unknown key "State"`)
	f(`{"state": "drain"}`, 415, "application/json", "Content-Type: text/plain")
}

func TestSetEndpointFails(t *testing.T) {
	f := func(err error, status int, piece string) {
		t.Helper()
		c := &controlled{endpoints: func(string, string, EndpointChange) (Endpoint, error) { return Endpoint{}, err }}
		refusesJSON(t, ask(t, api(t, Options{Control: c}), "POST", post("/api/v1/clusters/web/endpoints/0a", `{"weight": 2}`)), status, piece)
	}
	f(ErrNoEndpoint, 404, "no such endpoint")
	f(fmt.Errorf("cluster web: %w", ErrNoEndpoint), 404, "no such endpoint")
	f(errors.New("not now"), 400, "not now")
}
