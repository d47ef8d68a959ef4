package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"millrace/engine/stats"
)

// shown is a View of two clusters.
type shown struct{}

func (shown) Clusters() []Cluster {
	return []Cluster{
		{Name: "web", Algorithm: "round_robin", Endpoints: []Endpoint{{
			ID: "0a", URL: "http://app", Address: "10.0.0.1:80", Origin: "dns", State: "enabled", Health: "unchecked",
			Circuit: "closed", Weight: 3, Priority: 2, Active: 1, EWMA: 1.5, Requests: 8, Failures: 4,
		}}},
		{Name: "a.example/api", Algorithm: "two_random"},
		{Name: "/~2", Algorithm: "random"},
		{Name: "/", Algorithm: "random"},
		{Name: "100%/a b", Algorithm: "random"},
	}
}

func (shown) Routes() []Route {
	return []Route{
		{Name: "a.example/api", Hosts: []string{"a.example", "b.example"}, Prefix: "/api", Cluster: "web"},
		{Name: "/", Prefix: "/", Cluster: "none"},
	}
}

func (shown) Beacons() []Beacon {
	return []Beacon{{
		Cluster: "web", Listen: "0.0.0.0:5555", URL: "http://10.0.0.5:8080", State: "live",
		LastSeen: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC), TS: 1750000000000000, Host: "app<1>", PID: 77, Seq: 18446744073709551615,
	}}
}

func (shown) Config() ([]byte, error) { return []byte(`{"workers":"auto"}`), nil }

// nothing is a View of a proxy without anything, that cannot even show its configuration.
type nothing struct{}

func (nothing) Clusters() []Cluster     { return nil }
func (nothing) Routes() []Route         { return nil }
func (nothing) Beacons() []Beacon       { return nil }
func (nothing) Config() ([]byte, error) { return nil, errors.New("odd") }

// controlled is a Control that remembers what was asked for.
type controlled struct {
	reload  func() (bool, error)
	reloads atomic.Int32
	level   atomic.Value

	endpoints func(cluster, id string, c EndpointChange) (Endpoint, error)
}

func (c *controlled) SetEndpoint(cluster, id string, change EndpointChange) (Endpoint, error) {
	return c.endpoints(cluster, id, change)
}

func (c *controlled) Reload() (bool, error) {
	c.reloads.Add(1)
	return c.reload()
}

func (c *controlled) SetLogLevel(level string) error {
	c.level.Store(level)
	return nil
}

func unchanged() (bool, error) { return false, nil }

// api serves the API. What o leaves open is set.
func api(t *testing.T, o Options) *Listener {
	t.Helper()
	o.Address, o.Stats, o.Log = "127.0.0.1:0", stats.New(1), slog.New(slog.DiscardHandler)
	if o.State == nil {
		o.State = state(always)
	}
	if o.View == nil {
		o.View = shown{}
	}
	if o.Control == nil {
		o.Control = &controlled{reload: unchanged}
	}
	l, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(l) })
	start(l)
	return l
}

// post is a request with a JSON body and more field lines.
func post(target, body string, lines ...string) string {
	return raw("POST", target, body, append(lines, "Content-Type: application/json")...)
}

// raw is a request with a body. Its Host is 127.0.0.1 unless a line says otherwise.
func raw(method, target, body string, lines ...string) string {
	all := strings.Join(lines, "\r\n") + "\r\n"
	if !strings.Contains(all, "Host: ") {
		all += "Host: 127.0.0.1\r\n"
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", method, target, strings.TrimPrefix(all, "\r\n"), len(body), body)
}

// answersJSON requires an answer with exactly this text in JSON.
func answersJSON(t *testing.T, a answer, status int, text string) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Content-Type") != "application/json" || a.text != text+"\n" {
		t.Errorf("%d %q %s, want %d %s", a.StatusCode, a.Header.Get("Content-Type"), a.text, status, text)
	}
}

// refusesJSON requires an error in JSON whose text has a piece.
func refusesJSON(t *testing.T, a answer, status int, piece string) {
	t.Helper()
	var e struct{ Error string }
	err := json.Unmarshal([]byte(a.text), &e)
	if a.StatusCode != status || a.Header.Get("Content-Type") != "application/json" || err != nil || e.Error == "" || !strings.Contains(e.Error, piece) {
		t.Errorf("%d %q %s, want %d with %q", a.StatusCode, a.Header.Get("Content-Type"), a.text, status, piece)
	}
}

const webJSON = `{"name":"web","algorithm":"round_robin","endpoints":[{"id":"0a","url":"http://app","address":"10.0.0.1:80","origin":"dns",` +
	`"state":"enabled","health":"unchecked","circuit":"closed","weight":3,"priority":2,"active":1,"ewma_ms":1.5,"requests":8,"failures":4}]}`

func TestReading(t *testing.T) {
	l := api(t, Options{})
	f := func(target, text string) {
		t.Helper()
		get := ask(t, l, "GET", line("GET", target))
		answersJSON(t, get, 200, text)
		head := ask(t, l, "HEAD", line("HEAD", target))
		if head.StatusCode != 200 || head.text != "" || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d %v %q", target, head.StatusCode, head.Header, head.text)
		}
	}
	empty := func(name, algorithm string) string {
		return `{"name":"` + name + `","algorithm":"` + algorithm + `","endpoints":[]}`
	}
	f("/api/v1/clusters", "["+strings.Join([]string{
		empty("/", "random"), empty("/~2", "random"), empty("100%/a b", "random"), empty("a.example/api", "two_random"), webJSON}, ",")+"]")
	f("/api/v1/clusters/web", webJSON)
	f("/api/v1/clusters/w%65b", webJSON)
	f("/api/v1/clusters/a.example%2Fapi", empty("a.example/api", "two_random"))
	f("/api/v1/clusters/a.example%2fapi", empty("a.example/api", "two_random"))
	f("/api/v1/clusters/%2F", empty("/", "random"))
	f("/api/v1/clusters/%2F~2", empty("/~2", "random"))
	f("/api/v1/clusters/%2F%7E2", empty("/~2", "random"))
	f("/api/v1/clusters/100%25%2Fa%20b", empty("100%/a b", "random"))
	f("/api/v1/clusters/web?x=y", webJSON)
	f("/api/v1/routes", `[{"name":"a.example/api","hosts":["a.example","b.example"],"prefix":"/api","cluster":"web"},{"name":"/","hosts":[],"prefix":"/","cluster":"none"}]`)
	f("/api/v1/config", `{"workers":"auto"}`)
	f("/api/v1/beacons", `[{"cluster":"web","listen":"0.0.0.0:5555","url":"http://10.0.0.5:8080","state":"live",`+
		`"last_seen":"2026-01-02T03:04:05.0000006Z","ts":1750000000000000,"host":"app\u003c1\u003e","pid":77,"seq":18446744073709551615}]`)
}

func TestReadingNothing(t *testing.T) {
	l := api(t, Options{View: nothing{}})
	answersJSON(t, ask(t, l, "GET", line("GET", "/api/v1/clusters")), 200, "[]")
	answersJSON(t, ask(t, l, "GET", line("GET", "/api/v1/routes")), 200, "[]")
	answersJSON(t, ask(t, l, "GET", line("GET", "/api/v1/beacons")), 200, "[]")
	refusesJSON(t, ask(t, l, "GET", line("GET", "/api/v1/config")), 500, "odd")
}

func TestAPINotFound(t *testing.T) {
	l := api(t, Options{})
	f := func(target string) {
		t.Helper()
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
			a := ask(t, l, method, raw(method, target, ""))
			if a.StatusCode != 404 || a.Header.Get("Allow") != "" || a.Header.Get("Location") != "" {
				t.Errorf("%s %s: %d %v", method, target, a.StatusCode, a.Header)
			}
			if method == "GET" && strings.HasPrefix(target, "/api/") {
				refusesJSON(t, a, 404, "not found")
			}
		}
	}
	for _, p := range []string{"/api/v1/clusters", "/api/v1/clusters/web", "/api/v1/routes", "/api/v1/config", "/api/v1/beacons", "/api/v1/reload", "/api/v1/log"} {
		f(p + "/")
		f(p + "/x/y")
		f(strings.ToUpper(p))
		f("/api" + p)
	}
	f("/api/v1/clusters;x")
	f("/api/v1/reload%20")
	f("/api/")
	f("/api/v1")
	f("/api/v2/clusters")
	f("/api/v1//clusters")
	f("/api/v1/./clusters")
	f("/api/v1/clusters/web/endpoints")
	f("/api/v1/clusters/web/endpoints/")
	f("/api/v1/clusters/web/endpoints/0a/")
	f("/api/v1/clusters/web/endpoints/0a/x")
	f("/api/v1/clusters/web/endpoint/0a")
	f("/api/v1/clusters/web/%65ndpoints/0a")
	f("/api/v1/clusters//endpoints/0a")
	f("/api/v1/%63lusters")
	f("/api/v1/events")
}

// TestAPINoSuchCluster asks for names that differ from one there is.
func TestAPINoSuchCluster(t *testing.T) {
	l := api(t, Options{})
	for _, name := range []string{"nothing", "webx", "WEB", "web;x", "web%20", "web%00", "%2Fweb", "a.example%252Fapi", "..", "%2E%2E"} {
		a := ask(t, l, "GET", line("GET", "/api/v1/clusters/"+name))
		if a.StatusCode != 404 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.text)
		}
	}
	refusesJSON(t, ask(t, l, "GET", line("GET", "/api/v1/clusters/nothing")), 404, "no such cluster")
}

func TestAPIMethods(t *testing.T) {
	l := api(t, Options{})
	f := func(target, allow string, methods ...string) {
		t.Helper()
		for _, method := range methods {
			a := ask(t, l, method, raw(method, target, "", "Origin: http://evil.example", "Access-Control-Request-Method: POST"))
			if a.StatusCode != 405 || a.Header.Get("Allow") != allow || a.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s: %d %v", method, target, a.StatusCode, a.Header)
			}
			if method != "HEAD" {
				refusesJSON(t, a, 405, "method not allowed")
			}
		}
	}
	f("/api/v1/clusters", "GET, HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get")
	f("/api/v1/clusters/web", "GET, HEAD", "POST", "PUT", "DELETE", "OPTIONS")
	f("/api/v1/routes", "GET, HEAD", "POST", "OPTIONS")
	f("/api/v1/config", "GET, HEAD", "POST", "PUT")
	f("/api/v1/reload", "POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE")
	f("/api/v1/log", "POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE")
	f("/api/v1/beacons", "GET, HEAD", "POST", "PUT")
	f("/api/v1/clusters/web/endpoints/0a", "POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE", "PATCH")
}

func TestNoAPIWithoutViewAndControl(t *testing.T) {
	l, _ := serve(t, always)
	for _, p := range []string{
		"/api/v1/clusters", "/api/v1/clusters/web", "/api/v1/routes", "/api/v1/config", "/api/v1/beacons", "/api/v1/reload", "/api/v1/log",
		"/api/v1/clusters/web/endpoints/0a",
	} {
		refusesJSON(t, ask(t, l, "GET", line("GET", p)), 404, "not found")
	}
}

func TestReload(t *testing.T) {
	f := func(changed bool, err error, status int, text string) {
		t.Helper()
		c := &controlled{reload: func() (bool, error) { return changed, err }}
		l := api(t, Options{Control: c})
		for _, request := range []string{raw("POST", "/api/v1/reload", ""), post("/api/v1/reload", "{}")} {
			a := ask(t, l, "POST", request)
			if status == 200 {
				answersJSON(t, a, 200, text)
			} else {
				refusesJSON(t, a, status, text)
			}
		}
		if n := c.reloads.Load(); n != 2 {
			t.Errorf("%d reloads, want 2", n)
		}
	}
	f(true, nil, 200, `{"changed":true}`)
	f(false, nil, 200, `{"changed":false}`)
	f(false, errors.New("a.yaml:1:2: colour: unknown key\na.yaml:3:4: log.level: unknown value"), 422, "colour: unknown key\na.yaml:3:4: log.level")
	f(false, fmt.Errorf("now: %w", ErrDraining), 409, "draining")
}

func TestNoReloadWhileDraining(t *testing.T) {
	c := &controlled{reload: unchanged}
	l := api(t, Options{Control: c, State: state(func() (bool, string) { return false, "draining" })})
	refusesJSON(t, ask(t, l, "POST", raw("POST", "/api/v1/reload", "")), 409, "draining")
	if n := c.reloads.Load(); n != 0 {
		t.Errorf("%d reloads", n)
	}
}

func TestSetLogLevel(t *testing.T) {
	c := &controlled{}
	l := api(t, Options{Control: c})
	for _, level := range []string{"debug", "info", "warn", "error"} {
		answersJSON(t, ask(t, l, "POST", post("/api/v1/log", `{"level": "`+level+`"}`)), 200, `{"level":"`+level+`"}`)
		if got := c.level.Load(); got != level {
			t.Errorf("the level is %v, want %s", got, level)
		}
	}
}

func TestChangingRefusesBodies(t *testing.T) {
	c := &controlled{reload: unchanged}
	l := api(t, Options{Control: c})
	f := func(target, body string, status int, piece string, lines ...string) {
		t.Helper()
		if len(lines) == 0 {
			lines = []string{"Content-Type: application/json"}
		}
		refusesJSON(t, ask(t, l, "POST", raw("POST", target, body, lines...)), status, piece)
	}
	const log, reload = "/api/v1/log", "/api/v1/reload"
	f(log, "", 400, "level is missing")
	f(log, "{}", 400, "level is missing")
	f(log, `{"level": "loud"}`, 400, "one of debug, info, warn, error")
	f(log, `{"level": "DEBUG"}`, 400, "one of")
	f(log, `{"level": "info+1"}`, 400, "one of")
	f(log, `{"level": ""}`, 400, "one of")
	f(log, `{"level": 1}`, 400, "not text")
	f(log, `{"level": null}`, 400, "not text")
	f(log, `{"level": ["info"]}`, 400, "not text")
	f(log, `{"Level": "info"}`, 400, `unknown key "Level"`)
	f(log, `{"level": "info", "x": 1}`, 400, `unknown key "x"`)
	f(log, `{"level": "info", "level": "debug"}`, 400, "twice")
	f(log, `{"level": "info"`, 400, "no JSON")
	f(log, `{"level": "info",}`, 400, "no JSON")
	f(log, `{"level": "info"} {}`, 400, "behind")
	f(log, `{"level": "info"}]`, 400, "behind")
	f(log, `["info"]`, 400, "no JSON object")
	f(log, `"info"`, 400, "no JSON object")
	f(log, `null`, 400, "no JSON object")
	f(log, ` `, 400, "no JSON object")
	f(log, "level=info", 400, "no JSON object")
	f(log, strings.Repeat(`{"a":`, 12000), 400, "no JSON")
	f(log, `{"level": "info"}`, 415, "application/json", "Content-Type: application/x-www-form-urlencoded")
	f(log, `{"level": "info"}`, 415, "application/json", "Content-Type: text/plain")
	f(log, `{"level": "info"}`, 415, "application/json", "Content-Type: application/json-patch+json")
	f(log, `{"level": "info"}`, 415, "application/json", "X-None: 1")
	f(log, `{"level": "`+strings.Repeat("x", 70<<10)+`"}`, 413, "too large")
	f(reload, `{"forced": true}`, 400, `unknown key "forced"`)
	f(reload, `x`, 400, "no JSON object")
	f(reload, `a=b`, 415, "application/json", "Content-Type: application/x-www-form-urlencoded")
	if c.level.Load() != nil || c.reloads.Load() != 0 {
		t.Errorf("level %v, %d reloads after calls that were refused", c.level.Load(), c.reloads.Load())
	}
	answersJSON(t, ask(t, l, "POST", raw("POST", log, " {\"level\" : \"in\\u0066o\"}\n", "Content-Type: Application/JSON; charset=utf-8")), 200, `{"level":"info"}`)
}
